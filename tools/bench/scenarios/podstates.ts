/** Pods steered to where they were, out of thousands that are recorded: what the Pod webhook takes for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { persistentPodStates } from '@kruise/api';
import { apiVersionOf } from '@kruise/objects';
import { podLatency, rowsOf } from '../manager/measures.ts';
import { onStage } from '../manager/stage.ts';
import { reviewedPod } from '../objects/realistic-pod.ts';
import { builtIn, namespace, workload } from '../objects/workloads.ts';

const name = 'db';
const key = { namespace, name };
const zone = 'topology.kubernetes.io/zone';
const settleMs = 5_000;
const measuredMs = 30_000;

const statefulSets = builtIn('StatefulSet');
const targetRef = { apiVersion: apiVersionOf(statefulSets), kind: statefulSets.kind, name };

/** The first, the middle and the last of those that are recorded. */
const subjectsOf = (recorded: number) =>
  [0, 0.5, 1].map((part) =>
    reviewedPod({
      name: `${name}-${Math.floor((recorded - 1) * part)}`,
      labels: { app: name },
      ownerReferences: [{ ...targetRef, uid: 'any', controller: true }],
    }),
  );

export const measure = onStage(
  ({ pods }) => ({ pods: 1, subjects: subjectsOf(pods) }),
  async ({ client, phase, sizes: { pods: recorded } }) => {
    // Its first Pod never runs, so that no other is created: only the webhook works.
    const nowhere = { nodeSelector: { 'example.com/bench': 'nowhere' } };
    await client.create(statefulSets, workload(statefulSets, name, { replicas: recorded, serviceName: name }, nowhere));
    await client.create(persistentPodStates, { metadata: key, spec: { targetRef, requiredPersistentTopology: { keys: [zone] } } });
    const podStates = Object.fromEntries(
      Array.from({ length: recorded }, (_, i) => [`${name}-${i}`, { nodeName: `n${i}`, nodeTopologyLabels: { [zone]: `zone-${i % 3}` } }]),
    );
    const status = { observedGeneration: 1, podStates };
    await client.patch(persistentPodStates, key, { status }, { type: 'merge', subresource: 'status' });
    await sleep(settleMs);
    const kept = Object.keys((await client.get(persistentPodStates, key)).status?.podStates ?? {}).length;
    if (kept !== recorded) throw new Error(`${kept} of ${recorded} records are left`);
    const about = `steering one Pod of ${recorded.toLocaleString('en-US')} that are recorded`;
    const steered = await phase({ name: about, begin: () => sleep(measuredMs), timeoutMs: measuredMs });
    return rowsOf([steered], [podLatency('p50'), podLatency('p99', 10)]);
  },
);
