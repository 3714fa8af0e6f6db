/** EphemeralJob: the schema of its one version (spec/ephemeraljob.md 2). */
import type { Container } from '@kruise/objects';
import { boolean, int32, int64, object, opaque, optional, string, time, type Infer } from '../../schema/builder.ts';
import { ageColumn, column } from '../../schema/columns.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject } from '../../schema/kind.ts';
import { labelSelector, probedConditions } from '../../schema/shared.ts';
import { reading, right } from '../../schema/rights.ts';
import { ephemeralJobFinalizer } from './names.ts';

/** A core ephemeral container: a container that may share the process namespace of another one of the Pod. */
export type EphemeralContainer = Container & { readonly targetContainerName?: string };

const spec = object('The ephemeral containers to add, and the Pods that get them.', {
  activeDeadlineSeconds: optional(
    int64(
      'Seconds after its start at which the job fails; no further Pods get the containers, and running containers continue. Absent: no limit.',
    ),
  ),
  parallelism: optional(int32('Number of Pods in which the containers run at the same time. Default 1.')),
  paused: optional(boolean('true: no further Pods get the containers. Default false.')),
  replicas: optional(int32('Number of matching Pods that get the containers. Absent: all.')),
  selector: labelSelector('The Pods of the namespace of the job, by labels.'),
  template: object('The containers to add to the Pods.', {
    ephemeralContainers: opaque<readonly EphemeralContainer[]>(
      'Ephemeral containers as in a Pod, at least one. There are no defaults: imagePullPolicy and terminationMessagePolicy must be set.',
    ),
  }),
  ttlSecondsAfterFinished: optional(int32('Seconds between the end of the job and its deletion; 0 deletes it immediately. Default 1800.')),
});

const status = object('Progress of the job, as numbers of Pods.', {
  completionTime: optional(time('When the job ended.')),
  conditions: optional(probedConditions('Initialized, and how the job ended: JobSucceeded, JobFailed, JobError or MatchedEmpty.')),
  failed: optional(int32('Pods in which a container has failed.')),
  match: optional(int32('Pods that match, at most replicas.')),
  phase: optional(string('Waiting, Running, Succeeded, Failed, Paused, Error or Unknown.')),
  running: optional(int32('Pods in which the containers run.')),
  startTime: optional(time('When the job started.')),
  succeeded: optional(int32('Pods in which all containers have succeeded.')),
  waiting: optional(int32('Pods in which the containers have not started yet.')),
});

const columns = [
  column('STATUS', 'string', '.status.phase', 'Progress of the job.'),
  column('MATCH', 'integer', '.status.match', 'Number of Pods that match.'),
  column('SUCCEED', 'integer', '.status.succeeded', 'Number of Pods in which all containers have succeeded.'),
  column('FAILED', 'integer', '.status.failed', 'Number of Pods in which a container has failed.'),
  column('RUNNING', 'integer', '.status.running', 'Number of Pods in which the containers run.'),
  column('WAITING', 'integer', '.status.waiting', 'Number of Pods in which the containers have not started.'),
  ageColumn,
];

export type EphemeralJobSpec = Infer<typeof spec>;
export type EphemeralJobStatus = Infer<typeof status>;

/** v1alpha1, its only version. */
export type EphemeralJob = KruiseObject<EphemeralJobSpec, EphemeralJobStatus>;

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('EphemeralJob'),
  shortNames: ['ejob'],
  namespaced: true,
  description: 'Adds ephemeral containers to a set of running Pods, for debugging, and reports their results.',
  controllerName: 'ephemeraljob-controller',
  finalizer: ephemeralJobFinalizer,
  conversion: 'None',
  admission: { validates: ['CREATE', 'UPDATE'], webhookName: 'ephemeraljobs', pathVersion: 'v1alpha1' },
  rights: {
    own: ['delete', 'patch'],
    status: ['update'],
    others: [right('', ['pods', 'nodes'], reading), right('', ['pods/ephemeralcontainers'], ['patch'])],
  },
  atUninstall: { kind: 'CleanUp' },
  versions: [{ name: 'v1alpha1', storage: true, spec, status, columns }],
};

/** How a client addresses EphemeralJobs. */
export const ephemeralJobs = resourceTypeOf<EphemeralJob>(declaration, 'v1alpha1');
