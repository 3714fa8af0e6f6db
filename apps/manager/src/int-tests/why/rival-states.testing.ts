/** Workloads that another controller works against, and objects whose controller or agent does not work. */
import { cloneSet, deployment, other, statefulSet, template, type StuckState } from './stuck-state.testing.ts';

const autoscaler = (name: string, target: readonly [apiVersion: string, kind: string, name: string], replicas: number): object => {
  const [apiVersion, kind, of] = target;
  const spec = { scaleTargetRef: { apiVersion, kind, name: of }, minReplicas: replicas, maxReplicas: replicas };
  return other('autoscaling/v2', 'HorizontalPodAutoscaler', name, { spec });
};

const autoscalers: StuckState = {
  name: 'autoscalers that fight, or refer to a kind that does not exist',
  namespace: 'autoscalers',
  objects: [
    deployment('web', { replicas: 1 }),
    cloneSet('clone', { replicas: 1 }),
    autoscaler('low', ['apps/v1', 'Deployment', 'web'], 1),
    autoscaler('high', ['apps/v1', 'Deployment', 'web'], 3),
    autoscaler('astray', ['apps/v1', 'CloneSet', 'clone'], 2),
  ],
  signs: [
    { list: 'autoscaling/v2/horizontalpodautoscalers', text: /"name":"astray".*FailedGetScale/ },
    // Each of the two has set its number, so that neither lasts.
    { list: 'events', text: /"name":"high".*New size: 3/ },
    { list: 'events', text: /"name":"low".*New size: 1/ },
  ],
  answers: [
    {
      target: 'deployment/web',
      reason: 'AutoscalersCompete',
      message: /^HorizontalPodAutoscaler high and HorizontalPodAutoscaler low both scale Deployment web$/,
      evidence: /^HorizontalPodAutoscaler low spec\.scaleTargetRef: Deployment web$/,
      next: /^Delete one of them/,
    },
    {
      target: 'hpa/astray',
      reason: 'AutoscalerCannotScale',
      message: /^HorizontalPodAutoscaler astray cannot scale its target$/,
      evidence: /^HorizontalPodAutoscaler astray status\.conditions\[AbleToScale\]: .*no matches for kind "CloneSet" in group "apps"/,
      next: /^Correct spec\.scaleTargetRef/,
    },
    {
      target: 'clone/clone',
      reason: 'AutoscalerCannotScale',
      message: /^HorizontalPodAutoscaler astray is meant for CloneSet clone, and refers to apps\/v1$/,
      evidence: /^HorizontalPodAutoscaler astray spec\.scaleTargetRef\.apiVersion: apps\/v1$/,
      next: /^Set spec\.scaleTargetRef\.apiVersion of HorizontalPodAutoscaler astray to apps\.kruise\.io\/v1beta1/,
    },
  ],
};

const disruptionBudget = (name: string, app: string, limit: object): object =>
  other('policy/v1', 'PodDisruptionBudget', name, { spec: { selector: { matchLabels: { app } }, ...limit } });

const budgets: StuckState = {
  name: 'a PodDisruptionBudget that no Pod may leave',
  namespace: 'budgets',
  objects: [
    cloneSet('clone', { replicas: 1 }),
    disruptionBudget('strict', 'clone', { minAvailable: '100%' }),
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'bare', labels: { app: 'bare' } },
      spec: (template('bare') as { spec: object }).spec,
    },
    disruptionBudget('blind', 'bare', { maxUnavailable: 1 }),
    other('apps/v1', 'DaemonSet', 'agent', { spec: { selector: { matchLabels: { app: 'agent' } }, template: template('agent') } }),
    disruptionBudget('scaleless', 'agent', { maxUnavailable: 1 }),
  ],
  signs: [
    { list: 'policy/v1/poddisruptionbudgets', text: /"name":"strict".*"currentHealthy":1/ },
    { list: 'policy/v1/poddisruptionbudgets', text: /"name":"blind".*"currentHealthy":1/ },
    { list: 'policy/v1/poddisruptionbudgets', text: /"name":"scaleless".*SyncFailed/ },
  ],
  answers: [
    {
      target: 'pdb/strict',
      reason: 'BudgetNeverAllows',
      message: /^PodDisruptionBudget strict never allows an eviction$/,
      evidence: /^PodDisruptionBudget strict status\.disruptionsAllowed: 0$/,
      next: /^Lower minAvailable/,
    },
    {
      target: 'pdb/blind',
      reason: 'BudgetCannotCount',
      message: /^PodDisruptionBudget blind allows no eviction because its Pods cannot be counted$/,
      evidence: /^PodDisruptionBudget blind status\.expectedPods: 0, while 1 Pod is healthy$/,
      next: /^Set minAvailable to a number/,
    },
    {
      target: 'pdb/scaleless',
      reason: 'BudgetCannotCount',
      message: /^PodDisruptionBudget scaleless allows no eviction because its Pods cannot be counted$/,
      evidence: /^PodDisruptionBudget scaleless status\.conditions\[DisruptionAllowed\]: SyncFailed: .*scale/,
      next: /^Set minAvailable to a number/,
    },
  ],
};

const rollout = (name: string, [apiVersion, kind]: readonly [string, string], spec: object = {}): object =>
  other('rollouts.kruise.io/v1beta1', 'Rollout', name, { spec: { workloadRef: { apiVersion, kind, name }, ...spec } });

