/** Sub-schemas that several kinds use, identical in each: selectors, in-place update, lifecycle, update order, conditions, targets. */
import type { ObjectMeta, PersistentVolumeClaimTemplate, PodTemplateSpec } from '@kruise/objects';
import {
  boolean,
  choice,
  int32,
  int64,
  intOrString,
  list,
  object,
  opaque,
  optional,
  string,
  stringMap,
  time,
  type Infer,
  type Keywords,
  type Schema,
} from './builder.ts';

const atomicList: Keywords = { 'x-kubernetes-list-type': 'atomic' };
const atomicMap: Keywords = { 'x-kubernetes-map-type': 'atomic' };

const requirement = (about: string, operators: string) =>
  object(`One condition on ${about}.`, {
    key: string('The label key that the requirement applies to.'),
    operator: string(`How key and values are compared: ${operators}.`),
    values: optional(list('The values to compare with; empty for Exists and DoesNotExist.', string('One value.'), atomicList)),
  });

const labelSelectorMembers = {
  matchExpressions: optional(
    list('Requirements on labels; all must be met.', requirement('a label', 'In, NotIn, Exists or DoesNotExist'), atomicList),
  ),
  matchLabels: optional(stringMap('Labels and the value each must have; all must match.')),
};

/** Declares a `metav1.LabelSelector`: conditions of both members must hold; the empty selector matches everything. */
export const labelSelector = (description: string) => object(description, labelSelectorMembers, atomicMap);

/** Declares a label selector that may also name objects (NodeImage and Pod selectors of the pull jobs). */
export const labelSelectorWithNames = (description: string, namesDescription: string) =>
  object(description, { ...labelSelectorMembers, names: optional(list(namesDescription, string('A name.'))) }, atomicMap);

const nodeRequirements = (about: string) =>
  list(`Conditions on ${about}; all must hold.`, requirement(about, 'In, NotIn, Exists, DoesNotExist, Gt or Lt'), atomicList);

/** A `corev1.NodeSelectorTerm`. */
export const nodeSelectorTerm = (description: string) =>
  object(
    description,
    { matchExpressions: optional(nodeRequirements('node labels')), matchFields: optional(nodeRequirements('node fields (metadata.name)')) },
    atomicMap,
  );

/** A list of `corev1.Toleration`. */
export const tolerations = (description: string) =>
  list(
    description,
    object('Lets Pods run on nodes with a matching taint.', {
      effect: optional(string('Taint effect to match: NoSchedule, PreferNoSchedule or NoExecute. Empty matches every effect.')),
      key: optional(string('Taint key to match. Empty matches every key; the operator must then be Exists.')),
      operator: optional(string('Exists or Equal. Default Equal.')),
      tolerationSeconds: optional(
        int64('Seconds for which a NoExecute taint is tolerated. Absent: forever; 0 or less evicts immediately.'),
      ),
      value: optional(string('Taint value to match with operator Equal; empty with Exists.')),
    }),
  );

/** Declares the Pod template: stored unchanged, without pruning. */
export const podTemplate = (description: string): Schema<PodTemplateSpec> => opaque<PodTemplateSpec>(description);

/** Declares templates of PersistentVolumeClaims: stored unchanged. */
export const volumeClaimTemplates = (description: string): Schema<readonly PersistentVolumeClaimTemplate[]> =>
  opaque<readonly PersistentVolumeClaimTemplate[]>(description);

/** Declares the metadata of a template, of which labels and annotations matter; stored without pruning. */
export const templateMetadata = (description: string): Schema<Partial<ObjectMeta>> => opaque<Partial<ObjectMeta>>(description);

/** Declares {@link templateMetadata} that must be an object. */
export const objectTemplateMetadata = (description: string): Schema<Partial<ObjectMeta>> => {
  const { json, optional: mayBeAbsent } = templateMetadata(description);
  return { json: { type: 'object', ...json }, optional: mayBeAbsent };
};

const lifecycleHook = (description: string, hold: string) =>
  object(description, {
    finalizersHandler: optional(list(`Finalizers that ${hold}`, string('A finalizer.'))),
    labelsHandler: optional(stringMap(`Labels with their values that ${hold}`)),
    markPodNotReady: optional(
      boolean(
        'true: the Pod is not ready (readiness gate KruisePodReady) while it is held, so that traffic drains. No effect in preNormal. Default false.',
      ),
    ),
  });
/** What keeps a Pod from being deleted or updated until all its labels or finalizers are removed. @see spec/inplace-update.md */
export type LifecycleHook = Infer<ReturnType<typeof lifecycleHook>>;

/** Hooks with which other programs hold a Pod before deletion, in-place update or normal service (spec/inplace-update.md 8). */
export const lifecycle = object(
  'Hooks by which others hold a Pod, with labels or finalizers on it, before it is deleted, updated in place or considered available.',
  {
    inPlaceUpdate: optional(
      lifecycleHook('Holds a Pod in PreparingUpdate before its in-place update.', 'hold the Pod as long as it has any of them.'),
    ),
    preDelete: optional(
      lifecycleHook('Holds a Pod in PreparingDelete before it is deleted.', 'hold the Pod as long as it has any of them.'),
    ),
    preNormal: optional(
      lifecycleHook(
        'Holds a new Pod in PreparingNormal, in which it does not count as available.',
        'the Pod must all have before it becomes Normal.',
      ),
    ),
  },
);
export type Lifecycle = Infer<typeof lifecycle>;

