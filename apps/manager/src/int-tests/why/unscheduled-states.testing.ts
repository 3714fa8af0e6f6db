/** Pods that are created and do not run: the scheduler finds no node, a volume is missing, or another controller holds them. */
import { cloneSet, deployment, image, other, template, type Answer, type Sign, type StuckState } from './stuck-state.testing.ts';

/** Simulated nodes that the states of this file change. The third one stays as it is. */
const [full, tainted] = ['simulated-0', 'simulated-1'];

const on = (node: string): object => ({ nodeSelector: { 'kubernetes.io/hostname': node } });
const tolerant = { tolerations: [{ operator: 'Exists' }] };
const noNode = { nodeSelector: { disk: 'none' }, ...tolerant };
const claiming = (claimName: string): object => ({ volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] });

const notScheduled = (app: string): Sign => ({ list: 'pods', text: new RegExp(`"app":"${app}".*"type":"PodScheduled"[^{}]*"message"`) });

const unscheduled = (target: string, reason: string, evidence: RegExp, next: RegExp): Answer => ({
  target,
  reason,
  message: /^Pod [\w-]+ cannot be scheduled$/,
  evidence,
  next,
});

const scheduler: StuckState = {
  name: 'a scheduler that finds no node',
  namespace: 'scheduler',
  prepare: async ({ plane }) => {
    const patch = (node: string, change: object, subresource = ''): Promise<unknown> =>
      plane.api.request(`/api/v1/nodes/${node}${subresource}`, {
        method: 'PATCH',
        contentType: 'application/merge-patch+json',
        body: change,
      });
    await patch(full, { status: { allocatable: { pods: '0' } } }, '/status');
    await patch(tainted, { spec: { taints: [{ key: 'example.com/reserved', effect: 'NoSchedule' }] } });
  },
  objects: [
    deployment('greedy', { template: template('greedy', {}, { resources: { requests: { cpu: '1000' } } }) }),
    deployment('choosy', { template: template('choosy', noNode) }),
    deployment('crowded', { template: template('crowded', on(full)) }),
    deployment('reserved', { template: template('reserved', on(tainted)) }),
    deployment('unbound', { template: template('unbound', claiming('unbound')) }),
    deployment('claimless', { template: template('claimless', claiming('absent')) }),
    deployment('gated', { template: template('gated', { schedulingGates: [{ name: 'example.com/hold' }] }) }),
    other('v1', 'PersistentVolumeClaim', 'unbound', {
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'absent', resources: { requests: { storage: '1Gi' } } },
    }),
    cloneSet('clone', { template: template('clone', noNode) }),
  ],
  signs: [
    ...['greedy', 'choosy', 'crowded', 'reserved', 'unbound', 'claimless', 'gated'].map(notScheduled),
    { list: 'apps.kruise.io/v1beta1/clonesets', text: /"reason":"Unschedulable"/ },
  ],
  answers: [
    unscheduled(
      'deployment/greedy',
      'InsufficientResources',
      /^Pod greedy-\S+ status\.conditions\[PodScheduled\]: .*Insufficient cpu/,
      /^Add nodes, free resources, or lower the requests/,
    ),
    unscheduled(
      'deployment/choosy',
      'NoMatchingNode',
      /^Pod choosy-\S+ status\.conditions\[PodScheduled\]: .*didn't match Pod's node affinity\/selector/,
      /^Label nodes as nodeSelector/,
    ),
    unscheduled('deployment/crowded', 'NodesFull', /^Pod crowded-\S+ .*Too many pods/, /^Add nodes/),
    unscheduled('deployment/reserved', 'NodeTainted', /^Pod reserved-\S+ .*untolerated taint/, /toleration/),
    unscheduled('deployment/unbound', 'VolumeNotBound', /^Pod unbound-\S+ .*unbound immediate/, /^Check the PersistentVolumeClaim/),
    unscheduled('deployment/claimless', 'VolumeNotBound', /^Pod claimless-\S+ .*"absent" not found/, /^Check the PersistentVolumeClaim/),
    unscheduled('deployment/gated', 'SchedulingGated', /^Pod gated-\S+ .*SchedulingGated/, /^The owner of the scheduling gate/),
    unscheduled(
      'clone/clone',
      'NoMatchingNode',
      /^Pod clone-\S+ status\.conditions\[PodScheduled\]: .*didn't match Pod's node affinity\/selector/,
      /^Label nodes as nodeSelector/,
    ),
    unscheduled('clone/clone', 'NoMatchingNode', /^CloneSet clone status\.conditions\[Blocked\]: Unschedulable$/, /^Label nodes/),
  ],
};

