/** DaemonSet of group apps.kruise.io: schema of v1alpha1 and v1beta1 (spec/daemonset.md 2). */
import { boolean, choice, int32, intOrString, object, optional, string, type Infer } from '../../schema/builder.ts';
import { ageColumnOf, column, containerColumns } from '../../schema/columns.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject } from '../../schema/kind.ts';
import { conditions, labelSelector, lifecycle, podTemplate } from '../../schema/shared.ts';
import { podWorkloadRights, reading, right } from '../../schema/rights.ts';
import { collisionCount, observedGeneration } from '../../schema/workload-status.ts';

const commonSpecMembers = {
  burstReplicas: optional(
    intOrString(
      'Maximum number of Pods that are created, deleted or updated in place in one pass: a number, or a percentage of nodes (rounded down). Default 250.',
    ),
  ),
  lifecycle: optional(lifecycle),
  minReadySeconds: optional(int32('Seconds a Pod must be ready before it counts as available. Default 0.')),
  revisionHistoryLimit: optional(int32('Number of old revisions to keep for rollback, besides those in use. Default 10.')),
  selector: labelSelector('Selects the Pods of the DaemonSet. Must match the labels of the template; cannot be changed.'),
  template: podTemplate('The Pod to run on each node that its node selector, affinity and tolerations allow. A change starts an update.'),
};

const updateStrategy = <const V extends string>(types: readonly V[]) =>
  optional(
    object('How Pods are updated to the current template.', {
      rollingUpdate: optional(
        object('Settings of type RollingUpdate.', {
          maxSurge: optional(
            intOrString(
              'On how many nodes a new Pod may run beside the old one during an update: a number, or a percentage of nodes (rounded up). Default 0. Not 0 together with maxUnavailable 0.',
            ),
          ),
          maxUnavailable: optional(
            intOrString(
              'On how many nodes the Pod may be unavailable during an update: a number, or a percentage of nodes (rounded up). Default 1.',
            ),
          ),
          partition: optional(
            intOrString(
              'Number of nodes that keep the old revision: a number, or a percentage of nodes (rounded down). Default 0: all are updated.',
            ),
          ),
          paused: optional(boolean('true stops updates; creation and deletion continue. Default false.')),
          rollingUpdateType: optional(
            choice(
              'How one Pod is updated: Standard deletes and creates it, InPlaceIfPossible updates it in place where possible. Default Standard.',
              types,
            ),
          ),
          selector: optional(labelSelector('Only Pods on nodes with matching labels are updated. Absent: on all nodes.')),
        }),
      ),
      type: optional(
        choice('RollingUpdate updates Pods automatically; OnDelete only replaces Pods that a client deletes. Default RollingUpdate.', [
          'RollingUpdate',
          'OnDelete',
        ]),
      ),
    }),
  );

const daemonSetSpec = object('The desired state: the Pod, its nodes, and how it is updated.', {
  ...commonSpecMembers,
  updateStrategy: updateStrategy(['Standard', 'InPlaceIfPossible']),
  scaleStrategy: optional(
    object('How Pods are created.', {
      partitionedScaling: optional(boolean('true: the partition also keeps nodes from getting their first Pod. Default false.')),
    }),
  ),
});
export type DaemonSetSpec = Infer<typeof daemonSetSpec>;

const daemonSetSpecV1Alpha1 = object('The desired state: the Pod, its nodes, and how it is updated.', {
  ...commonSpecMembers,
  updateStrategy: updateStrategy(['Standard', 'InPlaceIfPossible', 'Surging']),
});
export type DaemonSetSpecV1Alpha1 = Infer<typeof daemonSetSpecV1Alpha1>;

const commonStatusMembers = {
  collisionCount,
  conditions: optional(conditions('Blocked: the cause that prevents progress; absent otherwise.')),
  currentNumberScheduled: int32('Number of nodes that run the Pod and should run it.'),
  desiredNumberScheduled: int32('Number of nodes that should run the Pod.'),
  numberAvailable: optional(int32('Number of nodes on which the Pod has been ready for minReadySeconds.')),
  numberMisscheduled: int32('Number of nodes that run the Pod but should not run it.'),
  numberReady: int32('Number of nodes on which the Pod is ready.'),
  numberUnavailable: optional(int32('Number of nodes that should run the Pod but on which it is not available.')),
  observedGeneration,
  updatedNumberScheduled: int32('Number of nodes whose Pod is at the update revision.'),
};

const daemonSetStatus = object('The most recently observed status.', {
  ...commonStatusMembers,
  updateRevision: optional(string('Hash of the current template: the value of label controller-revision-hash on updated Pods.')),
});
export type DaemonSetStatus = Infer<typeof daemonSetStatus>;

const daemonSetStatusV1Alpha1 = object('The most recently observed status.', {
  ...commonStatusMembers,
  daemonSetHash: optional(string('Hash of the current template: the value of label controller-revision-hash on updated Pods.')),
});
export type DaemonSetStatusV1Alpha1 = Infer<typeof daemonSetStatusV1Alpha1>;

/** DaemonSet in the hub version, v1beta1. */
export type DaemonSet = KruiseObject<DaemonSetSpec, DaemonSetStatus>;

/** DaemonSet in v1alpha1, which exists only in conversion and admission. */
export type DaemonSetV1Alpha1 = KruiseObject<DaemonSetSpecV1Alpha1, DaemonSetStatusV1Alpha1>;

const columns = [
  column('DESIRED', 'integer', '.status.desiredNumberScheduled', 'Number of nodes that should run the Pod.'),
  column('CURRENT', 'integer', '.status.currentNumberScheduled', 'Number of nodes that run the Pod and should run it.'),
  column('READY', 'integer', '.status.numberReady', 'Number of nodes on which the Pod is ready.'),
  column('UP-TO-DATE', 'integer', '.status.updatedNumberScheduled', 'Number of nodes whose Pod is at the update revision.'),
  column('AVAILABLE', 'integer', '.status.numberAvailable', 'Number of nodes on which the Pod is available.'),
  ageColumnOf('DaemonSet'),
  ...containerColumns,
];

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('DaemonSet'),
  shortNames: ['daemon', 'ads'],
  namespaced: true,
  description:
    'DaemonSet runs one Pod on each eligible node, like the built-in kind, and can update it in place, in stages and on selected nodes.',
  controllerName: 'daemonset-controller',
  conversion: 'Webhook',
  admission: { mutates: ['CREATE', 'UPDATE'], validates: ['CREATE', 'UPDATE'] },
  rights: {
    own: [],
    status: ['patch', 'update'],
    owns: true,
    others: [
      ...podWorkloadRights,
      right('', ['nodes'], reading),
      { ...right('apps.kruise.io', ['imagepulljobs'], [...reading, 'create', 'delete']), gates: ['PreDownloadImageForDaemonSetUpdate'] },
    ],
  },
  atUninstall: { kind: 'Refuse', called: 'advanced daemonsets' },
  versions: [
    { name: 'v1alpha1', storage: false, spec: daemonSetSpecV1Alpha1, status: daemonSetStatusV1Alpha1, columns },
    { name: 'v1beta1', storage: true, spec: daemonSetSpec, status: daemonSetStatus, columns },
  ],
};

/** How a client addresses DaemonSets of group apps.kruise.io in the hub version, and below it in v1alpha1. */
export const daemonSets = resourceTypeOf<DaemonSet>(declaration, 'v1beta1');
export const daemonSetsV1Alpha1 = resourceTypeOf<DaemonSetV1Alpha1>(declaration, 'v1alpha1');
