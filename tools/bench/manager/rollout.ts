/** A CloneSet's life on simulated nodes: create, update in place, update by recreation, scale to 0. */
import { cloneSets, type CloneSet } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { pods } from '@kruise/objects';
import type { AdmissionLoad, ReviewSubject } from './admission-load.ts';
import { cloneSet, inPlaceUpdate, name, namespace, recreateUpdate, scaleToZero } from './clone-set.ts';
import { admissionOf, type Phase, type PhaseResult } from './phase.ts';
import { onStage, runPhases, type StageOptions } from './stage.ts';

export interface RolloutResult {
  readonly phases: readonly PhaseResult[];
  /** Paths that are served, of those asked for. */
  readonly admissionPaths: readonly string[];
  readonly admissionFailures: readonly string[];
  readonly atRest: PhaseResult['admission'];
}

const key = { namespace, name };

const inGroup = (path: string, replicas: number): ReviewSubject => ({
  path,
  resource: { group: cloneSets.group, version: cloneSets.version, resource: cloneSets.plural },
  kind: { group: cloneSets.group, version: cloneSets.version, kind: cloneSets.kind },
  object: cloneSet(replicas),
});

const podSubject: ReviewSubject = {
  path: '/mutate-pod',
  resource: { group: '', version: 'v1', resource: 'pods' },
  kind: { group: '', version: 'v1', kind: 'Pod' },
  object: { ...cloneSet(1).spec.template, metadata: { name: 'web-x', namespace } },
};

const subjects = [inGroup('/mutate-apps-kruise-io-cloneset', 3), inGroup('/validate-apps-kruise-io-cloneset', 3), podSubject];

type Status = NonNullable<CloneSet['status']>;

/** Whether the status is about the spec as it is, and fulfils `test`. */
async function statusIs(client: Client, test: (status: Status) => boolean): Promise<boolean> {
  const held = await client.get(cloneSets, key);
  return held.status?.observedGeneration === held.metadata.generation && test(held.status as Status);
}

/** In their order; each begins where the one before ended. */
export function phasesOf(client: Client, replicas: number): readonly Phase[] {
  const patch = (operations: readonly object[]): Promise<unknown> => client.patch(cloneSets, key, operations, { type: 'json' });
  const isRolledOut = (): Promise<boolean> =>
    statusIs(
      client,
      (status) =>
        status.replicas === replicas && status.updatedReadyReplicas === replicas && status.currentRevision === status.updateRevision,
    );
  const timeoutMs = 60_000 + replicas * 120;
  return [
    { name: `create ${replicas} Pods`, begin: () => client.create(cloneSets, cloneSet(replicas)), isOver: isRolledOut, timeoutMs },
    { name: 'in-place update, 20 % at a time', begin: () => patch(inPlaceUpdate), isOver: isRolledOut, timeoutMs },
    { name: 'recreate update, 20 % at a time', begin: () => patch(recreateUpdate), isOver: isRolledOut, timeoutMs },
    {
      name: 'scale to 0',
      begin: () => patch(scaleToZero),
      isOver: async () =>
        (await statusIs(client, (status) => status.replicas === 0)) &&
        (await client.list(pods, { namespace, limit: 1 })).items.length === 0,
      timeoutMs,
    },
  ];
}

/** The same calls while the manager has nothing else to do. */
async function admissionAtRest(load: AdmissionLoad): Promise<PhaseResult['admission']> {
  load.take();
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  return admissionOf(load.take());
}

export const measureRollout = (options: StageOptions): Promise<RolloutResult> =>
  onStage(options, subjects, async ({ client, instruments, admission }) => {
    const atRest = await admissionAtRest(admission);
    const phases = await runPhases(phasesOf(client, options.pods), instruments, options.progress);
    return { phases, atRest, admissionPaths: admission.paths, admissionFailures: admission.failures };
  });