/** How in-place updates are made (spec/inplace-update.md 2.5). */
export const inPlaceUpdateStrategy = object('Settings for updating Pods in place.', {
  gracePeriodSeconds: optional(
    int32('Seconds for which a Pod is not ready before its containers change, so that traffic can drain. Default 0: immediately.'),
  ),
  imagePreDownloadMinUpdatedReadyPods: optional(
    int32('Number of updated, ready Pods to wait for before the new images are pre-pulled on the nodes of the other Pods. Default 0.'),
  ),
  imagePreDownloadParallelism: optional(
    intOrString('Number of nodes on which the new images are pre-pulled at the same time; an integer. Default 1.'),
  ),
  imagePreDownloadTimeoutSeconds: optional(int32('Seconds that pre-pulling one image may take on a node. Default 300.')),
});

/** Which Pods are updated first (spec/inplace-update.md 10). */
export const priorityStrategy = object('The order in which Pods are updated: by ordered label values or by weights; not both.', {
  orderPriority: optional(
    list(
      'Label keys. Pods without any of them come first, then those with the first key, and so on; among equals, the greater number at the end of the label value comes first.',
      object('One label key to order by.', { orderedKey: string('Label key whose value ends in the number to order by.') }),
    ),
  ),
  weightPriority: optional(
    list(
      'Selectors with weights. Pods with the greater sum of matching weights come first.',
      object('One selector and its weight.', {
        matchSelector: labelSelector('The Pods, by labels, that get the weight.'),
        weight: int32('Weight from 0 to 100.'),
      }),
    ),
  ),
});
export type PriorityStrategy = Infer<typeof priorityStrategy>;

/** Labels whose Pods should be spread over the rollout (spec/inplace-update.md 10). */
export const scatterStrategy = list(
  'Labels whose Pods are spread evenly over the update instead of being updated one after another.',
  object('One label to spread.', { key: string('Key of the label.'), value: string('Value of the label.') }),
);
export type ScatterStrategy = Infer<typeof scatterStrategy>;

/** Members of a condition, for kinds that add their own. */
const conditionMembers = {
  lastTransitionTime: optional(time('When the condition last changed from one status to another.')),
  message: optional(string('Human-readable details.')),
  reason: optional(string('Machine-readable reason, in CamelCase.')),
  status: choice('True, False or Unknown.', ['True', 'False', 'Unknown']),
  type: string('Type of the condition, in CamelCase.'),
};

/** Conditions with `lastTransitionTime`, `message`, `reason`, `status`, `type`. */
export const conditions = (description: string) => list(description, object('One condition.', conditionMembers));

/** Declares conditions of which the API server requires no member. Every writer sets status and type, as their TypeScript type requires. */
export const looseConditions = (description: string): ReturnType<typeof conditions> =>
  list(
    description,
    object('One condition.', { ...conditionMembers, status: optional(conditionMembers.status), type: optional(conditionMembers.type) }),
  ) as unknown as ReturnType<typeof conditions>;

/** Conditions that also have `lastUpdateTime`. */
export const updatedConditions = (description: string) =>
  list(
    description,
    object('One condition.', { ...conditionMembers, lastUpdateTime: optional(time('When the condition was last updated.')) }),
  );

/** Conditions that also have `lastProbeTime`. */
export const probedConditions = (description: string) =>
  list(
    description,
    object('One condition.', { ...conditionMembers, lastProbeTime: optional(time('When the condition was last probed.')) }),
  );

/** Completion of a job that runs once on each of a set of nodes or images. */
export const completionPolicy = (description: string) =>
  object(description, {
    activeDeadlineSeconds: optional(int64('Seconds the job may run before it fails. Absent: no limit. Only with type Always.')),
    ttlSecondsAfterFinished: optional(
      int32('Seconds between the end of the job and its deletion. Absent: never; 0: immediately. Only with type Always.'),
    ),
    type: optional(
      choice('Always ends the job when every Pod has finished; Never keeps it running for nodes that join later. Default Always.', [
        'Always',
        'Never',
      ]),
    ),
  });

/** A reference to any object, as in events (`corev1.ObjectReference`). */
export const objectReference = (description: string) =>
  object(
    description,
    {
      apiVersion: optional(string('Group and version of the object.')),
      fieldPath: optional(string('The part of the object that is referred to; empty means the whole object.')),
      kind: optional(string('Kind of the object.')),
      name: optional(string('Name of the object.')),
      namespace: optional(string('Namespace of the object.')),
      resourceVersion: optional(string('Version of the object that is referred to, if any.')),
      uid: optional(string('UID of the object.')),
    },
    atomicMap,
  );