const pulling: StuckState = {
  name: 'an image that cannot be pulled',
  namespace: 'pull',
  objects: [
    deployment('web', { template: template('web', {}, { image: image('missing') }) }),
    cloneSet('clone', { template: template('clone', {}, { image: image('missing') }) }),
  ],
  signs: [
    { list: 'pods', text: /"app":"web".*ImagePullBackOff/ },
    { list: 'apps.kruise.io/v1beta1/clonesets', text: /"reason":"ImageCannotBePulled"/ },
  ],
  answers: ['deployment/web', 'clone/clone'].map((target) => ({
    target,
    reason: 'ImageCannotBePulled',
    message: /^container main of Pod \S+ cannot pull image registry\.example\/app:missing$/,
    evidence: /^Pod \S+ containerStatuses\[main\]\.state\.waiting: ImagePullBackOff/,
    next: /^Check the name of the image and the pull secret/,
  })),
};

/** A gate that a load balancer of another product would open. */
const gated = { readinessGates: [{ conditionType: 'example.com/balanced' }] };

const held: StuckState = {
  name: 'a readiness gate or finalizer of another product',
  namespace: 'held',
  objects: [
    deployment('web', { template: template('web', gated) }),
    { ...cloneSet('clone'), metadata: { name: 'clone', finalizers: ['example.com/hold'] } },
  ],
  disturb: async (cluster) => {
    await cluster.plane.api.request(`${cluster.pathOf('apps.kruise.io/v1beta1/clonesets')}/clone`, { method: 'DELETE' });
  },
  signs: [
    { list: 'pods', text: /"app":"web".*ReadinessGatesNotReady/ },
    { list: 'apps.kruise.io/v1beta1/clonesets', text: /"deletionTimestamp"/ },
  ],
  minutesLater: 2,
  answers: [
    {
      target: 'deployment/web',
      reason: 'ReadinessGateClosed',
      message: /^readiness gate example\.com\/balanced keeps Pod web-\S+ unready$/,
      evidence: /^Pod web-\S+ status\.conditions\[Ready\]: ReadinessGatesNotReady/,
      next: /^Find out which controller sets the condition/,
    },
    {
      target: 'clone/clone',
      reason: 'WaitingForFinalizer',
      message: /^CloneSet clone is kept by finalizer example\.com\/hold$/,
      evidence: /^CloneSet clone metadata\.finalizers: example\.com\/hold$/,
      next: /^The owner of the finalizer must remove it/,
    },
  ],
};

/** A node that takes no other Pods, whose kubelet is killed once these run. Kubernetes does not evict them. */
const onLostNode = {
  ...on('lost-0'),
  ...tolerant,
};

const lost: StuckState = {
  name: 'a node that is lost',
  namespace: 'lost',
  prepare: ({ plane }) => plane.simulateNodes(1, { prefix: 'lost', taint: true }),
  objects: [deployment('web', { template: template('web', onLostNode) }), cloneSet('clone', { template: template('clone', onLostNode) })],
  disturb: async (cluster) => {
    await cluster.until({ list: 'apps/v1/deployments', text: /"availableReplicas":2/ });
    await cluster.until({ list: 'apps.kruise.io/v1beta1/clonesets', text: /"name":"clone".*"availableReplicas":2/ });
    await cluster.plane.components.kill('simulated-kubelet-lost');
  },
  // The controller of nodes waits for 60 s.
  signs: [
    { list: 'apps.kruise.io/v1beta1/clonesets', text: /"reason":"NodeLost"/ },
    { list: 'pods', text: /"app":"web".*"status":"False","type":"Ready"|"type":"Ready","status":"False"/ },
  ],
  answers: [
    {
      target: 'deployment/web',
      reason: 'NodeLost',
      message: /^node lost-0 of Pod web-\S+ does not report$/,
      evidence: /^Node lost-0 status\.conditions\[Ready\]: Kubelet stopped posting node status\.$/,
      next: /^Restore the node, or delete its Node object/,
    },
    {
      target: 'clone/clone',
      reason: 'NodeLost',
      message: /^node lost-0 of Pod clone-\S+ does not report$/,
      evidence: /^CloneSet clone status\.conditions\[Blocked\]: NodeLost$/,
      next: /^Restore the node, or delete its Node object/,
    },
  ],
};

export const unscheduledStates: readonly StuckState[] = [scheduler, pulling, held, lost];
