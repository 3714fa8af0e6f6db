/** WorkloadSpread: the schema of both versions (spec/workloadspread.md 2). */
import {
  boolean,
  choice,
  int32,
  int64,
  intOrString,
  list,
  map,
  object,
  opaque,
  optional,
  string,
  time,
  type Infer,
  type Schema,
} from '../../schema/builder.ts';
import { column } from '../../schema/columns.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject } from '../../schema/kind.ts';
import { metaConditions } from '../../schema/meta-condition.ts';
import { conditions, labelSelector, nodeSelectorTerm, tolerations } from '../../schema/shared.ts';
import { reading, right, scaleRights } from '../../schema/rights.ts';

const strategyTypes = ['Adaptive', 'Fixed', ''] as const;

const targetRef = object('The workload whose Pods are spread, in the same namespace. Only the version may be changed later.', {
  apiVersion: string('Group and version of the workload, such as apps.kruise.io/v1beta1.'),
  kind: string('CloneSet, Deployment, ReplicaSet, StatefulSet, Job, or a kind on the allow list of the cluster.'),
  name: string('Name of the workload.'),
});

const targetFilter = object('Limits the spread to some of the Pods of the workload. Absent: all of them.', {
  replicasPathList: optional(
    list(
      'Paths in the workload to the number of these Pods; the values are added up. Absent: the replicas of the workload.',
      string('Dotted path to an integer; digits are places in a list, as in spec.subsets.1.replicas.'),
    ),
  ),
  selector: optional(labelSelector('Only Pods with these labels.')),
});

const scheduleStrategy = object('What happens to Pods that cannot be scheduled in their subset.', {
  adaptive: optional(
    object('Settings of the type Adaptive.', {
      disableSimulationSchedule: optional(boolean('Accepted, but without effect. Default false.')),
      rescheduleCriticalSeconds: optional(
        int32(
          'Seconds a Pod may stay unschedulable before it is deleted, so that its replacement gets another subset. Absent or 0: never.',
        ),
      ),
    }),
  ),
  type: optional(
    choice('Fixed leaves Pods where they are; Adaptive moves unschedulable ones on to another subset. Default Fixed.', strategyTypes, {
      enum: strategyTypes,
    }),
  ),
});

const preferred = list(
  'Node preferences of the Pods of the subset.',
  object('One rule and its weight.', {
    preference: nodeSelectorTerm('The preferred nodes.'),
    weight: int32('Weight of the preference, 1 to 100.'),
  }),
);

const subsetMembers = {
  maxReplicas: optional(
    intOrString(
      'Maximum number of Pods of the subset: a number, or a percentage of all Pods rounded up. Absent: no limit. All subsets use the same form.',
    ),
  ),
  name: string('Name of the subset, unique in the list.'),
  patch: optional(
    opaque<Readonly<Record<string, unknown>>>(
      'Strategic merge patch that new Pods of the subset get, such as `{"metadata":{"labels":{"a":"b"}}}`.',
    ),
  ),
  tolerations: optional(tolerations('Tolerations that the Pods of the subset get.')),
};
const required = nodeSelectorTerm('Node requirements of the Pods of the subset.');

const subsetList = <T>(subset: Schema<T>) =>
  list('The subsets in order of priority: a new Pod is assigned to the first one that is not full. At least one.', subset);

const subset = object('One subset of the workload.', {
  ...subsetMembers,
  preferredNodeSelector: optional(preferred),
  requiredNodeSelector: optional(required),
});
const subsetV1Alpha1 = object('One subset of the workload.', {
  ...subsetMembers,
  preferredNodeSelectorTerms: optional(preferred),
  requiredNodeSelectorTerm: optional(required),
});

const specMembers = { scheduleStrategy: optional(scheduleStrategy), targetFilter: optional(targetFilter), targetRef };
const spec = object('The workload to distribute, and its subsets.', { ...specMembers, subsets: subsetList(subset) });
const specV1Alpha1 = object('The workload to distribute, and its subsets.', { ...specMembers, subsets: subsetList(subsetV1Alpha1) });

