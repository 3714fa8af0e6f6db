/** The phases of a StatefulSet beside those of a CloneSet of as many Pods, and the start of an ordered one. */
import { cloneSets, statefulSets } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { isPodReady, pods as podType } from '@kruise/objects';
import { beside, callsPerPod, cpu, ownWork, rowsOf, wallTime } from '../manager/measures.ts';
import { onStage } from '../manager/stage.ts';
import { cloneSet, namespace, workload } from '../objects/workloads.ts';
import type { Measure } from '../scenario.ts';
import { Sightings } from '../sightings.ts';
import { quantile } from '../statistics.ts';
import { rolloutPhases } from './object-phases.ts';

const orderedPods = 200;
const orderedName = 'queue';

/** Writes that no implementation can leave out on the wire as it is, for each phase: two readiness gates belong to two controllers. */
const leastCallsPerPod = [
  // The Pod, and its readiness gates InPlaceUpdateReady and KruisePodReady.
  3,
  // Out of service, the new image, in service again.
  3,
  // The old Pod, and the new one as above.
  4,
  // The Pod.
  1,
];

const readinessGates = [{ conditionType: 'InPlaceUpdateReady' }];

/**
 * Creates `replicas` Pods one by one.
 *
 * @returns milliseconds between a Pod's readiness and the next one's appearance, as one watcher sees both, for each but the last
 */
async function measureOrderedStart(client: Client, replicas: number): Promise<readonly number[]> {
  const signal = AbortSignal.timeout(60_000 + replicas * 1_000);
  await using sightings = new Sightings(client, podType, { namespace, labelSelector: `app=${orderedName}`, signal });
  const gaps = Array.from({ length: replicas - 1 }, async (_, ordinal) => {
    const [ready, next] = await Promise.all([
      sightings.first((pod) => pod.metadata.name === `${orderedName}-${ordinal}` && isPodReady(pod)),
      sightings.first((pod) => pod.metadata.name === `${orderedName}-${ordinal + 1}`),
    ]);
    return next.at - ready.at;
  });
  const spec = { replicas, serviceName: orderedName, podManagementPolicy: 'OrderedReady' };
  await client.create(statefulSets, workload(statefulSets, orderedName, spec, { readinessGates }));
  return Promise.all(gaps);
}

export const measure: Measure = (run) =>
  onStage(run, { pods: run.sizes.pods }, async ({ client, phases }) => {
    const { pods } = run.sizes;
    const cloneSetPhases = await phases(rolloutPhases(client, cloneSets, cloneSet(pods), pods));
    const { updateStrategy } = cloneSet(pods).spec;
    const spec = { replicas: pods, serviceName: 'db', podManagementPolicy: 'Parallel', updateStrategy };
    const parallel = workload(statefulSets, 'db', spec, { readinessGates });
    const statefulSetPhases = await phases(rolloutPhases(client, statefulSets, parallel, pods));
    run.progress(`${orderedPods} Pods one by one`);
    const gaps = await measureOrderedStart(client, Math.min(orderedPods, pods));
    const rows = rowsOf(
      statefulSetPhases.map((phase) => ({ ...phase, name: `StatefulSet, Parallel: ${phase.name}` })),
      [
        beside(wallTime, 'CloneSet', (at) => cloneSetPhases[at]?.wallSeconds ?? NaN, { limit: 1.2 }),
        beside(callsPerPod(pods), 'least', (at) => leastCallsPerPod[at] ?? NaN, { limit: 1.2 }),
        cpu,
        ownWork,
      ],
    );
    const ordered = (what: string): string => `${gaps.length + 1} Pods, OrderedReady: from ready to the next creation, ${what} (ms)`;
    return {
      rows: [
        ...rows,
        { what: ordered('median'), ours: quantile(gaps, 0.5), limit: 30 },
        { what: ordered('p99'), ours: quantile(gaps, 0.99) },
      ],
      details: { cloneSet: cloneSetPhases, statefulSet: statefulSetPhases, orderedGaps: gaps },
    };
  });
