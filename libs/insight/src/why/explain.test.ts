/** The cause of every stuck state, and no cause for sound objects: objects as the API server holds them. */
import { describe, expect, it } from '@jest/globals';
import { silentAgent } from '@kruise/kinds/containerrecreaterequest';
import { silentNode } from '@kruise/kinds/nodeimage';
import { goldenText } from '@kruise/testing';
import type { AnyObject } from '../seen.ts';
import { cloneSet, created, object, pod, recently, revision, snapshot, waiting, type PodShape } from '../snapshots.testing.ts';
import type { Verdict } from './cause.ts';
import { explain } from './explain.ts';

interface Row {
  readonly name: string;
  readonly given: readonly [root: AnyObject, ...objects: readonly AnyObject[]];
}

const behind = { readyReplicas: 1, availableReplicas: 1 };
const web = cloneSet({}, behind);
const withPod = (shape: PodShape, ...more: readonly AnyObject[]): Row['given'] => [
  web,
  pod('web-1', web, shape),
  pod('web-2', web),
  revision(web, 'web-b', 2),
  ...more,
];

const event = (about: AnyObject, reason: string, message: string, more: object = {}): AnyObject =>
  object('v1/Event', `${about.metadata.name}.${reason}`, {
    type: 'Warning',
    reason,
    message,
    lastTimestamp: recently,
    involvedObject: { kind: about.kind, name: about.metadata.name },
    ...more,
  });

const condition = (type: string, status: string, more: object = {}): object => ({ type, status, lastTransitionTime: created, ...more });
const pending = (message: string, reason = 'Unschedulable'): PodShape => ({
  spec: { nodeName: '' },
  status: { phase: 'Pending', containerStatuses: [], conditions: [condition('PodScheduled', 'False', { reason, message })] },
});
const crashed = (terminated: object): PodShape => ({ main: { ...waiting('CrashLoopBackOff'), lastState: { terminated } } });
const unready: PodShape = { main: { ready: false } };
const deployment = (spec: object = {}, status: object = {}): AnyObject =>
  object('apps/v1/Deployment', 'web', {
    spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, ...spec },
    status: { observedGeneration: 1, replicas: 2, readyReplicas: 2, availableReplicas: 2, updatedReplicas: 2, ...status },
  });
const refused = (message: string): Row['given'] => {
  const root = deployment({}, { replicas: 0, readyReplicas: 0, availableReplicas: 0, updatedReplicas: 0 });
  const set = object('apps/v1/ReplicaSet', 'web-1', {
    owner: root,
    spec: { replicas: 2 },
    status: { replicas: 0, observedGeneration: 1, conditions: [condition('ReplicaFailure', 'True', { reason: 'FailedCreate', message })] },
  });
  return [root, set];
};
const blocked = (reason: string, message: string): Row['given'] => [
  cloneSet({}, { conditions: [condition('Blocked', 'True', { reason, message })] }),
];
const hpa = (name: string, target: AnyObject, status: object = {}): AnyObject =>
  object('autoscaling/v2/HorizontalPodAutoscaler', name, {
    spec: { scaleTargetRef: { apiVersion: target.apiVersion, kind: target.kind, name: target.metadata.name } },
    status,
  });
const kruise = (kind: string, more: PodShape): AnyObject => object(`apps.kruise.io/v1beta1/${kind}`, 'it', more);
/** The job `it` requests the fourth version of the pull. */
const requested = { tag: '1', version: 4, createdAt: created, ownerReferences: [{ uid: 'uid-it' }] };
const nodeImage = (status?: object, tag: object = requested): AnyObject =>
  object('apps.kruise.io/v1beta1/NodeImage', 'node-1', { spec: { images: { nginx: { tags: [tag] } } }, ...(status && { status }) });
const pulling = (status?: object, tag?: object): Row['given'] => [
  kruise('ImagePullJob', { status: { desired: 1, active: 1 } }),
  nodeImage(status, tag),
];
const rollout = (spec: object, status: object): AnyObject =>
  object('rollouts.kruise.io/v1beta1/Rollout', 'r', {
    spec: { workloadRef: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' }, ...spec },
    status,
  });
/** The CloneSet as the controller of Rollouts holds it. */
const heldBack = cloneSet(
  { updateStrategy: { rollingUpdate: { partition: '100%' } } },
  { updatedReplicas: 0, conditions: [condition('Blocked', 'True', { reason: 'PartitionReached', message: 'the partition keeps 2 Pods' })] },
);
const stray = (status: object): AnyObject =>
  object('autoscaling/v2/HorizontalPodAutoscaler', 'a', {
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'CloneSet', name: 'web' } },
    status,
  });
const statefulSet = (name: string): AnyObject =>
  object('apps/v1/StatefulSet', name, {
    spec: { replicas: 1, selector: { matchLabels: { app: 'web' } } },
    status: { observedGeneration: 1, replicas: 0 },
  });
const paused = { updateStrategy: { rollingUpdate: { paused: true } } };

/** The same object, just written: it may still make progress. */
const fresh = (root: AnyObject): AnyObject => ({ ...root, metadata: { ...root.metadata, creationTimestamp: recently } });
const updating = (strategy: object, status: object = { updatedReplicas: 1 }): AnyObject => cloneSet({ updateStrategy: strategy }, status);
const stateless = { name: 'init', image: 'nginx:2', ready: false, restartCount: 0 };
const quota = 'pods "x" is forbidden: exceeded quota: q';

