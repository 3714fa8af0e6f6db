/** The table of spec/sidecarset.md 5.8, row by row. */
import { describe, expect, it } from '@jest/globals';
import { sidecarSetAnnotations } from '@kruise/api';
import { injectedHotAnnotations, planTurn, resetVersions, rolesOf, type TwinsSeen, type Turn } from './hot-upgrade.ts';
import { aHotSidecar, emptyImage } from '../testing.ts';

const working = (container: string): Readonly<Record<string, string>> => ({
  [sidecarSetAnnotations.workingHotUpgradeContainer]: JSON.stringify({ mesh: container }),
});
const versions = (of: readonly [string, string, string, string]): Readonly<Record<string, string>> => ({
  'version.sidecarset.kruise.io/mesh-1': of[0],
  'versionalt.sidecarset.kruise.io/mesh-1': of[1],
  'version.sidecarset.kruise.io/mesh-2': of[2],
  'versionalt.sidecarset.kruise.io/mesh-2': of[3],
});
const injected = { ...working('mesh-1'), ...versions(['1', '0', '0', '1']) };

describe('injection', () => {
  it('lets the first twin work', () => {
    expect(injectedHotAnnotations({}, ['mesh'])).toEqual(injected);
    expect(injectedHotAnnotations({}, [])).toEqual({});
  });

  it('keeps the sidecars of other SidecarSets in the map', () => {
    const held = { [sidecarSetAnnotations.workingHotUpgradeContainer]: '{"other":"other-2"}' };
    const text = injectedHotAnnotations(held, ['mesh'])[sidecarSetAnnotations.workingHotUpgradeContainer];
    expect(text).toBe('{"mesh":"mesh-1","other":"other-2"}');
  });

  it('takes the second twin for working where the map does not say', () => {
    expect(rolesOf({}, 'mesh')).toEqual({ working: 'mesh-2', idle: 'mesh-1' });
    expect(rolesOf(injected, 'mesh')).toEqual({ working: 'mesh-1', idle: 'mesh-2' });
  });
});

/** The turn that a Pod with these images takes; `sound` names the twins that are ready and run their image. */
function turn(
  image: string,
  at: { readonly first: string; readonly second: string; readonly working: string; readonly sound?: readonly string[] },
): Turn {
  const roles = rolesOf(working(at.working), 'mesh');
  const sound = at.sound ?? ['mesh-1', 'mesh-2'];
  const twin = (name: string): TwinsSeen[keyof TwinsSeen] => ({
    image: name === 'mesh-1' ? at.first : at.second,
    isSound: sound.includes(name),
  });
  return planTurn(
    aHotSidecar('mesh', image),
    roles,
    { working: twin(roles.working), idle: twin(roles.idle) },
    { held: injected, version: '99' },
  );
}

describe('an upgrade', () => {
  it('goes to the empty twin, with the versions by which both find out who is newer', () => {
    expect(turn('mesh:2', { first: 'mesh:1', second: emptyImage, working: 'mesh-1' })).toEqual({
      kind: 'Turn',
      working: 'mesh-2',
      versions: {
        'version.sidecarset.kruise.io/mesh-2': '99',
        'versionalt.sidecarset.kruise.io/mesh-2': '1',
        'versionalt.sidecarset.kruise.io/mesh-1': '99',
      },
    });
  });

  it('begins with 0 where the Pod has no versions', () => {
    const seen = { working: { image: 'mesh:1', isSound: true }, idle: { image: emptyImage, isSound: true } };
    expect(planTurn(aHotSidecar('mesh', 'mesh:2'), rolesOf({}, 'mesh'), seen, { held: {}, version: '99' })).toEqual({
      kind: 'Turn',
      working: 'mesh-1',
      versions: {
        'version.sidecarset.kruise.io/mesh-1': '99',
        'versionalt.sidecarset.kruise.io/mesh-1': '0',
        'versionalt.sidecarset.kruise.io/mesh-2': '99',
      },
    });
  });

  it.each<{ name: string; given: Parameters<typeof turn>[1]; to: string }>([
    { name: 'swaps back to the first', given: { first: emptyImage, second: 'mesh:1', working: 'mesh-2' }, to: 'mesh-1' },
    { name: 'goes to the failing twin', given: { first: 'mesh:1', second: 'bad:1', working: 'mesh-2', sound: ['mesh-1'] }, to: 'mesh-2' },
    {
      name: 'goes to the one that does not work when both are sound',
      given: { first: 'mesh:0', second: 'mesh:1', working: 'mesh-2' },
      to: 'mesh-1',
    },
    {
      name: 'goes to the one that does not work when neither is sound',
      given: { first: 'a:1', second: 'b:1', working: 'mesh-1', sound: [] },
      to: 'mesh-2',
    },
    {
      name: 'goes to the empty twin, even where the other fails',
      given: { first: emptyImage, second: 'bad:1', working: 'mesh-2', sound: ['mesh-1'] },
      to: 'mesh-1',
    },
    {
      name: 'goes to the first of two empty twins where that one works',
      given: { first: emptyImage, second: emptyImage, working: 'mesh-1' },
      to: 'mesh-1',
    },
    {
      name: 'goes to the first of two empty twins where that one idles',
      given: { first: emptyImage, second: emptyImage, working: 'mesh-2', sound: ['mesh-1'] },
      to: 'mesh-1',
    },
    {
      name: 'changes nothing where the working twin has the image',
      given: { first: 'mesh:2', second: emptyImage, working: 'mesh-1' },
      to: 'None',
    },
    {
      name: 'returns to the old twin after a rollback',
      given: { first: 'mesh:2', second: 'bad:1', working: 'mesh-2', sound: ['mesh-1'] },
      to: 'mesh-1',
    },
  ])('$name', ({ given, to }) => {
    const planned = turn('mesh:2', given);
    expect(planned.kind === 'Turn' ? planned.working : planned.kind).toBe(to);
  });

  it('ends with versions that leave the working twin no rival', () => {
    expect(resetVersions({ working: 'mesh-2', idle: 'mesh-1' })).toEqual({
      'version.sidecarset.kruise.io/mesh-1': '0',
      'versionalt.sidecarset.kruise.io/mesh-2': '0',
    });
  });
});
