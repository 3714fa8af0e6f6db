import { afterAll, describe, expect, it } from '@jest/globals';
import { isPodReady, keyOf } from '@kruise/objects';
import { aPod, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { planRecord, type RecordSnapshot } from '@kruise/kinds/persistentpodstate';
import { aState, host, zone } from './cluster.testing.ts';

const nodeArb = fc.constantFrom('a', 'b', 'c');
const entryArb = fc.record({
  nodeName: nodeArb,
  nodeTopologyLabels: fc.dictionary(fc.constantFrom(zone, host), fc.constantFrom('x', 'y'), { maxKeys: 2 }),
});
const podArb = fc.record({ ordinal: fc.nat(5), ready: fc.boolean(), node: fc.oneof(nodeArb, fc.constant('')) });

const snapshotArb: fc.Arbitrary<RecordSnapshot> = fc
  .record({
    keys: fc.uniqueArray(fc.constantFrom(zone, host)),
    policy: fc.constantFrom('WhenScaled' as const, 'WhenDeleted' as const, undefined),
    entries: fc.dictionary(
      fc.nat(5).map((ordinal) => `db-${ordinal}`),
      entryArb,
      { maxKeys: 6 },
    ),
    pods: fc.uniqueArray(podArb, { selector: ({ ordinal }) => ordinal, maxLength: 6, size: 'max' }),
    workload: fc.option(
      fc.record({ replicas: fc.nat(6), startOrdinal: fc.nat(2), reserveOrdinals: fc.constantFrom([], [{ first: 1, last: 1 }]) }),
      { nil: undefined },
    ),
    known: fc.subarray(['a', 'b', 'c']),
    lost: fc.subarray(['a', 'b']),
  })
  .map(({ keys, policy, entries, pods, workload, known, lost }) => ({
    state: {
      ...aState({ requiredPersistentTopology: { keys }, ...(policy === undefined ? {} : { persistentPodStateRetentionPolicy: policy }) }),
      status: { observedGeneration: 1, podStates: entries },
    },
    workload,
    pods: pods.map(({ ordinal, ready, node }) => aPod({ name: `db-${ordinal}`, ready, node })),
    nodeLabels: new Map(known.filter((name) => !lost.includes(name)).map((name) => [name, { [zone]: `z${name}`, [host]: name }])),
    lostNodes: new Set(lost),
  }));

describe('a record', () => {
  const cases = new Occurrences();
  afterAll(() => cases.expectAtLeast({ changed: 5, same: 1, removed: 5, added: 5 }));

  it('once written is written no more, whatever it began with and in whatever order Pods come', () => {
    fc.assert(
      fc.property(snapshotArb, (seen) => {
        const status = planRecord(seen);
        const again = { ...seen, state: { ...seen.state, status } };
        expect(planRecord(again)).toBe(status);
        expect(planRecord({ ...again, pods: seen.pods.toReversed() })).toBe(status);
        cases.note(status === seen.state.status ? 'same' : 'changed');
      }),
    );
  });

  it('gets entries from ready Pods on nodes that are known, and from nowhere else', () => {
    fc.assert(
      fc.property(snapshotArb, (seen) => {
        const before = new Map(Object.entries(seen.state.status?.podStates ?? {}));
        const after = Object.entries(planRecord(seen).podStates ?? {});
        for (const [name, state] of after) {
          if (before.get(name) === state) continue;
          cases.note('added');
          const pod = seen.pods.find((one) => keyOf(one).name === name);
          expect(pod !== undefined && isPodReady(pod)).toBe(true);
          expect(seen.nodeLabels.has(state.nodeName ?? '')).toBe(true);
          expect(pod?.spec.nodeName).toBe(state.nodeName);
        }
        if ([...before.keys()].some((name) => !after.some(([kept]) => kept === name))) cases.note('removed');
      }),
    );
  });
});