const stuck: readonly (Row & { readonly then: string })[] = [
  // What the manager says itself.
  {
    name: 'an image (Blocked)',
    given: blocked('ImageCannotBePulled', 'container main of Pod web-1 cannot pull image nginx:9'),
    then: 'ImageCannotBePulled',
  },
  { name: 'a pause (Blocked)', given: blocked('Paused', 'the update is paused; 1 Pod waits for it'), then: 'Paused' },
  { name: 'a reason that the table does not have', given: blocked('Newer', 'something'), then: 'Newer' },
  {
    name: 'a quota (Blocked)',
    given: blocked('QuotaExceeded', 'Pods cannot be created or deleted: exceeded quota: q'),
    then: 'QuotaExceeded',
  },
  {
    name: 'a ConfigMap that a workload names and that does not exist (Blocked)',
    given: blocked('ConfigUnavailable', 'ConfigMap app of annotation config-rollout does not exist'),
    then: 'ConfigUnavailable',
  },
  ...['FailedScale', 'FailedUpdate', 'FailedCreatePod', 'FailedUpdatePod', 'SubsetFailure'].map((type) => ({
    name: `a quota in the condition ${type}`,
    given: [cloneSet({}, { ...behind, conditions: [condition(type, 'True', { message: quota })] })] as Row['given'],
    then: 'QuotaExceeded',
  })),
  ...['FailedCreatePod', 'FailedUpdate', 'FailedDelete', 'FailedScale', 'SuccessfulCreateFailed'].map((reason) => ({
    name: `a quota in the event ${reason}`,
    given: [web, event(web, reason, quota)] as Row['given'],
    then: 'QuotaExceeded',
  })),
  // Refusals of the API server.
  {
    name: 'a quota',
    given: refused('pods "web-1-x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2'),
    then: 'QuotaExceeded',
  },
  {
    name: 'a LimitRange',
    given: refused('pods "x" is forbidden: maximum cpu usage per Container is 1, but limit is 2'),
    then: 'LimitRangeRefuses',
  },
  {
    name: 'Pod Security',
    given: refused('pods "x" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false'),
    then: 'PodSecurityRefuses',
  },
  {
    name: 'a policy engine',
    given: refused('admission webhook "validate.kyverno.svc-fail" denied the request: require-labels: label team is required'),
    then: 'PolicyRefuses',
  },
  {
    name: 'a ValidatingAdmissionPolicy',
    given: refused("pods \"x\" is forbidden: ValidatingAdmissionPolicy 'no-latest' with binding 'b' denied request: tag"),
    then: 'PolicyRefuses',
  },
  {
    name: "a user's webhook that does not answer",
    given: refused('Internal error occurred: failed calling webhook "w.example.com": connection refused'),
    then: 'WebhookFails',
  },
  {
    name: 'a missing service account',
    given: refused('pods "x" is forbidden: error looking up service account shop/web: serviceaccount "web" not found'),
    then: 'ServiceAccountMissing',
  },
  {
    name: 'a missing priority class',
    given: refused('pods "x" is forbidden: no PriorityClass with name high was found'),
    then: 'PriorityClassMissing',
  },
  { name: 'an invalid template', given: refused('Pod "x" is invalid: spec.containers[0].image: Required value'), then: 'TemplateInvalid' },
  {
    name: 'a refusal that only an event shows',
    given: [web, event(web, 'FailedCreate', 'pods "web-x" is forbidden: exceeded quota: q')],
    then: 'QuotaExceeded',
  },
  { name: 'an unknown refusal', given: refused('something new'), then: 'CreationFails' },
  // Images and containers.
  {
    name: 'an image that does not exist',
    given: withPod({ main: waiting('ErrImagePull', 'rpc error: nginx:9: not found') }),
    then: 'ImageNotFound',
  },
  {
    name: 'a registry that refuses',
    given: withPod({ main: waiting('ImagePullBackOff', 'pull access denied, authentication required') }),
    then: 'ImagePullUnauthorized',
  },
  { name: 'a registry that limits', given: withPod({ main: waiting('ErrImagePull', '429 Too Many Requests') }), then: 'ImagePullLimited' },
  {
    name: 'a registry that does not answer',
    given: withPod({ main: waiting('ErrImagePull', 'dial tcp: lookup r.example.com: no such host') }),
    then: 'RegistryUnreachable',
  },
  {
    name: 'a registry that limits, in the words of Docker Hub',
    given: withPod({ main: waiting('ErrImagePull', 'toomanyrequests: You have reached your pull limit') }),
    then: 'ImagePullLimited',
  },
  { name: 'an image without a message', given: withPod({ main: waiting('ImagePullBackOff') }), then: 'ImageCannotBePulled' },
  {
    name: 'a missing ConfigMap',
    given: withPod({ main: waiting('CreateContainerConfigError', 'configmap "settings" not found') }),
    then: 'ConfigMissing',
  },
  {
    name: 'a command that does not exist',
    given: withPod({ main: waiting('RunContainerError', 'exec: "nope": executable file not found') }),
    then: 'ContainerCannotStart',
  },
  { name: 'a container that crashes', given: withPod(crashed({ exitCode: 1, reason: 'Error' })), then: 'ContainerCrashes' },
  { name: 'a container without enough memory', given: withPod(crashed({ exitCode: 137, reason: 'OOMKilled' })), then: 'OutOfMemory' },
  {
    name: 'a container that has crashed without a reason',
    given: withPod(crashed({ exitCode: 2, finishedAt: created })),
    then: 'ContainerCrashes',
  },
  ...[waiting('CrashLoopBackOff'), waiting('ErrImagePull', 'not found'), waiting('CreateContainerError', 'no')].map((main, index) => ({
    name: `container ${index} beside an init container without a state`,
    given: withPod({ main, status: { initContainerStatuses: [stateless] } }),
    then: ['ContainerCrashes', 'ImageNotFound', 'ContainerCannotStart'][index] ?? '',
  })),
  {
    name: 'a launch level that is not released for long',
    given: withPod({ main: waiting('CreateContainerConfigError', 'configmap "web-1-barrier" not found') }),
    then: 'ConfigMissing',
  },
  {
    name: 'a missing ConfigMap of a new Pod',
    given: withPod({
      metadata: { creationTimestamp: recently },
      main: waiting('CreateContainerConfigError', 'configmap "settings" not found'),
    }),
    then: 'ConfigMissing',
  },
  // Scheduling and nodes.
  { name: 'too little cpu', given: withPod(pending('0/3 nodes are available: 3 Insufficient cpu.')), then: 'InsufficientResources' },
  { name: 'a taint', given: withPod(pending('0/3 nodes are available: 3 node(s) had untolerated taint {a: b}.')), then: 'NodeTainted' },
  {
    name: 'an affinity',
    given: withPod(pending("0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.")),
    then: 'NoMatchingNode',
  },
  {
    name: 'a claim that is not bound',
    given: withPod(pending('pod has unbound immediate PersistentVolumeClaims')),
    then: 'VolumeNotBound',
  },
  {
    name: 'a scheduling gate',
    given: withPod(pending('Scheduling is blocked due to non-empty scheduling gates', 'SchedulingGated')),
    then: 'SchedulingGated',
  },
  {
    name: 'a lost node',
    given: withPod(
      unready,
      object('v1/Node', 'node-1', { metadata: { namespace: undefined }, status: { conditions: [condition('Ready', 'Unknown')] } }),
    ),
    then: 'NodeLost',
  },
  {
    name: 'a finalizer',
    given: withPod({ metadata: { deletionTimestamp: created, finalizers: ['example.com/hold'] } }),
    then: 'WaitingForFinalizer',
  },
  { name: 'a kubelet that does not stop a Pod', given: withPod({ metadata: { deletionTimestamp: created } }), then: 'PodNotStopped' },
  {
    name: 'an eviction',
    given: withPod({ status: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' } }),
    then: 'Evicted',
  },
  {
    name: 'a resize that is not granted',
    given: withPod({ ...unready, status: { conditions: [condition('PodResizePending', 'True', { reason: 'Deferred' })] } }),
    then: 'ResizePending',
  },
  // What only events show.
  ...(
    [
      ['FailedMount', 'VolumeNotMounted'],
      ['FailedAttachVolume', 'VolumeNotAttached'],
      ['FailedCreatePodSandBox', 'SandboxFails'],
    ] as const
  ).map(([reason, then]) => {
    const starting = pod('web-1', web, { main: waiting('ContainerCreating'), status: { phase: 'Pending' } });
    return { name: `the event ${reason}`, given: [web, starting, event(starting, reason, 'no')] as Row['given'], then };
  }),
  {
    name: 'a probe',
    given: [web, pod('web-1', web, unready), event(pod('web-1', web), 'Unhealthy', 'Readiness probe failed: 503')],
    then: 'ProbeFails',
  },
  {
    name: 'a readiness gate',
    given: withPod({
      ...unready,
      spec: { readinessGates: [{ conditionType: 'example.com/lb' }] },
      status: { conditions: [condition('ContainersReady', 'True'), condition('Ready', 'False')] },
    }),
    then: 'ReadinessGateClosed',
  },
  { name: 'a Pod that is not ready', given: withPod(unready), then: 'NotReady' },
  {
    name: 'a lifecycle hook',
    given: (() => {
      const root = cloneSet({ lifecycle: { preDelete: { labelsHandler: { hold: 'true' } } } }, behind);
      return [root, pod('web-1', root, { labels: { 'lifecycle.apps.kruise.io/state': 'PreparingDelete', hold: 'true' } })] as Row['given'];
    })(),
    then: 'WaitingForHook',
  },
  // Settings and other controllers.
  { name: 'a pause', given: [cloneSet(paused, { updatedReplicas: 1 })], then: 'Paused' },
  {
    name: 'a paused Deployment whose status has no updated replicas',
    given: [deployment({ paused: true }, { updatedReplicas: undefined })],
    then: 'Paused',
  },
  {
    name: 'OnDelete',
    given: [
      object('apps/v1/DaemonSet', 'd', {
        spec: { updateStrategy: { type: 'OnDelete' } },
        status: { observedGeneration: 1, desiredNumberScheduled: 1, currentNumberScheduled: 1, numberReady: 1, numberAvailable: 1 },
      }),
    ],
    then: 'OnDelete',
  },
  {
    name: 'a partition',
    given: [cloneSet({ updateStrategy: { rollingUpdate: { partition: 1 } } }, { updatedReplicas: 1 })],
    then: 'PartitionReached',
  },
  { name: 'a partition in percent', given: [updating({ rollingUpdate: { partition: '50%' } })], then: 'PartitionReached' },
  {
    name: 'a partition of updateStrategy itself',
    given: [updating({ partition: 2 }, { updatedReplicas: 0 })],
    then: 'PartitionReached',
  },
  { name: 'maxUnavailable 0 without maxSurge', given: [updating({ maxUnavailable: 0 })], then: 'UpdateLimited' },
  {
    name: 'limits of 0 of a Deployment',
    given: [deployment({ strategy: { rollingUpdate: { maxUnavailable: '0%', maxSurge: '0%' } } }, { updatedReplicas: 1 })],
    then: 'UpdateLimited',
  },
  { name: 'a Rollout that is paused', given: [rollout({ strategy: { paused: true } }, { phase: 'Progressing' })], then: 'RolloutPaused' },
  {
    name: 'a paused Rollout without an update',
    given: [rollout({ strategy: { paused: true } }, { phase: 'Healthy' })],
    then: 'Paused',
  },
  {
    name: 'a Rollout that waits at its second step, blue-green',
    given: [web, rollout({}, { blueGreenStatus: { currentStepIndex: 2, currentStepState: 'StepPaused' } })],
    then: 'RolloutWaits',
  },
  {
    name: 'a Rollout that waits at an unknown step',
    given: [web, rollout({}, { canaryStatus: { currentStepState: 'StepPaused' } })],
    then: 'RolloutWaits',
  },
  {
    name: 'a suspended CronJob',
    given: [object('batch/v1/CronJob', 'c', { spec: { suspend: true }, status: {} })],
    then: 'Suspended',
  },
  {
    name: 'two finalizers',
    given: [{ ...cloneSet(), metadata: { ...cloneSet().metadata, deletionTimestamp: created, finalizers: ['a/b', 'c/d'] } }],
    then: 'WaitingForFinalizer',
  },
  {
    name: 'a controller that has written a status of an older spec',
    given: [
      kruise('CloneSet', {
        metadata: {
          generation: 2,
          managedFields: [
            { manager: 'kubectl', operation: 'Update', time: created },
            { manager: 'manager', operation: 'Update', time: recently, subresource: 'status' },
          ],
        },
        status: { observedGeneration: 1 },
      }),
    ],
    then: 'NoController',
  },
  {
    name: 'a Pod with two digits that has the name of a Pod of a StatefulSet',
    given: [statefulSet('web'), pod('web-10', object('apps/v1/ReplicaSet', 'other'))],
    then: 'ForeignSelector',
  },
  {
    name: 'limits of 0',
    given: [cloneSet({ updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } }, { updatedReplicas: 1 })],
    then: 'UpdateLimited',
  },
  {
    name: 'a Rollout that waits for approval',
    given: [
      web,
      object('rollouts.kruise.io/v1beta1/Rollout', 'r', {
        spec: { workloadRef: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' } },
        status: { canaryStatus: { currentStepIndex: 1, currentStepState: 'StepPaused' } },
      }),
    ],
    then: 'RolloutWaits',
  },
  {
    name: 'a Rollout that waits for approval and holds the workload by its partition',
    given: [heldBack, rollout({}, { phase: 'Progressing', canaryStatus: { currentStepIndex: 1, currentStepState: 'StepPaused' } })],
    then: 'RolloutWaits',
  },
  {
    name: 'a paused Rollout that holds the workload',
    given: [heldBack, rollout({ strategy: { paused: true } }, { phase: 'Progressing' })],
    then: 'RolloutPaused',
  },
  {
    name: 'an autoscaler that names the object with the version of another kind',
    given: [web, stray({ conditions: [condition('AbleToScale', 'False', { reason: 'FailedGetScale' })] })],
    then: 'AutoscalerCannotScale',
  },
  { name: 'two autoscalers', given: [web, hpa('a', web), hpa('b', web)], then: 'AutoscalersCompete' },
  {
    name: 'an autoscaler of a child',
    given: (() => {
      const root = deployment();
      const set = object('apps/v1/ReplicaSet', 'web-1', { owner: root });
      return [root, set, hpa('a', set)] as Row['given'];
    })(),
    then: 'AutoscalersCompete',
  },
  {
    name: 'an autoscaler without metrics',
    given: [
      hpa('a', web, { conditions: [condition('ScalingActive', 'False', { reason: 'FailedGetResourceMetric', message: 'no metrics' })] }),
    ],
    then: 'AutoscalerCannotScale',
  },
  {
    name: 'a foreign selector',
    given: [cloneSet({}, { ...behind, replicas: 1 }), pod('web-1', web), pod('other', object('apps/v1/ReplicaSet', 'other'))],
    then: 'ForeignSelector',
  },
  {
    name: 'a foreign selector that has caught the Pod whose name a StatefulSet needs',
    given: [statefulSet('web'), pod('web-0', object('apps/v1/ReplicaSet', 'other'))],
    then: 'ForeignSelector',
  },
  {
    name: 'a foreign selector that has caught such a Pod, which the manager reports',
    given: [
      {
        ...statefulSet('web'),
        status: { conditions: [condition('Blocked', 'True', { reason: 'ScalingFails', message: 'exists already' })] },
      },
      pod('web-0', object('apps/v1/ReplicaSet', 'other')),
    ],
    then: 'ForeignSelector',
  },
  {
    name: 'a name that a Pod without a controller has',
    given: refused('Pod web-0 exists already and does not belong to the StatefulSet'),
    then: 'NameTaken',
  },
  {
    name: 'a deadline',
    given: [
      deployment(
        {},
        { ...behind, conditions: [condition('Progressing', 'False', { reason: 'ProgressDeadlineExceeded', message: 'timed out' })] },
      ),
    ],
    then: 'DeadlineExceeded',
  },
  { name: 'an absent controller', given: [kruise('CloneSet', { spec: { replicas: 1 } })], then: 'NoController' },
  {
    name: 'a controller that has ended',
    given: [kruise('CloneSet', { metadata: { generation: 5 }, status: { observedGeneration: 4 } })],
    then: 'NoController',
  },
  // Kinds that are no workloads.
  { name: 'a suspended Job', given: [object('batch/v1/Job', 'j', { spec: { suspend: true } })], then: 'Suspended' },
  {
    name: 'a failed Job',
    given: [object('batch/v1/Job', 'j', { status: { conditions: [condition('Failed', 'True', { reason: 'BackoffLimitExceeded' })] } })],
    then: 'JobFailed',
  },
  { name: 'a paused AdvancedCronJob', given: [kruise('AdvancedCronJob', { spec: { paused: true }, status: {} })], then: 'Paused' },
  {
    name: 'a pull that fails',
    given: [kruise('ImagePullJob', { status: { desired: 2, failed: 1, failedNodes: ['node-1'] } })],
    then: 'PullFails',
  },
  {
    name: 'a list of pulls of which one fails',
    given: [
      kruise('ImageListPullJob', { status: { desired: 1, failedImageStatuses: [{ name: 'a:1', imagePullJob: 'p', message: 'no' }] } }),
    ],
    then: 'PullFails',
  },
  { name: 'a node that has never had an agent', given: pulling(), then: 'AgentAbsent' },
  {
    name: 'a node whose agent has ended',
    given: pulling({ imageStatuses: { nginx: { tags: [{ tag: '1', phase: 'Succeeded', version: 3 }] } } }),
    then: 'AgentAbsent',
  },
  {
    name: 'a node that has not answered a pull for so long that it has failed',
    given: [
      kruise('ImagePullJob', { status: { desired: 1, failed: 1, failedNodes: ['node-1'] } }),
      nodeImage({ imageStatuses: { nginx: { tags: [{ tag: '1', phase: 'Failed', message: silentNode }] } } }),
    ],
    then: 'AgentAbsent',
  },
  { name: 'a NodeImage that no agent answers', given: [nodeImage()], then: 'AgentAbsent' },
  {
    name: 'a NodeImage with a pull that no agent has answered for long',
    given: [nodeImage({ imageStatuses: { nginx: { tags: [{ tag: '1', phase: 'Failed', version: 4, message: silentNode }] } } })],
    then: 'AgentAbsent',
  },
  {
    name: 'a request that no agent has begun, so that it has ended',
    given: [kruise('ContainerRecreateRequest', { status: { phase: 'Completed', message: silentAgent } })],
    then: 'AgentAbsent',
  },
  {
    name: 'a request that ended before any container was recreated',
    given: [kruise('ContainerRecreateRequest', { status: { phase: 'Completed', message: 'pod has gone' } })],
    then: 'RecreateFails',
  },
  {
    name: 'a request that no agent begins',
    given: [kruise('ContainerRecreateRequest', { spec: { podName: 'web-1' }, status: { phase: 'Pending' } })],
    then: 'AgentAbsent',
  },
  {
    name: 'a request without a status, whose first one the agent writes',
    given: [kruise('ContainerRecreateRequest', { spec: { podName: 'web-1' } })],
    then: 'AgentAbsent',
  },
  {
    name: 'a container that cannot be recreated',
    given: [
      kruise('ContainerRecreateRequest', {
        status: { phase: 'Completed', containerRecreateStates: [{ name: 'main', phase: 'Failed', message: 'no' }] },
      }),
    ],
    then: 'RecreateFails',
  },
  {
    name: 'an EphemeralJob that matches nothing',
    given: [kruise('EphemeralJob', { status: { conditions: [condition('MatchedEmpty', 'True')] } })],
    then: 'NoPodMatches',
  },
  {
    name: 'a distribution in conflict',
    given: [
      kruise('ResourceDistribution', {
        status: {
          desired: 1,
          failed: 1,
          conditions: [condition('ConflictOccurred', 'True', { reason: 'exists', failedNamespaces: ['a'] })],
        },
      }),
    ],
    then: 'ConflictOccurred',
  },
  {
    name: 'a subset without room',
    given: [kruise('WorkloadSpread', { status: { subsetStatuses: [{ name: 'a', conditions: [condition('Schedulable', 'False')] }] } })],
    then: 'SubsetUnschedulable',
  },
  {
    name: 'a PodDisruptionBudget that never allows',
    given: [object('policy/v1/PodDisruptionBudget', 'p', { status: { expectedPods: 2, currentHealthy: 2, disruptionsAllowed: 0 } })],
    then: 'BudgetNeverAllows',
  },
  {
    name: 'a PodDisruptionBudget that cannot count its Pods',
    given: [
      object('policy/v1/PodDisruptionBudget', 'p', {
        status: { disruptionsAllowed: 0, conditions: [condition('DisruptionAllowed', 'False', { reason: 'SyncFailed', message: 'no' })] },
      }),
    ],
    then: 'BudgetCannotCount',
  },
  {
    name: 'a PodDisruptionBudget whose Pods have no workload',
    given: [object('policy/v1/PodDisruptionBudget', 'p', { status: { expectedPods: 0, currentHealthy: 1, disruptionsAllowed: 0 } })],
    then: 'BudgetCannotCount',
  },
  {
    name: 'a PodUnavailableBudget with Pods that are not available',
    given: [object('policy.kruise.io/v1beta1/PodUnavailableBudget', 'p', { status: { totalReplicas: 2, currentAvailable: 1 } })],
    then: 'PodsUnhealthy',
  },
  {
    name: 'an object that a finalizer keeps',
    given: [{ ...web, metadata: { ...web.metadata, deletionTimestamp: created, finalizers: ['a/b'] } }],
    then: 'WaitingForFinalizer',
  },
];

/** A CloneSet with the condition `Blocked`, whose Pod `web-2` has the shape. */
const reported = (reason: string, message: string, shape: PodShape, ...more: readonly AnyObject[]): Row['given'] => {
  const conditions = [condition('Blocked', 'True', { reason, message })];
  const root = cloneSet({ lifecycle: { preDelete: { labelsHandler: { hold: 'true' } } } }, { ...behind, conditions });
  return [root, pod('web-1', root), pod('web-2', root, shape), ...more];
};
const lostNode = object('v1/Node', 'node-1', {
  metadata: { namespace: undefined },
  status: { conditions: [condition('Ready', 'Unknown')] },
});
const unpulled: PodShape = { main: waiting('ErrImagePull', 'not found') };

/** What the manager reports about a Pod or a refusal, and every cause that is named. */
const precise: readonly (Row & { readonly then: string })[] = [
  {
    name: 'an image',
    given: reported('ImageCannotBePulled', 'container main of Pod web-2 cannot pull image nginx:9', unpulled),
    then: 'ImageNotFound',
  },
  {
    name: 'an image about which the kubelet says no more',
    given: reported('ImageCannotBePulled', 'container main of Pod web-2 cannot pull image nginx:9', { main: waiting('ImagePullBackOff') }),
    then: 'ImageCannotBePulled',
  },
  {
    name: 'a Pod that another one has replaced',
    given: reported('ImageCannotBePulled', 'container main of Pod web-0 cannot pull image nginx:9', unpulled),
    then: 'ImageNotFound',
  },
  {
    name: 'a Pod that is ready again',
    given: reported('ImageCannotBePulled', 'container main of Pod web-2 cannot pull image nginx:9', {}),
    then: 'ImageCannotBePulled',
  },
  {
    name: 'one of two Pods with different causes',
    given: reported(
      'Unschedulable',
      'Pod web-2 cannot be scheduled: 0/3 nodes',
      pending('3 Insufficient cpu.'),
      pod('web-0', web, unpulled),
    ),
    then: 'InsufficientResources, ImageNotFound',
  },
  {
    name: 'the second of two Pods that cannot be scheduled',
    given: reported(
      'Unschedulable',
      'Pod web-2 cannot be scheduled: 0/3 nodes',
      pending('3 Insufficient cpu.'),
      pod('web-0', web, pending('3 node(s) had untolerated taint {a: b}.')),
    ),
    then: 'InsufficientResources, NodeTainted',
  },
  {
    name: 'a container that cannot start',
    given: reported('ContainerCannotStart', 'container main of Pod web-2 cannot be started: configmap "settings" not found', {
      main: waiting('CreateContainerConfigError', 'configmap "settings" not found'),
    }),
    then: 'ConfigMissing',
  },
  {
    name: 'a container that crashes',
    given: reported('ContainerCrashes', 'container main of Pod web-2 keeps crashing', crashed({ exitCode: 137, reason: 'OOMKilled' })),
    then: 'OutOfMemory',
  },
  {
    name: 'a container that crashes and runs again at the moment',
    given: reported('ContainerCrashes', 'container main of Pod web-2 keeps crashing, last with exit code 1', unready),
    then: 'ContainerCrashes, NotReady',
  },
  {
    name: 'a lost node',
    given: reported('NodeLost', 'node node-1 of Pod web-2 no longer reports; restore the node', unready, lostNode),
    then: 'NodeLost',
  },
  {
    name: 'a resize',
    given: reported('ResizePending', 'the new CPU and memory of Pod web-2 are deferred', {
      ...unready,
      status: { conditions: [condition('PodResizePending', 'True', { reason: 'Deferred' })] },
    }),
    then: 'ResizePending',
  },
  {
    name: 'a hook',
    given: reported('WaitingForHook', 'Pod web-2 is held in PreparingDelete by label hold=true', {
      labels: { 'lifecycle.apps.kruise.io/state': 'PreparingDelete', hold: 'true' },
    }),
    then: 'WaitingForHook',
  },
  {
    name: 'a Pod that has failed',
    given: reported('PodFails', 'Pod web-2 has failed (Evicted); the controller replaces it after a delay', {
      status: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
    }),
    then: 'Evicted',
  },
  {
    name: 'a Pod that is not ready, because of its probe',
    given: reported(
      'NotReady',
      'Pod web-2 is not ready: containers with unready status: [main]',
      unready,
      event(pod('web-2', web), 'Unhealthy', 'Readiness probe failed: 503'),
    ),
    then: 'ProbeFails',
  },
  {
    name: 'an update of a ready Pod that is not complete, while another Pod is not ready',
    given: reported('NotReady', 'the update of Pod web-2 is not complete: image nginx:1', {}, pod('web-0', web, unready)),
    then: 'NotReady',
  },
  {
    name: 'a limit, while a Pod is not ready',
    given: reported('ScaleLimited', 'scaleStrategy.maxUnavailable allows no Pod', unready),
    then: 'ScaleLimited, NotReady',
  },
  {
    name: 'a policy that refuses, which an event shows as well',
    given: reported(
      'AdmissionRefuses',
      'Pods cannot be created or deleted: admission webhook "w.example.com" denied the request: no',
      {},
      event(web, 'FailedCreate', 'admission webhook "w.example.com" denied the request: no'),
    ),
    then: 'PolicyRefuses',
  },
  {
    name: 'a spec that admission has accepted and that cannot be used',
    given: reported('InvalidSpec', 'spec.selector: Invalid value: "a b"', {}),
    then: 'InvalidSpec',
  },
];

const starting = {
  conditions: [condition('PodScheduled', 'True'), condition('Ready', 'False', { lastTransitionTime: recently })],
  phase: 'Pending',
};
const status = (numbers: object): PodShape => ({ status: { observedGeneration: 1, ...numbers } });
const complete = { replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1 };
const daemons = { desiredNumberScheduled: 1, currentNumberScheduled: 1, numberReady: 1, numberAvailable: 1, updatedNumberScheduled: 1 };
const ofPod = (shape: PodShape): Row['given'] => [pod('web-1', undefined, shape)];
const sound = cloneSet();

const healthy: readonly Row[] = [
  { name: 'a complete CloneSet', given: [sound, pod('web-1', sound), pod('web-2', sound)] },
  { name: 'a paused CloneSet without an update', given: [cloneSet(paused)] },
  { name: 'a CloneSet with a partition and no update', given: [cloneSet({ updateStrategy: { rollingUpdate: { partition: '50%' } } })] },
  {
    name: 'a CloneSet with maxUnavailable 0 and no update',
    given: [cloneSet({ updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } })],
  },
  { name: 'a CloneSet with old warnings', given: [sound, event(sound, 'FailedCreate', 'exceeded quota: q', { lastTimestamp: created })] },
  { name: 'a complete CloneSet with a recent warning', given: [sound, event(sound, 'FailedCreate', 'exceeded quota: q')] },
  { name: 'a CloneSet whose old Pod is being deleted', given: [sound, pod('web-0', sound, { metadata: { deletionTimestamp: recently } })] },
  { name: 'a CloneSet with a Pod that starts', given: withPod({ main: waiting('ContainerCreating'), status: starting }) },
  { name: 'a CloneSet with a Pod that is not ready yet', given: withPod({ ...unready, status: { ...starting, phase: 'Running' } }) },
  { name: 'a new CloneSet without a status', given: [kruise('CloneSet', { metadata: { creationTimestamp: recently } })] },
  {
    name: 'a CloneSet whose spec was just written',
    given: [
      kruise('CloneSet', {
        metadata: { generation: 2, managedFields: [{ manager: 'kubectl', operation: 'Update', time: recently }] },
        ...status(complete),
        spec: { replicas: 1 },
      }),
    ],
  },
  {
    name: 'a CloneSet that an autoscaler has just scaled',
    given: [
      kruise('CloneSet', {
        metadata: {
          generation: 2,
          managedFields: [
            { manager: 'kubectl', operation: 'Update', time: created },
            { manager: 'autoscaler', operation: 'Update', time: recently, subresource: 'scale' },
          ],
        },
        ...status(complete),
        spec: { replicas: 1 },
      }),
    ],
  },
  {
    name: 'a CloneSet that waits for a launch level',
    given: withPod({
      metadata: { creationTimestamp: recently },
      main: waiting('CreateContainerConfigError', 'configmap "web-1-barrier" not found'),
      status: starting,
    }),
  },
  { name: 'a CloneSet that shares labels', given: [sound, pod('other', object('apps/v1/ReplicaSet', 'other'))] },
  { name: 'a CloneSet with one autoscaler', given: [sound, hpa('a', sound)] },
  { name: 'a CloneSet with an autoscaler for another one', given: [sound, hpa('a', sound), hpa('b', deployment())] },
  {
    name: 'a CloneSet with a Rollout that is healthy',
    given: [
      sound,
      object('rollouts.kruise.io/v1beta1/Rollout', 'r', {
        spec: { workloadRef: { apiVersion: sound.apiVersion, kind: 'CloneSet', name: 'web' } },
        status: { phase: 'Healthy' },
      }),
    ],
  },
  {
    name: 'a CloneSet with 0 replicas',
    given: [cloneSet({ replicas: 0 }, { replicas: 0, readyReplicas: 0, availableReplicas: 0, updatedReplicas: 0 })],
  },
  {
    name: 'a CloneSet that is being deleted',
    given: [{ ...sound, metadata: { ...sound.metadata, deletionTimestamp: recently, finalizers: ['foregroundDeletion'] } }],
  },
  { name: 'an Advanced StatefulSet', given: [kruise('StatefulSet', { spec: { replicas: 1 }, ...status(complete) })] },
  { name: 'an Advanced DaemonSet', given: [kruise('DaemonSet', status(daemons))] },
  {
    name: 'a UnitedDeployment',
    given: [
      kruise('UnitedDeployment', {
        spec: { replicas: 1 },
        ...status({
          replicas: 1,
          readyReplicas: 1,
          updatedReplicas: 1,
          subsetStatuses: [{ name: 'a', conditions: [condition('Schedulable', 'True')] }],
        }),
      }),
    ],
  },
  { name: 'a Deployment', given: [deployment()] },
  {
    name: 'a Deployment that has a deadline and progresses',
    given: [deployment({}, { conditions: [condition('Progressing', 'True', { reason: 'NewReplicaSetAvailable' })] })],
  },
  { name: 'a StatefulSet', given: [object('apps/v1/StatefulSet', 's', { spec: { replicas: 1 }, ...status(complete) })] },
  {
    name: 'a DaemonSet with OnDelete and no update',
    given: [object('apps/v1/DaemonSet', 'd', { spec: { updateStrategy: { type: 'OnDelete' } }, ...status(daemons) })],
  },
  {
    name: 'a ReplicaSet',
    given: [
      object('apps/v1/ReplicaSet', 'r', { spec: { replicas: 1 }, ...status({ replicas: 1, readyReplicas: 1, availableReplicas: 1 }) }),
    ],
  },
  // The nearest states that are not those of the rules above.
  { name: 'a partition of 0 during an update', given: [fresh(updating({ rollingUpdate: { partition: 0 } }))] },
  { name: 'a partition of 0% during an update', given: [fresh(updating({ rollingUpdate: { partition: '0%' } }))] },
  {
    name: 'a partition that is not reached',
    given: [fresh(updating({ rollingUpdate: { partition: 1 } }, { updatedReplicas: 0 }))],
  },
  ...[{ type: 'OnDelete' }, { partition: 1 }, { partition: '50%' }, { maxUnavailable: 0 }].map((strategy) => ({
    name: `${JSON.stringify(strategy)} when every Pod is updated and one is not ready`,
    given: [fresh(updating(strategy, behind))] as Row['given'],
  })),
  { name: 'maxUnavailable 1 during an update', given: [fresh(updating({ maxUnavailable: 1 }))] },
  { name: 'maxSurge 1 during an update', given: [fresh(updating({ maxUnavailable: 0, maxSurge: 1 }))] },
  {
    name: 'a refusal without a message',
    given: [fresh(cloneSet({}, { ...behind, conditions: [condition('FailedScale', 'True')] }))],
  },
  {
    name: 'an object without finalizers that is being deleted',
    given: [{ ...cloneSet(), metadata: { ...cloneSet().metadata, deletionTimestamp: created } }],
  },
  { name: 'an object with a finalizer', given: [{ ...cloneSet(), metadata: { ...cloneSet().metadata, finalizers: ['a/b'] } }] },
  { name: 'a revision, which has no status', given: [revision(web, 'web-b', 2)] },
  { name: 'a kind of a group with a similar name, without a status', given: [object('x.apps.kruise.io/v1/Thing', 't')] },
  {
    name: 'a container whose launch level waits for a key',
    given: withPod({
      metadata: { creationTimestamp: recently },
      main: waiting('CreateContainerConfigError', "couldn't find key p_100 in ConfigMap shop/other"),
      status: starting,
    }),
  },
  { name: 'a Pod without a status', given: [object('v1/Pod', 'web-1', { spec: {}, metadata: { creationTimestamp: recently } })] },
  ...[undefined, 'ReplicaSet'].map((kind) => {
    const root = fresh(kind === undefined ? cloneSet({}, { ...behind, replicas: 1 }) : deployment({}, { ...behind, replicas: 1 }));
    const owner = kind === undefined ? root : object('apps/v1/ReplicaSet', 'web-1', { owner: root });
    const given: Row['given'] = [root, ...(owner === root ? [] : [owner]), pod('web-1', owner), pod('alone', undefined)];
    return { name: `${root.kind} with too few Pods beside a Pod without a controller`, given };
  }),
  {
    name: 'a StatefulSet beside a Pod whose name only begins like its own',
    given: [fresh(statefulSet('web')), pod('web-0-a', object('apps/v1/ReplicaSet', 'other'))],
  },
  {
    name: 'a CloneSet without Pods beside a Pod with its name and a number',
    given: [
      fresh(cloneSet({}, { replicas: 0, readyReplicas: 0, availableReplicas: 0, updatedReplicas: 0 })),
      pod('web-0', object('apps/v1/ReplicaSet', 'other')),
    ],
  },
  { name: 'a ready Pod', given: ofPod({}) },
  { name: 'a Pod that has succeeded', given: ofPod({ status: { phase: 'Succeeded' } }) },
  { name: 'a Pod that starts', given: ofPod({ main: waiting('ContainerCreating'), status: starting }) },
  { name: 'a Pod that waits for the scheduler', given: ofPod({ status: { phase: 'Pending', conditions: [], containerStatuses: [] } }) },
  {
    name: 'a Pod that has restarted and is ready',
    given: ofPod({ main: { restartCount: 3, lastState: { terminated: { exitCode: 1 } } } }),
  },
  { name: 'a Pod that is being deleted', given: ofPod({ metadata: { deletionTimestamp: recently } }) },
  {
    name: 'a ready Pod with a probe that failed once',
    given: [pod('web-1', undefined), event(pod('web-1', undefined), 'Unhealthy', '503')],
  },
  { name: 'a Job that runs', given: [object('batch/v1/Job', 'j', { status: { active: 1 } }), pod('j-1', undefined)] },
  {
    name: 'a Job that is complete',
    given: [object('batch/v1/Job', 'j', { status: { succeeded: 1, conditions: [condition('Complete', 'True')] } })],
  },
  { name: 'a CronJob', given: [object('batch/v1/CronJob', 'c', { spec: { schedule: '@daily' }, status: {} })] },
  { name: 'an AdvancedCronJob', given: [kruise('AdvancedCronJob', { spec: { schedule: '@daily', paused: false }, status: {} })] },
  {
    name: 'a BroadcastJob that runs',
    given: [kruise('BroadcastJob', { status: { desired: 2, active: 1, succeeded: 1, phase: 'running' } })],
  },
  {
    name: 'an ImagePullJob that is complete',
    given: [kruise('ImagePullJob', { status: { desired: 1, succeeded: 1, completionTime: created } })],
  },
  { name: 'an ImageListPullJob', given: [kruise('ImageListPullJob', { status: { desired: 1, succeeded: 1, completionTime: created } })] },
  {
    name: 'an ImagePullJob whose pull is running',
    given: pulling({ imageStatuses: { nginx: { tags: [{ tag: '1', phase: 'Pulling', version: 4 }] } } }),
  },
  { name: 'an ImagePullJob whose pull was just requested', given: pulling({ desired: 0 }, { ...requested, createdAt: recently }) },
  {
    name: 'an ImagePullJob while an agent does not answer another job',
    given: pulling({ desired: 0 }, { ...requested, ownerReferences: [{ uid: 'uid-other' }] }),
  },
  {
    name: 'a CloneSet with a paused Rollout that has no update to do',
    given: [sound, rollout({ strategy: { paused: true } }, { phase: 'Healthy' })],
  },
  {
    name: 'a CloneSet that has the name of a StatefulSet with an autoscaler',
    given: [sound, stray({ conditions: [condition('AbleToScale', 'True', { reason: 'ReadyForNewScale' })] })],
  },
  {
    name: 'a new StatefulSet that shares labels',
    given: [
      { ...statefulSet('db'), metadata: { ...statefulSet('db').metadata, creationTimestamp: recently } },
      pod('web-0', object('apps/v1/ReplicaSet', 'other')),
    ],
  },
  { name: 'a NodeImage without images', given: [kruise('NodeImage', { spec: {}, status: { desired: 0 } })] },
  {
    name: 'a ContainerRecreateRequest that begins',
    given: [kruise('ContainerRecreateRequest', { metadata: { creationTimestamp: recently }, status: { phase: 'Pending' } })],
  },
  {
    name: 'a ContainerRecreateRequest that is complete',
    given: [
      kruise('ContainerRecreateRequest', {
        status: { phase: 'Completed', containerRecreateStates: [{ name: 'main', phase: 'Succeeded' }] },
      }),
    ],
  },
  {
    name: 'an EphemeralJob',
    given: [kruise('EphemeralJob', { status: { match: 1, succeeded: 1, conditions: [condition('JobSucceeded', 'True')] } })],
  },
  {
    name: 'a ResourceDistribution',
    given: [kruise('ResourceDistribution', { status: { desired: 1, succeeded: 1, conditions: [condition('ConflictOccurred', 'False')] } })],
  },
  { name: 'a SidecarSet', given: [kruise('SidecarSet', { status: { matchedPods: 1, updatedPods: 1, readyPods: 1 } })] },
  {
    name: 'a WorkloadSpread',
    given: [kruise('WorkloadSpread', { status: { subsetStatuses: [{ name: 'a', conditions: [condition('Schedulable', 'True')] }] } })],
  },
  {
    name: 'a PodUnavailableBudget',
    given: [
      object('policy.kruise.io/v1beta1/PodUnavailableBudget', 'p', {
        status: { totalReplicas: 2, currentAvailable: 2, unavailableAllowed: 1 },
      }),
    ],
  },
  {
    name: 'a PodUnavailableBudget without Pods',
    given: [object('policy.kruise.io/v1beta1/PodUnavailableBudget', 'p', { status: { totalReplicas: 0 } })],
  },
  {
    name: 'a PodDisruptionBudget without Pods',
    given: [object('policy/v1/PodDisruptionBudget', 'p', { status: { expectedPods: 0, currentHealthy: 0, disruptionsAllowed: 0 } })],
  },
  {
    name: 'a PodDisruptionBudget',
    given: [object('policy/v1/PodDisruptionBudget', 'p', { status: { expectedPods: 2, currentHealthy: 2, disruptionsAllowed: 1 } })],
  },
  {
    name: 'an autoscaler that is off',
    given: [hpa('a', sound, { conditions: [condition('ScalingActive', 'False', { reason: 'ScalingDisabled' })] })],
  },
];

const shown = (verdict: Verdict): string =>
  verdict.kind === 'Stuck' ? verdict.causes.map(({ reason }) => reason).join(', ') : verdict.kind;

/** The verdict as text: every field of it. */
function written({ name, given: [root, ...objects] }: Row): string {
  const verdict = explain(snapshot(root, ...objects));
  if (verdict.kind !== 'Stuck') return `${name}\n  ${verdict.kind}: ${verdict.message}\n`;
  const lines = verdict.causes.flatMap(({ reason, severity, message, next, evidence }) => [
    `  ${reason} (${severity}): ${message}`,
    `    next: ${next}`,
    ...evidence.map((one) => `    ${one.object}, ${one.field}: ${one.text}${one.time === undefined ? '' : ` (${one.time})`}`),
  ]);
  return `${[name, ...lines].join('\n')}\n`;
}

describe('the whole verdict', () => {
  it.each([
    ['stuck', [...stuck, ...precise]],
    ['sound', healthy],
  ])('on each %s object is as recorded', (file, rows) => {
    const text = rows.map((row) => written(row)).join('\n');
    expect(text).toBe(goldenText(new URL(`./testdata/${file}.txt`, import.meta.url), text));
  });
});

describe('the first cause', () => {
  it.each(stuck)('is $then for $name', ({ given: [root, ...objects], then }) => {
    const verdict = explain(snapshot(root, ...objects));
    expect(shown(verdict).split(', ')[0]).toBe(then);
    const [cause] = verdict.kind === 'Stuck' ? verdict.causes : [];
    expect(cause?.message).not.toBe('');
    expect(cause?.next).toMatch(/[.`\w]$/);
    expect(cause?.evidence[0]).toMatchObject({ object: expect.stringMatching(/^\w+ \S/), field: expect.stringMatching(/./) });
  });

  it('is tried for 40 states and more, of which each has a row', () => {
    expect(stuck.length).toBeGreaterThanOrEqual(40);
    expect(new Set(stuck.map(({ then }) => then)).size).toBeGreaterThanOrEqual(40);
  });

  it('does not depend on the order of the objects', () => {
    for (const {
      given: [root, ...objects],
    } of stuck)
      expect(explain(snapshot(root, ...objects.toReversed()))).toEqual(explain(snapshot(root, ...objects)));
  });

  it('comes with those of other Pods, each reason once and each Pod once', () => {
    const [root, ...objects] = withPod({ main: waiting('ImagePullBackOff', 'not found') });
    const others = [pod('web-3', root, { main: waiting('ErrImagePull', 'not found') }), pod('web-4', root, unready)];
    expect(shown(explain(snapshot(root, ...objects, ...others)))).toBe('ImageNotFound, NotReady');
    expect(shown(explain(snapshot(root, ...objects)))).toBe('ImageNotFound');
  });

  it.each(precise)('is $then, once, where the manager reports $name', ({ given: [root, ...objects], then }) => {
    expect(shown(explain(snapshot(root, ...objects)))).toBe(then);
  });

  it('has the evidence of the Pod before that of the condition Blocked', () => {
    const [root, ...objects] = reported('Unschedulable', 'Pod web-2 cannot be scheduled: 0/3 nodes', pending('3 Insufficient cpu.'));
    const verdict = explain(snapshot(root, ...objects));
    const [cause] = verdict.kind === 'Stuck' ? verdict.causes : [];
    expect(cause?.evidence.map(({ object: who, field }) => `${who} ${field}`)).toEqual([
      'Pod web-2 status.conditions[PodScheduled]',
      'CloneSet web status.conditions[Blocked]',
    ]);
  });
});

describe('no cause', () => {
  it.each(healthy)('is found for $name', ({ given: [root, ...objects] }) => {
    expect(shown(explain(snapshot(root, ...objects)))).toMatch(/^(?:Sound|Progressing)$/);
  });

  it('is found for 40 objects and more', () => {
    expect(healthy.length).toBeGreaterThanOrEqual(40);
  });

  it('of an object that has not changed for long and is not complete is unknown', () => {
    expect(explain(snapshot(cloneSet({}, { replicas: 1, readyReplicas: 1 }), pod('web-1', sound))).kind).toBe('Unknown');
  });
});
