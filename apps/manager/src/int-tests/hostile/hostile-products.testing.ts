/** Objects of the other kinds, each as large as its bounds allow or larger, and what two of them cost together. */
import { workloadLimits, type KubeObject } from '@kruise/objects';
import {
  alpha,
  app,
  type Attack,
  beta,
  cloneSet,
  copies,
  ephemeral,
  listed,
  longVariable,
  object,
  policy,
  pods,
  selector,
  sized,
  small,
  templateOf,
  text,
  times,
  unitedDeployment,
} from './hostile-objects.testing.ts';

const pod = (namespace: string, name: string, bytes: number): KubeObject => ({
  ...object('v1', 'Pod', { namespace, name }, templateOf(bytes, longVariable).spec),
  metadata: { namespace, name, labels: app },
});

/** The kinds whose Pods WorkloadSpreads, and budgets, may ask the Pod webhooks about. */
const spreadable = [
  { apiVersion: beta, kind: 'CloneSet' },
  { apiVersion: beta, kind: 'StatefulSet' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  { apiVersion: 'batch/v1', kind: 'Job' },
] as const;

const spreads = (namespace: string, count: number): readonly KubeObject[] =>
  times(count, (index) =>
    object(
      beta,
      'WorkloadSpread',
      { namespace, name: `kind-${index}` },
      {
        targetRef: { ...spreadable[index % spreadable.length], name: `target-${index}` },
        subsets: [{ name: 'a', maxReplicas: 1 }, { name: 'b' }],
      },
    ),
  );

/** The selector that most Pods have to be compared with: as many requirements and values as the bounds allow, and it selects the tenant's Pods. */
const widest = {
  ...selector,
  matchExpressions: times(990, (index) => ({ key: `k${index}`, operator: 'NotIn', values: times(10, (value) => `v${value}`) })),
};

/** Products with Pods and their templates. */
export const withPods: readonly Attack[] = [
  {
    name: `selectors at their bound in budgets, markers and ephemeral jobs over ${pods} Pods`,
    objects: (namespace) => [
      ...times(copies, (index) =>
        object(policy, 'PodUnavailableBudget', { namespace, name: `widest-${index}` }, { selector: widest, maxUnavailable: 1 }),
      ),
      ...times(copies, (index) =>
        object(
          alpha,
          'PodProbeMarker',
          { namespace, name: `widest-${index}` },
          {
            selector: widest,
            probes: [{ name: `p${index}`, containerName: 'main', podConditionType: `a/b${index}`, probe: { exec: { command: ['true'] } } }],
          },
        ),
      ),
      ...times(copies, (index) =>
        object(
          alpha,
          'EphemeralJob',
          { namespace, name: `widest-${index}` },
          { selector: widest, template: { ephemeralContainers: [ephemeral(`debug-${index}`)] } },
        ),
      ),
      cloneSet(namespace, 'selected'),
    ],
  },
  {
    name: 'dry runs of Pods of 1 MB that a WorkloadSpread, a budget and a SidecarSet look at',
    objects: (namespace) => [
      cloneSet(namespace, 'spread', 0, 1),
      object(
        beta,
        'WorkloadSpread',
        { namespace, name: 'patches' },
        {
          targetRef: { apiVersion: beta, kind: 'CloneSet', name: 'spread' },
          subsets: times(100, (index) => ({
            name: `s${index}`,
            maxReplicas: 1,
            patch: { metadata: { annotations: { a: text(5000) }, labels: { subset: `s${index}` } } },
          })),
        },
      ),
      object(policy, 'PodUnavailableBudget', { namespace, name: 'all' }, { selector, maxUnavailable: 1 }),
    ],
    isRefused: false,
    dryRuns: { times: 4, object: (namespace) => pod(namespace, 'large', 900_000) },
  },
];

/** With a template of 600 KB 55 reach the bound. */
const subsets = sized(5, 53);

const mostNodeRequirements = workloadLimits.nodeRequirements.value;
const nodeTerm = (operator: 'In' | 'NotIn', index: number): object => ({
  matchExpressions: [{ key: `k${index}`, operator, values: [`v${index}`] }],
});

/** A DaemonSet and a BroadcastJob for the nodes of these terms. */
function onNodes(namespace: string, name: string, nodeSelectorTerms: readonly object[]): readonly KubeObject[] {
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
  return [
    object(beta, 'DaemonSet', { namespace, name }, { selector, template: { ...small, spec: { ...small.spec, affinity } } }),
    object(
      beta,
      'BroadcastJob',
      { namespace, name },
      { parallelism: 1000, template: { spec: { ...small.spec, affinity, restartPolicy: 'Never' } } },
    ),
  ];
}

/** Products of subsets, nodes and templates. */
export const withTemplates: readonly Attack[] = [
  {
    name: `a UnitedDeployment of ${subsets} patched subsets over a template of 600 KB`,
    isRefused: false,
    objects: (namespace) => [
      unitedDeployment(
        { namespace, name: 'patched' },
        templateOf(600_000, longVariable),
        times(subsets, (index) => ({
          name: `s${index}`,
          patch: { spec: { template: { metadata: { annotations: { a: text(5000) } } } } },
        })),
      ),
    ],
  },
  {
    name: `a WorkloadSpread of 400 patched subsets over ${pods} Pods of 100 KB`,
    isRefused: false,
    objects: (namespace) => [
      cloneSet(namespace, 'patched', 100_000),
      object(
        beta,
        'WorkloadSpread',
        { namespace, name: 'patched' },
        {
          targetRef: { apiVersion: beta, kind: 'CloneSet', name: 'patched' },
          subsets: times(400, (index) => ({ name: `s${index}`, patch: { metadata: { annotations: { [`a${index}`]: text(500) } } } })),
        },
      ),
    ],
  },
  {
    name: 'DaemonSets and BroadcastJobs with templates of 600 KB, 2,000 terms of node affinity that are looked up, and as many others as the bound allows',
    isRefused: false,
    objects: (namespace) => {
      const terms = [...times(2000, (index) => nodeTerm('In', index)), ...times(mostNodeRequirements, (index) => nodeTerm('NotIn', index))];
      const large = templateOf(600_000, longVariable);
      return [
        object(beta, 'DaemonSet', { namespace, name: 'large' }, { selector, template: { ...large, metadata: { labels: app } } }),
        ...onNodes(namespace, 'terms', terms),
        ...times(sized(1, 2), (index) =>
          object(
            beta,
            'BroadcastJob',
            { namespace, name: `large-${index}` },
            { parallelism: 1000, template: { spec: { ...large.spec, restartPolicy: 'Never' } } },
          ),
        ),
      ];
    },
  },
  {
    name: 'DaemonSets and BroadcastJobs with 2,000 terms of node affinity that are compared with each node, and with one more than the bound allows',
    isRefused: true,
    objects: (namespace) =>
      [2000, mostNodeRequirements + 1].flatMap((count) =>
        onNodes(
          namespace,
          `compared-${count}`,
          times(count, (index) => nodeTerm('NotIn', index)),
        ),
      ),
  },
  {
    name: 'a UnitedDeployment of 1,000 subsets that patch a container of a template of 600 KB',
    isRefused: true,
    objects: (namespace) => [
      unitedDeployment(
        { namespace, name: 'patched-containers' },
        templateOf(600_000),
        times(1000, (index) => ({
          name: `s${index}`,
          patch: { spec: { containers: [{ name: 'main', env: [{ name: 'V0', value: `${index}` }] }] } },
        })),
      ),
    ],
  },
  {
    name: 'AdvancedCronJobs that run every second, never, or 500 KB at a time',
    objects: (namespace) => {
      const template = (bytes: number): object => ({
        broadcastJobTemplate: { spec: { template: { spec: { ...templateOf(bytes, longVariable).spec, restartPolicy: 'Never' } } } },
      });
      const images = {
        imageListPullJobTemplate: {
          spec: { images: times(listed, (index) => `registry.example/cron-${index}:1`), completionPolicy: { type: 'Always' } },
        },
      };
      const cron = (name: string, schedule: string, of: object): KubeObject =>
        object(
          beta,
          'AdvancedCronJob',
          { namespace, name },
          { schedule, template: of, successfulJobsHistoryLimit: 1_000_000, failedJobsHistoryLimit: 1_000_000 },
        );
      return [
        ...times(sized(2, 5), (index) => cron(`second-${index}`, '@every 1s', template(100))),
        ...times(sized(2, 5), (index) => cron(`never-${index}`, '0 0 31 2 *', template(100))),
        cron('large', '@every 1s', template(500_000)),
        cron('list', '@every 1s', images),
        cron('long', `${times(20_000, () => '1').join(',')} * * * *`, template(100)),
        cron('zone', `TZ=${text(100_000)} * * * * *`, template(100)),
      ];
    },
  },
  {
    name: `PersistentPodStates of 1,000 topology keys over a StatefulSet of ${pods} Pods`,
    objects: (namespace) => {
      const keys = times(1000, (index) => `topology.example/key-${index}`);
      return [
        object(
          beta,
          'StatefulSet',
          { namespace, name: 'kept' },
          { replicas: pods, serviceName: '', podManagementPolicy: 'Parallel', selector, template: small },
        ),
        ...times(copies, (index) =>
          object(
            beta,
            'PersistentPodState',
            { namespace, name: `kept-${index}` },
            {
              targetRef: { apiVersion: beta, kind: 'StatefulSet', name: 'kept' },
              requiredPersistentTopology: { keys },
              preferredPersistentTopology: times(100, (each) => ({ weight: 1, preference: { keys: keys.slice(each, each + 100) } })),
              persistentPodAnnotations: times(1000, (each) => ({ key: `annotation-${each}` })),
            },
          ),
        ),
      ];
    },
  },
];

/** What the first objects prepare, the last ones use. */
export const chains: readonly Attack[] = [
  {
    name: '21 WorkloadSpreads that widen the Pod webhook, then a CloneSet of a million replicas',
    isRefused: false,
    objects: (namespace) => [...spreads(namespace, 21), cloneSet(namespace, 'huge', 0, 1_000_000)],
  },
];
