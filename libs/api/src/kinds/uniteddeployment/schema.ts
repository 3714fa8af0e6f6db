/** UnitedDeployment: schema of v1alpha1 and v1beta1 (spec/uniteddeployment.md 2). */
import {
  boolean,
  choice,
  int32,
  intOrString,
  list,
  map,
  object,
  opaque,
  optional,
  string,
  type Infer,
  type Schema,
} from '../../schema/builder.ts';
import { ageColumnOf, column, currentColumn, desiredColumn, readyColumn, replicasScale } from '../../schema/columns.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject, type VersionDeclaration } from '../../schema/kind.ts';
import { conditions, labelSelector, looseConditions, nodeSelectorTerm, templateMetadata, tolerations } from '../../schema/shared.ts';
import { cloneSetSpec, cloneSetSpecOfBothVersions, type CloneSetSpec } from '../../schema/cloneset-spec.ts';
import { statefulSetSpec } from '../../schema/statefulset-spec.ts';
import { managing, reading, right } from '../../schema/rights.ts';
import { collisionCount, observedGeneration } from '../../schema/workload-status.ts';

const overwritten = 'replicas, selector and partition in it are overwritten.';

const childTemplate = <T>(description: string, spec: Schema<T>) =>
  object(description, { metadata: optional(templateMetadata('Labels and annotations of the child.')), spec });

/** A workload spec that the API server validates itself; not checked here. */
const builtInSpec = (kind: string) => opaque<Readonly<Record<string, unknown>>>(`Spec of a ${kind} of group apps; ${overwritten}`);

/** The CloneSet spec in either schema has the type of the hub once it is normalized. */
const template = (embedded: Schema<CloneSetSpec>) =>
  object('The template of the workload that is created for each subset. Exactly one member must be set.', {
    advancedStatefulSetTemplate: optional(childTemplate(`A StatefulSet of group apps.kruise.io; ${overwritten}`, statefulSetSpec)),
    cloneSetTemplate: optional(childTemplate(`A CloneSet; ${overwritten}`, embedded)),
    deploymentTemplate: optional(childTemplate('A Deployment of group apps.', builtInSpec('Deployment'))),
    statefulSetTemplate: optional(childTemplate('A StatefulSet of group apps.', builtInSpec('StatefulSet'))),
  });

const subset = object('One group of Pods and its nodes.', {
  maxReplicas: optional(
    intOrString(
      'Maximum number of Pods of the subset: a number, or a percentage of replicas. Absent: no limit; at least one subset must have none.',
    ),
  ),
  minReplicas: optional(
    intOrString('Number of Pods that the subset gets before later subsets get any: a number, or a percentage of replicas. Default 0.'),
  ),
  name: string('Name of the subset, a DNS label, unique in the list; part of the name of its workload.'),
  nodeSelectorTerm: optional(
    nodeSelectorTerm('Nodes that Pods of the subset may run on, besides what the template requires. Cannot be changed.'),
  ),
  patch: optional(opaque<Readonly<Record<string, unknown>>>('Strategic merge patch for the Pod template of the subset.')),
  replicas: optional(
    intOrString(
      'Number of Pods of the subset: a number, or a percentage of replicas (half rounds up). Absent: what the other subsets leave. Not with minReplicas or maxReplicas.',
    ),
  ),
  tolerations: optional(tolerations('Tolerations that Pods of the subset have besides those of the template. Cannot be changed.')),
});
export type UnitedDeploymentSubset = Infer<typeof subset>;

const topology = object('The subsets and how replicas are distributed over them.', {
  scheduleStrategy: optional(
    object('What happens to Pods that cannot be scheduled.', {
      adaptive: optional(
        object('Settings of type Adaptive.', {
          rescheduleCriticalSeconds: optional(
            int32('Seconds a Pod may remain unscheduled before its subset counts as unschedulable. Default 30.'),
          ),
          reserveUnschedulablePods: optional(
            boolean(
              'true: unscheduled Pods stay in their subset and other subsets run substitutes until they are running. Default false: they move. CloneSet and Deployment only.',
            ),
          ),
          unschedulableDuration: optional(
            int32(
              'Seconds that a subset stays unschedulable; with reservation, seconds a reserved Pod must be ready to count again. Default 300.',
            ),
          ),
        }),
      ),
      type: optional(
        choice(
          'Fixed distributes only by the subsets; Adaptive moves replicas of unschedulable subsets to others. Default Fixed.',
          ['Adaptive', 'Fixed', ''],
          {
            enum: ['Adaptive', 'Fixed', ''],
          },
        ),
      ),
    }),
  ),
  subsets: optional(list('The subsets; earlier ones are filled first.', subset)),
});

const specMembers = {
  replicas: optional(int32('Desired number of Pods in all subsets together. Default 1.')),
  revisionHistoryLimit: optional(int32('Number of old revisions to keep for rollback. Default 10.')),
  selector: labelSelector('Selects the workloads and Pods of the UnitedDeployment. Must match the labels of the template.'),
  topology: optional(topology),
  updateStrategy: optional(
    object('How subsets are updated to the current template.', {
      manualUpdate: optional(
        object('Settings of type Manual.', {
          partitions: optional(
            map('Per subset, the number of its Pods that stay at the old revision. Default 0.', int32('Number of Pods.')),
          ),
        }),
      ),
      type: optional(
        choice('Manual: each subset updates as far as its partition allows. Default Manual.', ['Manual', ''], { enum: ['Manual', ''] }),
      ),
    }),
  ),
};

