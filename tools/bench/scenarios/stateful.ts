/** The phases of a StatefulSet beside those of a CloneSet of as many Pods, and the start of an ordered one. */
import { cloneSets, statefulSets } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { isPodReady, pods as podType } from '@kruise/objects';
import { LiveObjects } from '../live-objects.ts';
import { beside, besideLeast, callsPerPod, cpu, ownWork, rowsOf, wallTime } from '../manager/measures.ts';
import { rolloutPhases } from '../manager/object-phases.ts';
import { onStage } from '../manager/stage.ts';
import { cloneSet, namespace, workload } from '../objects/workloads.ts';
import { quantile } from '../statistics.ts';
import { rowsAbout } from '../table.ts';

const orderedPods = 200;
const orderedName = 'queue';

const readinessGates = [{ conditionType: 'InPlaceUpdateReady' }];

/**
 * Creates `replicas` Pods one by one.
 *
 * @returns milliseconds between a Pod's readiness and the next one's appearance, as one watcher sees both, for each but the last
 */
async function measureOrderedStart(client: Client, replicas: number): Promise<readonly number[]> {
  await using shown = await LiveObjects.watch(client, podType, { namespace, labelSelector: `app=${orderedName}` });
  const gaps = Array.from({ length: replicas - 1 }, async (_, ordinal) => {
    const [ready, next] = await Promise.all([
      shown.first((pod) => pod.metadata.name === `${orderedName}-${ordinal}` && isPodReady(pod)),
      shown.first((pod) => pod.metadata.name === `${orderedName}-${ordinal + 1}`),
    ]);
    return next.at - ready.at;
  });
  const spec = { replicas, serviceName: orderedName, podManagementPolicy: 'OrderedReady' };
  await client.create(statefulSets, workload(statefulSets, orderedName, spec, { readinessGates }));
  // Awaited here, so that the watch lasts until then.
  return await Promise.all(gaps);
}

export const measure = onStage(
  ({ pods }) => ({ pods }),
  async ({ client, phases, progress, record, sizes: { pods } }) => {
    const ofCloneSet = await phases(rolloutPhases(cloneSets, cloneSet(pods), pods));
    const { updateStrategy } = cloneSet(pods).spec;
    const spec = { replicas: pods, serviceName: 'db', podManagementPolicy: 'Parallel', updateStrategy };
    const parallel = workload(statefulSets, 'db', spec, { readinessGates });
    const ofStatefulSet = await phases(rolloutPhases(statefulSets, parallel, pods));
    progress(`${orderedPods} Pods one by one`);
    const gaps = await measureOrderedStart(client, Math.min(orderedPods, pods));
    record({ gaps });
    const measures = [beside(wallTime, 'CloneSet', ofCloneSet, 1.2), besideLeast(callsPerPod(pods), pods), cpu, ownWork];
    const ordered = rowsAbout(`${gaps.length + 1} Pods, OrderedReady: from ready to the next creation,`, {
      'median (ms)': { ours: quantile(gaps, 0.5), limit: 30 },
      'p99 (ms)': quantile(gaps, 0.99),
    });
    return [...rowsOf(ofStatefulSet, measures, 'StatefulSet, Parallel: '), ...ordered];
  },
);
