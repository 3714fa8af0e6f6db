/** A sidecar in many Pods: injected while a CloneSet creates them, then its image replaced in place. */
import { cloneSets, sidecarSets, type SidecarSet } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { cloneSet, image, name } from './clone-set.ts';
import type { Phase, PhaseResult } from './phase.ts';
import { onStage, runPhases, type StageOptions } from './stage.ts';

const key = { namespace: '', name: 'bench-sidecar' };

const sidecarSet: SidecarSet = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: key.name },
  spec: {
    selector: { matchLabels: { app: name } },
    containers: [{ name: 'log', image: image(1), env: [{ name: 'LEVEL', value: 'info' }] }],
    updateStrategy: { maxUnavailable: '20%' },
  },
};

const newImage = [{ op: 'replace', path: '/spec/containers/0/image', value: image(2) }];

/** Every Pod has the sidecar of now, and is ready. */
async function isEverywhere(client: Client, count: number): Promise<boolean> {
  const { metadata, status } = await client.get(sidecarSets, key);
  return status?.observedGeneration === metadata.generation && status?.updatedReadyPods === count && status.matchedPods === count;
}

const phasesOf = (client: Client, count: number): readonly Phase[] => {
  const shared = { isOver: () => isEverywhere(client, count), timeoutMs: 60_000 + count * 300 };
  return [
    { name: `create ${count} Pods with a sidecar`, begin: () => client.create(cloneSets, cloneSet(count)), ...shared },
    { name: 'update the sidecar, 20 % at a time', begin: () => client.patch(sidecarSets, key, newImage, { type: 'json' }), ...shared },
  ];
};

export const measureSidecars = (options: StageOptions): Promise<readonly PhaseResult[]> =>
  onStage(options, [], async ({ client, instruments }) => {
    await client.create(sidecarSets, sidecarSet);
    return runPhases(phasesOf(client, options.pods), instruments, options.progress);
  });
