/** What is cached of a Pod never changes an answer, whatever happened before. */
import { expect, it } from '@jest/globals';
import type { Lifecycle } from '@kruise/api';
import { instant, type Pod } from '@kruise/objects';
import { cloneSetRevisions, daemonSetRevisions, updateStateOf } from '@kruise/pods';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { isAvailable } from './pods/pod-view.ts';
import { planUpkeep } from './updates/upkeep.ts';
import { aMember, aWorkload, next, now, old, type MemberShape } from './workload.testing.ts';
import type { Workload } from './workload.ts';

/** The same objects each time, as a kind passes them while its spec is unchanged. */
const lifecycles: readonly (Lifecycle | undefined)[] = [
  undefined,
  { preNormal: { labelsHandler: { warm: 'yes' } } },
  { inPlaceUpdate: { labelsHandler: { held: 'yes' } } },
];
const adapters = [cloneSetRevisions(false), daemonSetRevisions];
const resources = ['Ignored', 'InSpec'] as const;

const shapes: fc.Arbitrary<MemberShape> = fc.record(
  {
    of: fc.constantFrom(old, next),
    state: fc.constantFrom('', 'PreparingNormal', 'Normal', 'PreparingUpdate', 'Updating', 'Updated', 'PreparingDelete'),
    inPlaceReady: fc.constantFrom('True', 'False', 'absent'),
    node: fc.constantFrom('', 'node1'),
    ready: fc.boolean(),
    image: fc.constantFrom('app:1', 'app:2'),
    labels: fc.constantFrom<Readonly<Record<string, string>>>({}, { warm: 'yes' }, { held: 'yes' }),
    update: fc.constantFrom(
      {},
      { lastContainerStatuses: { gone: { imageID: 'a' } } },
      { nextContainerImages: { main: 'app:2' } },
      { updateResources: true, containerBatchesRecord: [{ timestamp: '', containers: ['main'] }] },
    ),
    grace: fc.constantFrom({ graceSeconds: 30 }, { graceSeconds: 5 }),
  },
  { requiredKeys: [] },
);
const workloads: fc.Arbitrary<Workload> = fc
  .record({
    lifecycle: fc.constantFrom(...lifecycles),
    updateRevision: fc.constantFrom(old.metadata.name, next.metadata.name),
    resources: fc.constantFrom(...resources),
    waitsForNode: fc.boolean(),
    adapter: fc.constantFrom(...adapters),
    minReadySeconds: fc.constantFrom(0, 3595, 3605),
    now: fc.integer({ min: -20, max: 40 }).map((seconds) => instant(now + seconds * 1000)),
  })
  .map((more) => aWorkload(more));
/** A new version of the Pod, or the same once more; and the state of the workload in that pass. */
const passes = fc.array(fc.record({ pod: fc.option(shapes, { freq: 1 }), workload: workloads }), {
  minLength: 2,
  maxLength: 8,
  size: 'max',
});

it('a Pod that is examined repeatedly has the same result as one that was never seen before', () => {
  const cases = new Occurrences();
  fc.assert(
    fc.property(shapes, passes, (first, then) => {
      let pod: Pod = aMember({ name: 'a', ...first });
      let wasIdle = false;
      for (const { pod: changed, workload } of then) {
        cases.note('the same version again', changed === null);
        if (changed !== null) pod = aMember({ name: 'a', ...changed });
        const fresh = structuredClone(pod);
        const expected = planUpkeep([fresh], workload);
        expect(planUpkeep([pod], workload)).toEqual(expected);
        expect(isAvailable(pod, workload)).toBe(isAvailable(fresh, workload));
        const state = updateStateOf(structuredClone(pod));
        cases.note('a state is read', state.kind === 'Parsed');
        expect(updateStateOf(pod)).toEqual(state);
        const isIdle = expected.actions.length === 0;
        cases.note('something is done', !isIdle);
        cases.note('idle, then not', changed === null && wasIdle && !isIdle);
        wasIdle = isIdle;
      }
    }),
  );
  cases.expectAtLeast({ 'idle, then not': 3, 'the same version again': 30, 'something is done': 30, 'a state is read': 30 });
});
