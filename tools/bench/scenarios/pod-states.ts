/** Pods steered to where they were, out of thousands that are recorded: what the Pod webhook takes for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { persistentPodStates } from '@kruise/api';
import type { KubeObject, ResourceType } from '@kruise/objects';
import { latencyRows } from '../manager/measures.ts';
import { namespace } from '../manager/namespace.ts';
import { admissionOf } from '../manager/phase.ts';
import { onStage } from '../manager/stage.ts';
import type { Measure } from '../scenario.ts';
import { cloneSet, podOfCloneSet } from './clone-set.ts';

const name = 'db';
const key = { namespace, name };
const zone = 'topology.kubernetes.io/zone';
const measuredMs = 30_000;

const builtIn: ResourceType<KubeObject> = { group: 'apps', version: 'v1', kind: 'StatefulSet', plural: 'statefulsets', namespaced: true };
const targetRef = { apiVersion: 'apps/v1', kind: builtIn.kind, name };

/** Its first Pod never runs, so that no other is created: only the webhook works. */
function workload(replicas: number): KubeObject {
  const { template } = cloneSet(replicas).spec;
  const labels = { app: name };
  const spec = {
    replicas,
    serviceName: name,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { ...template.spec, nodeSelector: { 'example.com/bench': 'nowhere' } } },
  };
  return { apiVersion: 'apps/v1', kind: builtIn.kind, metadata: key, spec } as KubeObject;
}

export const measure: Measure = async (run) => {
  const recorded = run.sizes.pods;
  const subjects = [0, 0.5, 1].map((part) =>
    podOfCloneSet({
      name: `${name}-${Math.floor((recorded - 1) * part)}`,
      labels: { app: name },
      ownerReferences: [{ ...targetRef, uid: 'any', controller: true }],
    }),
  );
  return onStage(run, { pods: 1, subjects }, async ({ client, instruments }) => {
    const { admission, echo } = instruments;
    await client.create(builtIn, workload(recorded));
    await client.create(persistentPodStates, { metadata: key, spec: { targetRef, requiredPersistentTopology: { keys: [zone] } } });
    run.progress(`recording ${recorded} Pods`);
    const podStates = Object.fromEntries(
      Array.from({ length: recorded }, (_, i) => [`${name}-${i}`, { nodeName: `n${i}`, nodeTopologyLabels: { [zone]: `zone-${i % 3}` } }]),
    );
    await client.patch(persistentPodStates, key, { status: { podStates } }, { type: 'merge', subresource: 'status' });
    await sleep(5_000);
    const kept = Object.keys((await client.get(persistentPodStates, key)).status?.podStates ?? {}).length;
    if (kept !== recorded) throw new Error(`${kept} of ${recorded} records are left`);
    admission.take();
    echo.take();
    await sleep(measuredMs);
    const ours = admissionOf(admission.take())['/mutate-pod'];
    const floor = Object.values(admissionOf(echo.take()))[0];
    const of = `steering one Pod of ${recorded.toLocaleString('en-US')} that are recorded:`;
    return { rows: latencyRows(of, { ours, floor }, { limit: 10 }), details: { recorded, injection: ours, echo: floor } };
  });
};
