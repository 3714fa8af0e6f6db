/** The phases of a StatefulSet beside those of a CloneSet of as many Pods, and the start of an ordered one. */
import { statefulSets, type StatefulSet } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { isPodReady, pods as podType } from '@kruise/objects';
import { beside, callsPerPod, cpu, ownWork, rowsOf, wallTime } from '../manager/measures.ts';
import { namespace } from '../manager/namespace.ts';
import { onStage } from '../manager/stage.ts';
import type { Measure } from '../scenario.ts';
import { quantile } from '../statistics.ts';
import { cloneSet } from './clone-set.ts';
import { lifeOfCloneSet } from './rollout.ts';
import { phasesOf } from './workload-life.ts';

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

/** With the template of the benchmark's CloneSet. */
function statefulSet(name: string, replicas: number, podManagementPolicy: 'Parallel' | 'OrderedReady'): StatefulSet {
  const { template, updateStrategy } = cloneSet(replicas).spec;
  // Ordered ones are updated one by one.
  const strategy = podManagementPolicy === 'Parallel' ? { updateStrategy } : {};
  const labels = { app: name };
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'StatefulSet',
    metadata: { name, namespace, labels },
    spec: {
      replicas,
      serviceName: name,
      podManagementPolicy,
      selector: { matchLabels: labels },
      ...strategy,
      template: {
        metadata: { ...template.metadata, labels },
        spec: { ...template.spec, readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] },
      },
    },
  } as unknown as StatefulSet;
}

/**
 * Creates `replicas` Pods one by one.
 *
 * @returns milliseconds between a Pod's readiness and the next one's appearance, as one watcher sees both, for each but the last
 */
async function measureOrderedStart(client: Client, replicas: number): Promise<readonly number[]> {
  const appeared = new Map<number, number>();
  const ready = new Map<number, number>();
  const signal = AbortSignal.timeout(60_000 + replicas * 1_000);
  const events = client.watch(podType, { namespace, labelSelector: `app=${orderedName}`, signal });
  await client.create(statefulSets, statefulSet(orderedName, replicas, 'OrderedReady'));
  for await (const event of events) {
    if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
    const now = performance.now();
    const ordinal = Number(event.object.metadata.name.slice(orderedName.length + 1));
    if (!appeared.has(ordinal)) appeared.set(ordinal, now);
    if (isPodReady(event.object) && !ready.has(ordinal)) ready.set(ordinal, now);
    if (ready.size === replicas) break;
  }
  if (ready.size < replicas) throw new Error(`only ${ready.size} of ${replicas} ordered Pods became ready`);
  await client.delete(statefulSets, { namespace, name: orderedName });
  return Array.from({ length: replicas - 1 }, (_, i) => (appeared.get(i + 1) ?? NaN) - (ready.get(i) ?? NaN));
}

export const measure: Measure = (run) =>
  onStage(run, { pods: run.sizes.pods }, async ({ client, phases }) => {
    const { pods } = run.sizes;
    const cloneSetPhases = await phases(lifeOfCloneSet(client, pods));
    const object = statefulSet('db', pods, 'Parallel');
    const statefulSetPhases = await phases(phasesOf(client, { type: statefulSets, object, replicas: pods }));
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
