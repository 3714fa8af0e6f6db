/** ContainerRecreateRequest: the schema of both versions (spec/containerrecreaterequest.md 2). */
import { boolean, choice, int32, int64, list, object, optional, string, time, type Infer, type Keywords } from '../../schema/builder.ts';
import { ageColumn, column } from '../../schema/columns.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject } from '../../schema/kind.ts';
import { metaConditions } from '../../schema/meta-condition.ts';
import { hookHandler } from '../../schema/probe.ts';
import { reading, right } from '../../schema/rights.ts';
import { containerRecreateRequestFinalizer } from './names.ts';

const phases = ['Pending', 'Recreating', 'Succeeded', 'Failed', 'Completed'] as const;
const failurePolicies = ['Fail', 'Ignore'] as const;

const ports = list(
  'Ports of the container, filled in by admission for a hook that uses HTTP. Must not be set.',
  object('One port of the container.', {
    containerPort: int32('Number of the port, 1 to 65535.'),
    hostIP: optional(string('Address of the node that the port is bound to.')),
    hostPort: optional(int32('Port on the node, 1 to 65535.')),
    name: optional(string('Name of the port.')),
    protocol: optional(string('UDP, TCP or SCTP. Default TCP.', { default: 'TCP' })),
  }),
);

const container = object('One container to restart.', {
  name: string('Name of the container; it must be in the Pod and have a status.'),
  ports: optional(ports),
  preStop: optional(
    hookHandler('The preStop hook that runs before the container is stopped, copied from the Pod by admission. Must not be set.'),
  ),
  statusContext: optional(
    object('State of the container when the request was created, filled in by admission. Must not be set.', {
      containerID: string('Id of the container.'),
      restartCount: int32('Number of times the container had been restarted.'),
    }),
  ),
});

/** The rules that only v1beta1 has in its CRD. */
interface Rules {
  readonly natural: Keywords;
  readonly phase: Keywords;
  readonly failurePolicy: Keywords;
}
const noRules: Rules = { natural: {}, phase: {}, failurePolicy: {} };
const strictRules: Rules = { natural: { minimum: 0 }, phase: { enum: phases }, failurePolicy: { enum: failurePolicies } };

const strategy = ({ natural, failurePolicy }: Rules) =>
  object('How the containers are restarted.', {
    failurePolicy: optional(
      choice(
        'Fail stops at the first container that fails; Ignore continues with the others. Default Fail.',
        failurePolicies,
        failurePolicy,
      ),
    ),
    forceRecreate: optional(
      boolean('true: also stops containers that have restarted since the request was created, or are still starting. Default false.'),
    ),
    minStartedSeconds: optional(
      int32('Seconds for which a new container must run and be ready to count as restarted. Default 0.', natural),
    ),
    orderedRecreate: optional(boolean('true: a container is stopped only after the previous one has been restarted. Default false.')),
    terminationGracePeriodSeconds: optional(
      int64(
        'Seconds a container has to terminate, including its preStop hook, before it is killed. Default: the value of the Pod.',
        natural,
      ),
    ),
    unreadyGracePeriodSeconds: optional(
      int64(
        'Seconds for which the Pod is not ready before any container is stopped, so that traffic can drain. Absent: immediately.',
        natural,
      ),
    ),
  });

const specOf = (rules: Rules) =>
  object('The containers to restart, and the strategy. Cannot be changed later.', {
    activeDeadlineSeconds: optional(
      int64('Seconds after creation at which an unfinished request is ended; at least 3. Absent: no limit.', rules.natural),
    ),
    containers: list('The containers to restart, in this order; at least one, no duplicates.', container),
    podName: string('Name of the Pod, in the same namespace.'),
    strategy: optional(strategy(rules)),
    ttlSecondsAfterFinished: optional(int32('Seconds between the end of the request and its deletion. Absent: it is kept.', rules.natural)),
  });

const containerStatusSnapshot = list(
  'State of the containers of the Pod, as last observed by the controller.',
  object('One container of the Pod.', {
    containerID: optional(string('Id of the container; absent before it has one.')),
    name: string('Name of the container.'),
    ready: boolean('Whether the container is ready.'),
    restartCount: int32('Number of times the container has been restarted.'),
  }),
);

