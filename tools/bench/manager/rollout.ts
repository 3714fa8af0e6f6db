/** The phases of a CloneSet on simulated nodes: create, update in place, update by recreation, scale to 0. */
import { cloneSets } from '@kruise/api';
import type { Client } from '@kruise/kube';
import type { AdmissionLoad, ReviewSubject } from './admission-load.ts';
import { cloneSet, namespace } from './clone-set.ts';
import { admissionOf, type Phase, type PhaseResult } from './phase.ts';
import { onStage, runPhases, type StageOptions } from './stage.ts';
import { phasesOf } from './workload-life.ts';

export interface RolloutResult {
  readonly phases: readonly PhaseResult[];
  /** Paths that are served, of those asked for. */
  readonly admissionPaths: readonly string[];
  readonly admissionFailures: readonly string[];
  readonly atRest: PhaseResult['admission'];
}

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

export const lifeOfCloneSet = (client: Client, replicas: number): readonly Phase[] =>
  phasesOf(client, { type: cloneSets, object: cloneSet(replicas), replicas });

/** The same calls while the manager has nothing else to do. */
async function admissionAtRest(load: AdmissionLoad): Promise<PhaseResult['admission']> {
  load.take();
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  return admissionOf(load.take());
}

export const measureRollout = (options: StageOptions): Promise<RolloutResult> =>
  onStage(options, subjects, async ({ client, instruments, admission }) => {
    const atRest = await admissionAtRest(admission);
    const phases = await runPhases(lifeOfCloneSet(client, options.pods), instruments, options.progress);
    return { phases, atRest, admissionPaths: admission.paths, admissionFailures: admission.failures };
  });