const specDescription = 'The desired state: the workload, the number of Pods, and how they are distributed.';
const unitedDeploymentSpec = object(specDescription, { ...specMembers, template: optional(template(cloneSetSpec)) });
/** The template of the workloads, and the subsets that they are created for. @see spec/uniteddeployment.md 2 */
export type UnitedDeploymentSpec = Infer<typeof unitedDeploymentSpec>;

const unitedDeploymentSpecV1Alpha1 = object(specDescription, {
  ...specMembers,
  template: optional(template(cloneSetSpecOfBothVersions as Schema<CloneSetSpec>)),
});

const commonStatusMembers = {
  collisionCount,
  conditions: optional(looseConditions('Conditions: UnitedDeploymentUpdated, SubsetProvisioned, SubsetUpdated and SubsetFailure.')),
  currentRevision: string('Name of the last revision that was fully rolled out.'),
  labelSelector: optional(string('Selector of the Pods in string form, for autoscalers.')),
  observedGeneration,
  readyReplicas: optional(int32('Number of Pods that are ready.')),
  replicas: int32('Number of Pods that exist, excluding reserved ones.'),
  reservedPods: optional(int32('Number of unscheduled Pods for which other subsets run substitutes.')),
  subsetStatuses: optional(
    list(
      'The subsets, one entry each.',
      object('One subset.', {
        conditions: optional(conditions('Conditions of the subset: Schedulable.')),
        name: optional(string('Name of the subset.')),
        partition: optional(int32('Number of its Pods that stay at the old revision.')),
        readyReplicas: optional(int32('Number of its Pods that are ready.')),
        replicas: optional(int32('Desired number of its Pods.')),
        reservedPods: optional(int32('Number of its unscheduled Pods for which other subsets run substitutes.')),
      }),
    ),
  ),
  updatedReadyReplicas: optional(int32('Number of ready Pods at the updated revision.')),
  updatedReplicas: int32('Number of Pods at the updated revision.'),
};

const statusDescription = 'The most recently observed status.';
const unitedDeploymentStatus = object(statusDescription, {
  ...commonStatusMembers,
  updatedRevision: optional(string('Name of the revision of the current template.')),
});
/** The most recently observed status. */
export type UnitedDeploymentStatus = Infer<typeof unitedDeploymentStatus>;

const unitedDeploymentStatusV1Alpha1 = object(statusDescription, {
  ...commonStatusMembers,
  subsetReplicas: optional(map('Per subset, the desired number of its Pods.', int32('Number of Pods.'))),
  updateStatus: optional(
    object('Progress of the update.', {
      currentPartitions: optional(map('Per subset, the number of its Pods that stay at the old revision.', int32('Number of Pods.'))),
      updatedRevision: optional(string('Name of the revision of the current template.')),
    }),
  ),
});
/** The children as last seen by the controller, in v1alpha1. */
export type UnitedDeploymentStatusV1Alpha1 = Infer<typeof unitedDeploymentStatusV1Alpha1>;

/** UnitedDeployment in the hub version, v1beta1. */
export type UnitedDeployment = KruiseObject<UnitedDeploymentSpec, UnitedDeploymentStatus>;

/** UnitedDeployment in v1alpha1, which exists only in conversion and admission. */
export type UnitedDeploymentV1Alpha1 = KruiseObject<UnitedDeploymentSpec, UnitedDeploymentStatusV1Alpha1>;

const columns = [
  desiredColumn,
  currentColumn,
  column('UPDATED', 'integer', '.status.updatedReplicas', 'Number of Pods at the updated revision.'),
  readyColumn,
  ageColumnOf('UnitedDeployment'),
];

const common: Pick<VersionDeclaration, 'columns' | 'scale'> = { columns, scale: replicasScale };

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('UnitedDeployment'),
  shortNames: ['ud'],
  namespaced: true,
  description: 'UnitedDeployment runs one workload per group of nodes from a single template, and distributes its replicas over them.',
  controllerName: 'uniteddeployment-controller',
  conversion: 'Webhook',
  admission: { mutates: ['CREATE', 'UPDATE'], validates: ['CREATE', 'UPDATE'], guardsDeletion: true },
  rights: {
    status: ['patch', 'update'],
    owns: true,
    others: [
      right('apps', ['deployments', 'statefulsets', 'controllerrevisions'], managing),
      right('apps.kruise.io', ['clonesets', 'statefulsets'], managing),
      right('apps', ['replicasets'], reading),
      right('', ['pods'], ['delete', ...reading, 'patch']),
    ],
  },
  atUninstall: { kind: 'Warn', called: 'uniteddeployments' },
  versions: [
    { name: 'v1alpha1', storage: false, spec: unitedDeploymentSpecV1Alpha1, status: unitedDeploymentStatusV1Alpha1, ...common },
    { name: 'v1beta1', storage: true, spec: unitedDeploymentSpec, status: unitedDeploymentStatus, ...common },
  ],
};

/** How a client addresses UnitedDeployments in the hub version, and below it in v1alpha1. */
export const unitedDeployments = resourceTypeOf<UnitedDeployment>(declaration, 'v1beta1');
export const unitedDeploymentsV1Alpha1 = resourceTypeOf<UnitedDeploymentV1Alpha1>(declaration, 'v1alpha1');
