/** PersistentPodState: the schema of both versions (spec/persistentpodstate.md 2). */
import { choice, int32, int64, list, map, object, optional, string, stringMap, type Infer, type Schema } from '../../schema/builder.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject } from '../../schema/kind.ts';
import { reading, right } from '../../schema/rights.ts';

const retentionPolicies = ['WhenScaled', 'WhenDeleted'] as const;
const retentionDescription =
  'WhenScaled deletes the record of a Pod when the workload is scaled below its ordinal; WhenDeleted only when the workload is deleted. Default WhenScaled.';

const nodeLabelKeys = list('Keys of node labels.', string('Key of a node label.'));
const requiredDescription = 'Node labels whose values the new node must also have: the Pod is scheduled only to such nodes.';
const preferenceDescription = 'Node labels whose values the new node should also have.';

const preferredTopology = <T>(preference: Schema<T>, weight: Schema<number>) =>
  list('Node properties that the node of a new Pod should also have.', object('One preference and its weight.', { preference, weight }));

const weightDescription = 'Weight of the preference, 1 to 100.';

const specMembers = {
  persistentPodAnnotations: optional(
    list(
      'Annotations of the Pods that are recorded in the status; they are not written back to Pods.',
      object('One annotation.', { key: string('Key of the annotation.') }),
    ),
  ),
  targetRef: object('The workload whose Pods are recorded, in the same namespace. Cannot be changed later.', {
    apiVersion: string('Group and version of the workload; only the group counts.'),
    kind: string('StatefulSet, or a kind on the allow list of the cluster.'),
    name: string('Name of the workload.'),
  }),
};

const spec = object('The workload, and the properties of its Pods to record.', {
  ...specMembers,
  persistentPodStateRetentionPolicy: optional(choice(retentionDescription, retentionPolicies, { enum: retentionPolicies })),
  preferredPersistentTopology: optional(
    preferredTopology(object(preferenceDescription, { keys: nodeLabelKeys }), int32(weightDescription, { minimum: 0 })),
  ),
  requiredPersistentTopology: optional(object(requiredDescription, { keys: nodeLabelKeys })),
});

const specV1Alpha1 = object('The workload, and the properties of its Pods to record.', {
  ...specMembers,
  persistentPodStateRetentionPolicy: optional(choice(retentionDescription, retentionPolicies)),
  preferredPersistentTopology: optional(
    preferredTopology(object(preferenceDescription, { nodeTopologyKeys: nodeLabelKeys }), int32(weightDescription)),
  ),
  requiredPersistentTopology: optional(object(requiredDescription, { nodeTopologyKeys: nodeLabelKeys })),
});

const podState = object('The record of one Pod, from when it was last ready.', {
  annotations: optional(stringMap('Its annotations with the recorded keys.')),
  nodeName: optional(string('The node it was on.')),
  nodeTopologyLabels: optional(stringMap('Labels of that node with the required and preferred keys.')),
});

const status = object('What is remembered.', {
  observedGeneration: int64('Generation that this status was computed from.'),
  podStates: optional(map('The records, by name of the Pod.', podState)),
});

export type PersistentPodStateSpec = Infer<typeof spec>;
export type PersistentPodStateStatus = Infer<typeof status>;
export type PodState = Infer<typeof podState>;

/** v1beta1, the version that the project uses internally. */
export type PersistentPodState = KruiseObject<PersistentPodStateSpec, PersistentPodStateStatus>;

/** PersistentPodState in v1alpha1, which exists only in conversion and admission. */
export type PersistentPodStateV1Alpha1 = KruiseObject<Infer<typeof specV1Alpha1>, PersistentPodStateStatus>;

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('PersistentPodState'),
  shortNames: [],
  namespaced: true,
  description: 'Records on which node each Pod of a workload ran, and places a new Pod of the same name in the same topology.',
  controllerName: 'persistentpodstate-controller',
  conversion: 'Webhook',
  admission: { validates: ['CREATE', 'UPDATE'] },
  rights: {
    own: ['create', 'delete', 'patch'],
    status: ['patch'],
    others: [right('', ['configmaps', 'nodes', 'pods'], reading), right('apps', ['statefulsets'], reading)],
  },
  versions: [
    { name: 'v1alpha1', storage: false, spec: specV1Alpha1, status, columns: [] },
    { name: 'v1beta1', storage: true, spec, status, columns: [] },
  ],
};

/** How a client addresses PersistentPodStates. */
export const persistentPodStates = resourceTypeOf<PersistentPodState>(declaration, 'v1beta1');
export const persistentPodStatesV1Alpha1 = resourceTypeOf<PersistentPodStateV1Alpha1>(declaration, 'v1alpha1');