const subsetStatusMembers = {
  creatingPods: optional(
    map(
      'Pods that admission assigned to the subset and the controller has not observed yet, by name or id, with the time of admission.',
      time('When it was admitted.'),
    ),
  ),
  deletingPods: optional(
    map('Pods whose deletion was admitted but that are still active, by name, with the time of admission.', time('When it was admitted.')),
  ),
  missingReplicas: int32('Number of further Pods that the subset takes: 0 when it is full, -1 when it has no limit.'),
  name: string('Name of the subset.'),
  replicas: int32('Number of active Pods in the subset.'),
};
const conditionsDescription = 'Schedulable: whether Pods of the subset can be scheduled.';

const statusOf = <T>(subsetStatus: Schema<T>) =>
  object('The most recently observed status.', {
    observedGeneration: optional(int64('Generation that this status was computed from.')),
    subsetStatuses: optional(list('State of the subsets over all versions of the workload, in the order of the spec.', subsetStatus)),
    versionedSubsetStatuses: optional(
      map(
        'State of the subsets for each version of the workload; the key is versionIgnored where versions are not distinguished.',
        list('State of the subsets for one version, in the order of the spec.', subsetStatus),
      ),
    ),
  });

const subsetStatus = object('State of one subset.', {
  ...subsetStatusMembers,
  conditions: optional(metaConditions(conditionsDescription)),
});
const subsetStatusV1Alpha1 = object('State of one subset.', {
  ...subsetStatusMembers,
  conditions: optional(conditions(conditionsDescription)),
});
const status = statusOf(subsetStatus);
const statusV1Alpha1 = statusOf(subsetStatusV1Alpha1);

const columns = [
  column('WorkloadName', 'string', '.spec.targetRef.name', 'Name of the workload that is spread.'),
  column('WorkloadKind', 'string', '.spec.targetRef.kind', 'Kind of the workload that is spread.'),
  column('Adaptive', 'boolean', '.spec.scheduleStrategy.type[?(@ == "Adaptive")]', 'Whether unschedulable Pods move on to another subset.'),
  column('Age', 'date', '.metadata.creationTimestamp', 'When the object was created.'),
];

export type WorkloadSpreadSpec = Infer<typeof spec>;
/** How many Pods each subset has and lacks, as last seen by the controller. */
export type WorkloadSpreadStatus = Infer<typeof status>;
export type WorkloadSpreadSubset = Infer<typeof subset>;
export type WorkloadSpreadSubsetStatus = Infer<typeof subsetStatus>;
export type WorkloadSpreadScheduleStrategy = Infer<typeof scheduleStrategy>;

/** v1beta1, the version that the project uses internally. */
export type WorkloadSpread = KruiseObject<WorkloadSpreadSpec, WorkloadSpreadStatus>;

/** WorkloadSpread in v1alpha1, which exists only in conversion and admission. */
export type WorkloadSpreadV1Alpha1 = KruiseObject<Infer<typeof specV1Alpha1>, Infer<typeof statusV1Alpha1>>;

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('WorkloadSpread'),
  shortNames: ['ws'],
  namespaced: true,
  description: 'Spreads the Pods of one workload over subsets such as zones or kinds of nodes, in a given order and number.',
  controllerName: 'workloadspread-controller',
  conversion: 'Webhook',
  countsAtAdmission: true,
  admission: { validates: ['CREATE', 'UPDATE'] },
  rights: {
    status: ['update'],
    others: [
      right('', ['pods'], ['delete', ...reading, 'patch']),
      right('', ['configmaps', 'nodes'], reading),
      right('apps', ['deployments', 'replicasets', 'statefulsets'], reading),
      right('batch', ['jobs'], reading),
      scaleRights,
    ],
  },
  versions: [
    { name: 'v1alpha1', storage: false, spec: specV1Alpha1, status: statusV1Alpha1, columns },
    { name: 'v1beta1', storage: true, spec, status, columns },
  ],
};

/** How a client addresses WorkloadSpreads. */
export const workloadSpreads = resourceTypeOf<WorkloadSpread>(declaration, 'v1beta1');
export const workloadSpreadsV1Alpha1 = resourceTypeOf<WorkloadSpreadV1Alpha1>(declaration, 'v1alpha1');
