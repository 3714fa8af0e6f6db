/** Pods steered to where they were, out of thousands that are recorded: what the Pod webhook takes for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { persistentPodStates } from '@kruise/api';
import { apiVersionOf, type KubeObject, type ResourceType } from '@kruise/objects';
import { latencyRow } from '../manager/measures.ts';
import { onStage } from '../manager/stage.ts';
import { reviewedPod } from '../objects/realistic-pod.ts';
import { namespace, workload } from '../objects/workloads.ts';
import type { Measure } from '../scenario.ts';

const name = 'db';
const key = { namespace, name };
const zone = 'topology.kubernetes.io/zone';
const settleMs = 5_000;
const measuredMs = 30_000;

const builtIn: ResourceType<KubeObject> = { group: 'apps', version: 'v1', kind: 'StatefulSet', plural: 'statefulsets', namespaced: true };
const targetRef = { apiVersion: apiVersionOf(builtIn), kind: builtIn.kind, name };

export const measure: Measure = async (run) => {
  const recorded = run.sizes.pods;
  const subjects = [0, 0.5, 1].map((part) =>
    reviewedPod({
      name: `${name}-${Math.floor((recorded - 1) * part)}`,
      labels: { app: name },
      ownerReferences: [{ ...targetRef, uid: 'any', controller: true }],
    }),
  );
  return onStage(run, { pods: 1, subjects }, async ({ client, phase }) => {
    // Its first Pod never runs, so that no other is created: only the webhook works.
    const nowhere = { nodeSelector: { 'example.com/bench': 'nowhere' } };
    await client.create(builtIn, workload(builtIn, name, { replicas: recorded, serviceName: name }, nowhere));
    await client.create(persistentPodStates, { metadata: key, spec: { targetRef, requiredPersistentTopology: { keys: [zone] } } });
    const podStates = Object.fromEntries(
      Array.from({ length: recorded }, (_, i) => [`${name}-${i}`, { nodeName: `n${i}`, nodeTopologyLabels: { [zone]: `zone-${i % 3}` } }]),
    );
    const status = { observedGeneration: 1, podStates };
    await client.patch(persistentPodStates, key, { status }, { type: 'merge', subresource: 'status' });
    await sleep(settleMs);
    const kept = Object.keys((await client.get(persistentPodStates, key)).status?.podStates ?? {}).length;
    if (kept !== recorded) throw new Error(`${kept} of ${recorded} records are left`);
    const of = `steering one Pod of ${recorded.toLocaleString('en-US')} that are recorded:`;
    const details = await phase({ name: of, begin: () => sleep(measuredMs), timeoutMs: measuredMs });
    const latencies = { ours: details.admission['/mutate-pod'], floor: details.floor };
    return { rows: [latencyRow(of, 'p50', latencies), latencyRow(of, 'p99', { ...latencies, limit: 10 })], details };
  });
};
