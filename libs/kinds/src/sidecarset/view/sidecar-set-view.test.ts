/** A SidecarSet with absent members filled in. */
import { describe, expect, it } from '@jest/globals';
import type { SidecarSet } from '@kruise/api';
import { isNotUpdate, viewOf } from './sidecar-set-view.ts';
import { aHotSidecar, aSidecar, aSidecarSet } from '../testing.ts';

const withSpec = (spec: object): SidecarSet => ({ ...aSidecarSet(), spec });

describe('the view of a SidecarSet', () => {
  it('distinguishes hot sidecars from cold ones; a hot one has two containers', () => {
    const view = viewOf(aSidecarSet({ containers: [aSidecar('a', 'a:1'), aHotSidecar('b', 'b:1')] }));
    expect(view.sidecars.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(view.hotSidecars.map(({ name }) => name)).toEqual(['b']);
    expect([...view.containerNames]).toEqual(['a', 'b-1', 'b-2']);
  });

  it('takes a sidecar without an upgrade strategy for a cold one', () => {
    const view = viewOf(withSpec({ containers: [{ name: 'a' }, { name: 'b', upgradeStrategy: {} }] }));
    expect([...view.containerNames]).toEqual(['a', 'b']);
  });

  it.each([[{ containers: null }], [{}], [{ containers: 'a' }], [{ containers: [null, { image: 'a:1' }] }]])(
    'has no sidecars for %j',
    (spec) => {
      expect(viewOf(withSpec(spec))).toMatchObject({ sidecars: [], hotSidecars: [], containerNames: new Set() });
    },
  );

  it.each<{ selector: unknown; then: boolean }>([
    { selector: undefined, then: true },
    { selector: null, then: true },
    { selector: { matchLabels: { app: 'other' } }, then: false },
    { selector: { matchExpressions: [{ key: 'app', operator: 'Like' }] }, then: false },
  ])('selects the Pods to update by $selector', ({ selector, then }) => {
    expect(viewOf(withSpec({ updateStrategy: { selector } })).selects.matches({ app: 'demo' })).toBe(then);
  });

  it('updates unless it says that it does not', () => {
    expect(isNotUpdate(withSpec({}))).toBe(false);
    expect(isNotUpdate(withSpec({ updateStrategy: { type: 'RollingUpdate' } }))).toBe(false);
    expect(isNotUpdate(withSpec({ updateStrategy: { type: 'NotUpdate' } }))).toBe(true);
  });
});
