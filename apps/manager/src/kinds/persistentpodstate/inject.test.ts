import { describe, expect, it } from '@jest/globals';
import type { PersistentPodState } from '@kruise/api';
import { deepFreeze, type Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { withRememberedPlace } from '@kruise/kinds/persistentpodstate';
import { aState, host, names, zone } from './cluster.testing.ts';

const bare = (spec: Partial<Pod['spec']> = {}): Pod => {
  const pod = aPod({ name: 'db-0', node: '' });
  return deepFreeze({ ...pod, spec: { containers: pod.spec.containers, ...spec } });
};
const remembering = (spec: Parameters<typeof aState>[0], labels: Readonly<Record<string, string>> | undefined): PersistentPodState =>
  deepFreeze({
    ...aState(spec),
    status: {
      observedGeneration: 1,
      podStates: { 'db-0': { nodeName: 'n', ...(labels === undefined ? {} : { nodeTopologyLabels: labels }) } },
    },
  });
const prefer = (weight: number, ...keys: readonly string[]) => ({ weight, preference: { keys } });
const term = (weight: number, key: string, value: string) => ({
  weight,
  preference: { matchExpressions: [{ key, operator: 'In', values: [value] }] },
});
const both = { preferredPersistentTopology: [prefer(100, host)] };

describe('a Pod that comes again', () => {
  it('is bound to what is required and drawn to what is preferred (3)', () => {
    const { metadata, spec } = withRememberedPlace(bare(), remembering(both, { [zone]: 'z', [host]: 'n' }));
    expect(metadata.annotations).toEqual({ [names.injected]: 'mine' });
    expect(spec.nodeSelector).toEqual({ [zone]: 'z' });
    expect(spec.affinity).toEqual({ nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term(100, host, 'n')] } });
  });

  it('is bound alone where nothing is preferred, and drawn alone where nothing is required', () => {
    const bound = withRememberedPlace(bare(), remembering({}, { [zone]: 'z', [host]: 'n' })).spec;
    expect(bound.nodeSelector).toEqual({ [zone]: 'z' });
    expect(bound).not.toHaveProperty('affinity');
    const drawn = withRememberedPlace(bare(), remembering({ ...both, requiredPersistentTopology: undefined }, { [host]: 'n' })).spec;
    expect(drawn).not.toHaveProperty('nodeSelector');
    expect(drawn.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution).toEqual([term(100, host, 'n')]);
  });

  it('keeps what its template says beside, but for labels that are remembered', () => {
    const own = {
      nodeSelector: { disk: 'ssd', [zone]: 'elsewhere' },
      affinity: { podAntiAffinity: {}, nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term(1, 'disk', 'ssd')] } },
    };
    const { spec } = withRememberedPlace(bare(own), remembering(both, { [zone]: 'z', [host]: 'n' }));
    expect(spec.nodeSelector).toEqual({ disk: 'ssd', [zone]: 'z' });
    expect(spec.affinity).toEqual({
      podAntiAffinity: {},
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term(1, 'disk', 'ssd'), term(100, host, 'n')] },
    });
  });

  it('stays as it is when it is led through once more', () => {
    const state = remembering(both, { [zone]: 'z', [host]: 'n' });
    const once = withRememberedPlace(bare(), state);
    expect(withRememberedPlace(once, state)).toBe(once);
  });

  it.each<{ name: string; state: PersistentPodState }>([
    { name: 'of which nothing is remembered', state: aState(both) },
    { name: 'whose node had none of the labels', state: remembering(both, undefined) },
    {
      name: 'whose keys have been changed since',
      state: remembering({ requiredPersistentTopology: { keys: ['other'] } }, { [zone]: 'z' }),
    },
    { name: 'that another is remembered for', state: { ...aState(), status: { observedGeneration: 1, podStates: { constructor: {} } } } },
  ])('$name is left alone (4)', ({ state }) => {
    const pod = bare();
    expect(withRememberedPlace(pod, state)).toBe(pod);
  });

  it('gets no terms that the API server would refuse: without a key, or with a weight that is not from 1 to 100', () => {
    const preferredPersistentTopology = [prefer(0, zone), prefer(1, zone), prefer(50, 'other'), prefer(100, zone), prefer(101, zone)];
    const spec = { requiredPersistentTopology: { keys: [] }, preferredPersistentTopology };
    const { nodeSelector, affinity } = withRememberedPlace(bare(), remembering(spec, { [zone]: 'z' })).spec;
    expect(nodeSelector).toBeUndefined();
    expect(affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution).toEqual([term(1, zone, 'z'), term(100, zone, 'z')]);
  });

  it('whose name is that of a member of every object is remembered only by an entry of its own', () => {
    const pod = { ...bare(), metadata: { ...bare().metadata, name: 'constructor' } };
    expect(withRememberedPlace(pod, remembering(both, { [zone]: 'z' }))).toBe(pod);
  });
});

it('a Pod has each of the terms that it prefers read once, however many are remembered', () => {
  let reads = 0;
  const own = Array.from({ length: 1000 }, (_, at) => {
    const preference = { matchExpressions: [{ key: `own${at}`, operator: 'Exists' as const }] };
    return Object.defineProperty({ weight: 1 }, 'preference', { enumerable: true, get: () => (reads++, preference) });
  });
  const preferred = Array.from({ length: 1000 }, () => prefer(1, host));
  const state = remembering({ preferredPersistentTopology: preferred }, { [host]: 'n' });
  const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: own as never } };
  const pod = aPod({ name: 'db-0', node: '' });
  const placed = withRememberedPlace({ ...pod, spec: { ...pod.spec, affinity } }, state);
  expect(placed.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution).toHaveLength(2000);
  expect(reads).toBeLessThan(10 * own.length);
});
