import { describe, expect, it } from '@jest/globals';
import type { Instant, Pod } from '@kruise/objects';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { cloneSetRevisions } from '../revision/revision-adapter.ts';
import { aPod, noon } from '../testdata/build.ts';
import { launchPriority } from './container-batch.ts';
import { planRefresh } from './plan-refresh.ts';
import { startUpdate } from './start-update.ts';
import { updateStateOf } from './state/update-state.ts';

/** More with FC_RUNS=100000. */
const numRuns = casesOf(100);

const adapter = cloneSetRevisions(true);
const barrier = (priority: number) => [
  { name: 'KRUISE_CONTAINER_BARRIER', valueFrom: { configMapKeyRef: { key: `p_${String(priority)}` } } },
];

const containers = fc
  .array(fc.record({ priority: fc.option(fc.integer({ min: -3, max: 3 })), changes: fc.boolean() }), { minLength: 1, maxLength: 6 })
  .map((list) =>
    list.map(({ priority, changes }, i) => ({
      name: `c${String(i)}`,
      image: 'old',
      changes,
      env: priority === null ? [] : barrier(priority),
    })),
  );

/** Returns the Pod after its kubelet has restarted every container whose image differs from the running one, ready or not. */
const kubelet = (pod: Pod, isReady: boolean): Pod => ({
  ...pod,
  status: {
    ...pod.status,
    containerStatuses: pod.spec.containers.map(({ name, image = '' }) => ({
      name,
      image,
      imageID: `id of ${image}`,
      ready: isReady,
      restartCount: 0,
      containerID: `c://${name}`,
    })),
  },
});

describe('an update in batches', () => {
  it('changes every container exactly once, by decreasing priority, and each batch only after the previous one is ready', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(containers, (given) => {
        const wanted = given.filter(({ changes }) => changes).map(({ name }) => name);
        const containerImages = Object.fromEntries(wanted.map((name) => [name, 'new']));
        let pod = startUpdate(
          kubelet(aPod({ containers: given, gates: ['InPlaceUpdateReady'] }), true),
          { revision: 'r-2', containerImages },
          { now: noon, resources: 'Ignored', adapter },
        ).pod;
        for (let pass = 1; pass <= given.length + 1; pass += 1) {
          const context = { now: (noon + pass * 1000) as Instant, resources: 'Ignored' as const, adapter };
          const step = planRefresh(kubelet(pod, true), context);
          if (step.kind !== 'NextBatch') break;
          expect(planRefresh(kubelet(pod, false), context).kind).toBe('Pending');
          pod = step.update.pod;
        }
        expect(planRefresh(kubelet(pod, true), { now: noon, resources: 'Ignored', adapter }).kind).toBe('SetReady');
        const state = updateStateOf(pod);
        const batches = state.kind === 'Parsed' ? (state.value.containerBatchesRecord ?? []) : [];
        expect(batches.flatMap((batch) => batch.containers).toSorted()).toEqual(wanted.toSorted());
        seen.note('more than one batch', batches.length > 1);
        seen.note(
          'more than one container in a batch',
          batches.some((batch) => batch.containers.length > 1),
        );
        const levels = batches.map((batch) =>
          Math.max(
            ...batch.containers.map(
              (name) => launchPriority(pod.spec.containers.find((held) => held.name === name) ?? { name }) ?? Number.NEGATIVE_INFINITY,
            ),
          ),
        );
        expect(levels).toEqual(levels.toSorted((a, b) => b - a));
        expect(pod.spec.containers.map(({ image }) => image)).toEqual(given.map(({ changes }) => (changes ? 'new' : 'old')));
      }),
      { numRuns },
    );
    seen.expectAtLeast({ 'more than one batch': numRuns / 10, 'more than one container in a batch': numRuns / 10 });
  });
});