const statusMembers = ({ phase }: Rules) => ({
  completionTime: optional(time('When the request ended.')),
  containerRecreateStates: optional(
    list(
      'Progress of each container.',
      object('One container of the Pod.', {
        isKilled: optional(boolean('Whether the container has been stopped.')),
        message: optional(string('Why it failed, or what it is waiting for.')),
        name: string('Name of the container.'),
        phase: choice('Pending, Recreating, Succeeded or Failed.', phases, phase),
      }),
    ),
  ),
  message: optional(string('Why the request ended before all containers were restarted.')),
  phase: choice('Pending, Recreating or Completed.', phases, phase),
});

/** Conditions of v1beta1, which v1alpha1 lacks. */
export const hubConditions = metaConditions('PreRecreateGrace: True while the Pod is kept unready for unreadyGracePeriodSeconds.');

const spec = specOf(strictRules);
const specV1Alpha1 = specOf(noRules);
const status = object('How far the request is.', {
  ...statusMembers(strictRules),
  conditions: optional(hubConditions),
  containerStatusSnapshot: optional(containerStatusSnapshot),
});
const statusV1Alpha1 = object('How far the request is.', statusMembers(noRules));

const columns = [
  column('PHASE', 'string', '.status.phase', 'Pending, Recreating or Completed.'),
  column('POD', 'string', '.spec.podName', 'Name of the Pod.'),
  column('NODE', 'string', '.metadata.labels.crr\\.apps\\.kruise\\.io/node-name', 'Node of the Pod.'),
  ageColumn,
];

/** Which containers of which Pod are restarted, and how. @see spec/containerrecreaterequest.md 2 */
export type ContainerRecreateRequestSpec = Infer<typeof spec>;
export type ContainerRecreateRequestStatus = Infer<typeof status>;
export type ContainerRecreateRequestContainer = Infer<typeof container>;
/** In which order and with which grace period containers are stopped, and what a failure means for the next. */
export type ContainerRecreateRequestStrategy = NonNullable<ContainerRecreateRequestSpec['strategy']>;
/** The progress of the restart of one container. */
export type ContainerRecreateState = NonNullable<ContainerRecreateRequestStatus['containerRecreateStates']>[number];
/** A container as it was when the request was created: the agent uses it to detect whether it has been restarted meanwhile. */
export type ContainerStatusSnapshot = Infer<typeof containerStatusSnapshot>[number];

/** v1beta1, the version that the project uses internally. */
export type ContainerRecreateRequest = KruiseObject<ContainerRecreateRequestSpec, ContainerRecreateRequestStatus>;

/** ContainerRecreateRequest in v1alpha1, which exists only in conversion and admission. */
export type ContainerRecreateRequestV1Alpha1 = KruiseObject<Infer<typeof specV1Alpha1>, Infer<typeof statusV1Alpha1>>;

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('ContainerRecreateRequest'),
  shortNames: ['crr'],
  namespaced: true,
  description: 'Restarts containers of a running Pod in place; the Pod keeps its name, node, addresses and volumes.',
  controllerName: 'containerrecreaterequest-controller',
  finalizer: containerRecreateRequestFinalizer,
  conversion: 'Webhook',
  admission: { mutates: ['CREATE', 'UPDATE'] },
  rights: {
    own: ['create', 'delete', 'patch'],
    status: ['patch'],
    others: [right('', ['pods', 'nodes'], reading), right('', ['pods/status'], ['patch'])],
  },
  atUninstall: { kind: 'CleanUp' },
  versions: [
    { name: 'v1alpha1', storage: false, spec: specV1Alpha1, status: statusV1Alpha1, columns },
    { name: 'v1beta1', storage: true, spec, status, columns },
  ],
};

/** How a client addresses ContainerRecreateRequests. */
export const containerRecreateRequests = resourceTypeOf<ContainerRecreateRequest>(declaration, 'v1beta1');
export const containerRecreateRequestsV1Alpha1 = resourceTypeOf<ContainerRecreateRequestV1Alpha1>(declaration, 'v1alpha1');
