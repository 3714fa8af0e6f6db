/** Pods steered to where they were, out of thousands that are recorded: what the Pod webhook takes for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { persistentPodStates } from '@kruise/api';
import type { KubeObject, ResourceType } from '@kruise/objects';
import type { ReviewSubject } from './admission-load.ts';
import { cloneSet, namespace } from './clone-set.ts';
import { admissionOf, type PhaseResult } from './phase.ts';
import { onStage, type StageOptions } from './stage.ts';

const name = 'db';
const zone = 'topology.kubernetes.io/zone';
const measuredMs = 30_000;

const builtIn: ResourceType<KubeObject> = { group: 'apps', version: 'v1', kind: 'StatefulSet', plural: 'statefulsets', namespaced: true };

/** Its first Pod never runs, so that no other is made: all that moves is the webhook. */
function workload(replicas: number): KubeObject {
  const { template } = cloneSet(replicas).spec;
  const labels = { app: name };
  const spec = {
    replicas,
    serviceName: name,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { ...template.spec, nodeSelector: { 'example.com/bench': 'nowhere' } } },
  };
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name, namespace }, spec } as KubeObject;
}

const aPod = (ordinal: number): ReviewSubject => ({
  path: '/mutate-pod',
  resource: { group: '', version: 'v1', resource: 'pods' },
  kind: { group: '', version: 'v1', kind: 'Pod' },
  object: {
    ...cloneSet(1).spec.template,
    metadata: {
      name: `${name}-${ordinal}`,
      namespace,
      labels: { app: name },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid: 'any', controller: true }],
    },
  } as ReviewSubject['object'],
});

export interface PodStatesResult {
  readonly recorded: number;
  readonly injection: PhaseResult['admission'][string] | undefined;
  readonly echo: PhaseResult['echo'];
}

export const measurePodStates = (options: StageOptions): Promise<PodStatesResult> => {
  const recorded = options.pods;
  const subjects = [0, 0.5, 1].map((part) => aPod(Math.floor((recorded - 1) * part)));
  return onStage({ ...options, pods: 1 }, subjects, async ({ client, admission, instruments }) => {
    await client.create(builtIn, workload(recorded));
    const created = await client.create(persistentPodStates, {
      metadata: { name, namespace },
      spec: { targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name }, requiredPersistentTopology: { keys: [zone] } },
    });
    options.progress(`recording ${recorded} Pods`);
    const podStates = Object.fromEntries(
      Array.from({ length: recorded }, (_, i) => [`${name}-${i}`, { nodeName: `n${i}`, nodeTopologyLabels: { [zone]: `zone-${i % 3}` } }]),
    );
    await client.patch(persistentPodStates, { namespace, name }, { status: { podStates } }, { type: 'merge', subresource: 'status' });
    await sleep(5_000);
    const held = await client.get(persistentPodStates, { namespace, name });
    const kept = Object.keys(held.status?.podStates ?? {}).length;
    if (kept !== recorded) throw new Error(`${kept} of ${recorded} records of ${created.metadata.name} are left`);
    admission.take();
    instruments.echo.take();
    await sleep(measuredMs);
    return { recorded, injection: admissionOf(admission.take())['/mutate-pod'], echo: admissionOf(instruments.echo.take()) };
  });
};
