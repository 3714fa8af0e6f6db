import { describe, expect, it } from '@jest/globals';
import { convertedObject, deepFreeze } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';

const targetRef = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 's' };
const status = {
  observedGeneration: 1,
  podStates: { 's-0': { nodeName: 'n', nodeTopologyLabels: { zone: 'a' }, annotations: { k: 'v' } } },
};

const alpha = deepFreeze({
  metadata: { name: 'p' },
  spec: {
    targetRef,
    requiredPersistentTopology: { nodeTopologyKeys: ['b', 'a'] },
    preferredPersistentTopology: [{ weight: 1, preference: { nodeTopologyKeys: ['d', 'c'] } }],
    persistentPodAnnotations: [{ key: 'k' }],
    persistentPodStateRetentionPolicy: 'WhenDeleted',
  },
  status,
});
const beta = deepFreeze({
  metadata: { name: 'p' },
  spec: {
    targetRef,
    requiredPersistentTopology: { keys: ['b', 'a'] },
    preferredPersistentTopology: [{ weight: 1, preference: { keys: ['d', 'c'] } }],
    persistentPodAnnotations: [{ key: 'k' }],
    persistentPodStateRetentionPolicy: 'WhenDeleted',
  },
  status,
});

describe('conversion of PersistentPodStates', () => {
  it('both versions show the same keys in the same order', () => {
    expect(convertedObject(converter.toHub(alpha))).toEqual(beta);
    expect(convertedObject(converter.fromHub(beta))).toEqual(alpha);
  });

  it('empty maps of a Pod become absent, and what is no object stays', () => {
    const given = {
      metadata: { name: 'p' },
      status: { podStates: { p: { nodeName: 'n', nodeTopologyLabels: {}, annotations: {} }, q: 7 } },
    };
    const then = { metadata: { name: 'p' }, status: { podStates: { p: { nodeName: 'n' }, q: 7 } } };
    expect(convertedObject(converter.toHub(given))).toEqual(then);
    expect(convertedObject(converter.fromHub(given))).toEqual(then);
  });

  it('empty lists and maps become absent, but for the keys that the schema requires', () => {
    const empty = {
      metadata: { name: 'p' },
      spec: { targetRef, requiredPersistentTopology: { keys: [] }, preferredPersistentTopology: [], persistentPodAnnotations: [] },
      status: { observedGeneration: 1, podStates: {} },
    };
    expect(convertedObject(converter.fromHub(empty))).toEqual({
      metadata: { name: 'p' },
      spec: { targetRef, requiredPersistentTopology: { nodeTopologyKeys: [] } },
      status: { observedGeneration: 1 },
    });
  });
});