/** As the controller of Kruise Rollouts does while a step waits: it holds back the new revision. */
const heldBack = { updateStrategy: { rollingUpdate: { partition: '100%' } } };
const newImage = { spec: { template: { spec: { containers: [{ name: 'main', image: 'registry.example/app:2' }] } } } };

const rollouts: StuckState = {
  name: 'a Rollout object that is paused',
  namespace: 'rollouts',
  objects: [
    cloneSet('clone', heldBack),
    rollout('clone', ['apps.kruise.io/v1beta1', 'CloneSet']),
    deployment('web', { paused: true }),
    rollout('web', ['apps/v1', 'Deployment'], { strategy: { paused: true } }),
  ],
  disturb: async (cluster) => {
    await cluster.until({ list: 'apps.kruise.io/v1beta1/clonesets', text: /"name":"clone".*"readyReplicas":2/ });
    const rolloutList = 'rollouts.kruise.io/v1beta1/rollouts';
    const step = { currentStepIndex: 1, currentStepState: 'StepPaused' };
    await cluster.patch(rolloutList, 'clone', { status: { phase: 'Progressing', canaryStatus: step } }, '/status');
    await cluster.patch(rolloutList, 'web', { status: { phase: 'Progressing' } }, '/status');
    await cluster.patch('apps.kruise.io/v1beta1/clonesets', 'clone', newImage);
  },
  signs: [
    { list: 'apps.kruise.io/v1beta1/clonesets', text: /"name":"clone".*"reason":"PartitionReached"/ },
    { list: 'apps/v1/deployments', text: /"name":"web".*DeploymentPaused/ },
  ],
  answers: [
    {
      target: 'clone/clone',
      reason: 'RolloutWaits',
      message: /^Rollout clone waits at step 1 to be approved$/,
      evidence: /^Rollout clone status\.canaryStatus\.currentStepState: StepPaused$/,
      next: /^kubectl kruise rollout approve rollout\/clone$/,
    },
    {
      target: 'deployment/web',
      reason: 'RolloutPaused',
      message: /^Rollout web, which updates Deployment web, is paused$/,
      evidence: /^Rollout web spec\.strategy\.paused: true$/,
      next: /^kubectl kruise rollout resume rollout\/web$/,
    },
  ],
};

const bare = (name: string, app: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  ...template(app),
  metadata: { name, labels: { app } },
});
const thief = (name: string, app: string): object =>
  other('apps/v1', 'ReplicaSet', name, { spec: { replicas: 1, selector: { matchLabels: { app } }, template: template(app) } });

/** Pods that a deleted StatefulSet has left are adopted by a ReplicaSet before the StatefulSet is created again. */
const selectors: StuckState = {
  name: 'a foreign selector that has caught a Pod',
  namespace: 'selectors',
  objects: [bare('db-0', 'db'), bare('asts-0', 'asts')],
  disturb: async (cluster) => {
    for (const name of ['db-0', 'asts-0']) await cluster.until({ list: 'pods', text: new RegExp(`"name":"${name}".*"ready":true`) });
    await cluster.create(thief('thief', 'db'));
    await cluster.create(thief('robber', 'asts'));
    for (const [pod, owner] of [
      ['db-0', 'thief'],
      ['asts-0', 'robber'],
    ] as const)
      await cluster.until({ list: 'pods', text: new RegExp(`"name":"${pod}".*"kind":"ReplicaSet","name":"${owner}"`) });
    await cluster.create(statefulSet('apps/v1', 'db'));
    await cluster.create(statefulSet('apps.kruise.io/v1beta1', 'asts'));
  },
  signs: [
    { list: 'apps/v1/statefulsets', text: /"name":"db".*"observedGeneration":1/ },
    { list: 'apps.kruise.io/v1beta1/statefulsets', text: /"name":"asts".*"observedGeneration":1/ },
  ],
  answers: [
    {
      target: 'statefulset/db',
      reason: 'ForeignSelector',
      message: /^ReplicaSet thief has Pods that the selector of StatefulSet db matches$/,
      evidence: /^Pod db-0 metadata\.ownerReferences: ReplicaSet thief$/,
      next: /^Give the two objects selectors that do not overlap/,
    },
    {
      target: 'asts/asts',
      reason: 'ForeignSelector',
      message: /^ReplicaSet robber has Pods that the selector of StatefulSet asts matches$/,
      evidence: /^Pod asts-0 metadata\.ownerReferences: ReplicaSet robber$/,
      next: /^Give the two objects selectors that do not overlap/,
    },
  ],
};

/** The nodes of the plane have no agent. */
const agents: StuckState = {
  name: 'an agent that does not run',
  namespace: 'agents',
  objects: [
    other('apps.kruise.io/v1beta1', 'ImagePullJob', 'pull', {
      spec: { image: 'registry.example/app:3', parallelism: 1, completionPolicy: { type: 'Always' } },
    }),
  ],
  signs: [{ list: 'apps.kruise.io/v1beta1/imagepulljobs', text: /"name":"pull".*"active":1/ }],
  minutesLater: 2,
  answers: [
    {
      target: 'imagepulljob/pull',
      reason: 'AgentAbsent',
      message: /^the agent of node [\w-]+ does not report$/,
      evidence: /^NodeImage [\w-]+ status\.imageStatuses\[registry\.example\/app:3\]: absent$/,
      next: /^Check the kruise-daemon Pod on the node/,
    },
  ],
};

export const rivalStates: readonly StuckState[] = [autoscalers, budgets, rollouts, selectors, agents];
