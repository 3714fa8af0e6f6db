/** PodUnavailableBudget: the schema of both versions (spec/podunavailablebudget.md 2). */
import { choice, int32, int64, intOrString, list, map, object, optional, string, time, type Infer } from '../../schema/builder.ts';
import { column } from '../../schema/columns.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject } from '../../schema/kind.ts';
import { metaConditions } from '../../schema/meta-condition.ts';
import { labelSelector } from '../../schema/shared.ts';
import { reading, right, scaleRights } from '../../schema/rights.ts';

/** The operations that a PodUnavailableBudget can protect Pods from, as written in `spec.protectOperations`. */
export const pubOperations = ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'] as const;
/** An operation that a budget is asked about: a way in which a Pod becomes unavailable. */
export type PubOperation = (typeof pubOperations)[number];

const specMembers = {
  maxUnavailable: optional(
    intOrString('How many Pods may be unavailable: a number, or a percentage of all, rounded up. Either this or minAvailable must be set.'),
  ),
  minAvailable: optional(
    intOrString(
      'How many Pods must stay available: a number, or a percentage of all, rounded up. Either this or maxUnavailable must be set.',
    ),
  ),
  selector: optional(labelSelector('The Pods of the namespace, by labels. Either this or targetRef must be set; cannot be changed later.')),
  targetRef: optional(
    object('The workload whose Pods are protected. Either this or selector must be set; cannot be changed later.', {
      apiVersion: optional(string('Group and version of the workload.')),
      kind: optional(string('Kind of the workload.')),
      name: optional(string('Name of the workload.')),
    }),
  ),
};

/** The member that v1alpha1 lacks. */
export const ignoredPodSelector = labelSelector('Pods with these labels are not protected. Must not be empty.');

const spec = object('Which Pods are protected, and how many may be unavailable.', {
  ...specMembers,
  ignoredPodSelector: optional(ignoredPodSelector),
  protectOperations: optional(
    list(
      'Operations that are denied when they would make too many Pods unavailable. Default DELETE, UPDATE and EVICT.',
      choice('DELETE, UPDATE (in place), EVICT or RESIZE.', pubOperations, { enum: pubOperations }),
    ),
  ),
  protectTotalReplicas: optional(
    int32('Number of Pods that percentages refer to, instead of the replicas of the workload.', { minimum: 1 }),
  ),
});
const specV1Alpha1 = object('Which Pods are protected, and how many may be unavailable.', specMembers);

const status = object('The most recently observed status, and the operations that admission allowed.', {
  conditions: optional(
    metaConditions(
      'Blocked: present only while the budget cannot protect its Pods, or can never allow a disruption; the message gives the cause.',
    ),
  ),
  currentAvailable: int32('Number of Pods that are available.'),
  desiredAvailable: int32('Number of Pods that must stay available.'),
  disruptedPods: optional(
    map(
      'Pods whose deletion or eviction was admitted but is not observed yet, by name, with the time of admission.',
      time('When it was admitted.'),
    ),
  ),
  observedGeneration: optional(int64('Generation that this status was computed from.')),
  totalReplicas: int32('Desired number of Pods.'),
  unavailableAllowed: int32('How many more Pods may become unavailable now.'),
  unavailablePods: optional(
    map(
      'Pods whose update or resize was admitted but is not observed yet, by name, with the time of admission.',
      time('When it was admitted.'),
    ),
  ),
});

const columns = [
  column('Allowed', 'integer', '.status.unavailableAllowed', 'How many more Pods may become unavailable now.'),
  column('Current', 'integer', '.status.currentAvailable', 'Number of Pods that are available.'),
  column('Desired', 'integer', '.status.desiredAvailable', 'Number of Pods that must stay available.'),
  column('Total', 'integer', '.status.totalReplicas', 'Desired number of Pods.'),
];

export type PodUnavailableBudgetSpec = Infer<typeof spec>;
export type PodUnavailableBudgetStatus = Infer<typeof status>;

/** v1beta1, the version that the project uses internally. */
export type PodUnavailableBudget = KruiseObject<PodUnavailableBudgetSpec, PodUnavailableBudgetStatus>;

/** PodUnavailableBudget in v1alpha1, which exists only in conversion and admission. */
export type PodUnavailableBudgetV1Alpha1 = KruiseObject<Infer<typeof specV1Alpha1>, PodUnavailableBudgetStatus>;

export const declaration: KindDeclaration = {
  group: 'policy.kruise.io',
  ...namesOf('PodUnavailableBudget'),
  shortNames: ['pub'],
  namespaced: true,
  description: 'Limits how many Pods of a set may be unavailable at a time through deletion, eviction, in-place update or resize.',
  controllerName: 'podunavailablebudget-controller',
  conversion: 'Webhook',
  countsAtAdmission: true,
  admission: { validates: ['CREATE', 'UPDATE'] },
  rights: {
    status: ['update'],
    others: [
      right('', ['pods'], [...reading, 'patch']),
      right('', ['replicationcontrollers'], ['get', 'list', 'watch']),
      right('', ['configmaps'], reading),
      right('apps', ['daemonsets', 'deployments', 'replicasets', 'statefulsets'], reading),
      right('batch', ['jobs'], reading),
      scaleRights,
    ],
  },
  versions: [
    { name: 'v1alpha1', storage: false, spec: specV1Alpha1, status, columns },
    { name: 'v1beta1', storage: true, spec, status, columns },
  ],
};

/** How a client addresses PodUnavailableBudgets. */
export const podUnavailableBudgets = resourceTypeOf<PodUnavailableBudget>(declaration, 'v1beta1');
export const podUnavailableBudgetsV1Alpha1 = resourceTypeOf<PodUnavailableBudgetV1Alpha1>(declaration, 'v1alpha1');
