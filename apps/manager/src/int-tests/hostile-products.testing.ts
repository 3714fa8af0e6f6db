/** Objects of the other kinds, each as large as its bounds allow or larger, and what two of them cost together. */
import type { KubeObject } from '@kruise/objects';
import { casesOf } from '@kruise/testing';
import { app, type Attack, beta, manyAtOnce, object, selector, small, templateOf, unitedDeployment } from './hostile-objects.testing.ts';

const alpha = 'apps.kruise.io/v1alpha1';
const policy = 'policy.kruise.io/v1beta1';

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
/** Of an environment variable, where the bytes of a template count and not its entries. */
const longVariable = 2000;
const text = (characters: number): string => 'x'.repeat(characters);

/** As many Pods as the quota of the tenant allows, with a template of about this many bytes. */
const cloneSet = (namespace: string, name: string, bytes = 0, replicas = 20): KubeObject =>
  object(beta, 'CloneSet', { namespace, name }, { replicas, selector, template: bytes === 0 ? small : templateOf(bytes, longVariable) });

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

const job = (namespace: string, name: string, spec: object): KubeObject =>
  object(beta, 'ImagePullJob', { namespace, name }, { image: 'registry.example/app:1', completionPolicy: { type: 'Always' }, ...spec });

/** Products with Pods and their templates. */
const withPods: readonly Attack[] = [
  {
    name: 'selectors at their bound in budgets, markers and ephemeral jobs over 20 Pods',
    objects: (namespace) => [
      ...times(3, (index) =>
        object(policy, 'PodUnavailableBudget', { namespace, name: `widest-${index}` }, { selector: widest, maxUnavailable: 1 }),
      ),
      ...times(3, (index) =>
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
      ...times(3, (index) =>
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
    name: 'PodProbeMarkers of 32 probes of 60 KB over 20 Pods',
    objects: (namespace) => [
      cloneSet(namespace, 'probed'),
      ...times(5, (index) =>
        object(
          alpha,
          'PodProbeMarker',
          { namespace, name: `probes-${index}` },
          {
            selector,
            probes: times(32, (probe) => ({
              name: `p${index}-${probe}`,
              containerName: 'main',
              podConditionType: `hostile/c${index}-${probe}`,
              probe: { exec: { command: ['true', text(1800)] }, periodSeconds: 1, timeoutSeconds: 3600 },
            })),
          },
        ),
      ),
    ],
  },
  {
    name: 'an EphemeralJob with 500 containers over 20 Pods',
    objects: (namespace) => [
      cloneSet(namespace, 'debugged'),
      object(
        alpha,
        'EphemeralJob',
        { namespace, name: 'debug' },
        {
          selector,
          parallelism: 1_000_000,
          replicas: 1_000_000,
          template: { ephemeralContainers: times(500, (each) => ephemeral(`debug-${each}`)) },
        },
      ),
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

function ephemeral(name: string): object {
  return { name, image: 'registry.example/debug:1', imagePullPolicy: 'IfNotPresent', terminationMessagePolicy: 'File' };
}

/** Products of subsets, nodes and templates. */
const withTemplates: readonly Attack[] = [
  {
    name: 'a UnitedDeployment of 20 patched subsets over a template of 600 KB',
    isRefused: false,
    objects: (namespace) => [
      unitedDeployment(
        { namespace, name: 'patched' },
        templateOf(600_000, longVariable),
        times(20, (index) => ({
          name: `s${index}`,
          patch: { spec: { template: { metadata: { annotations: { a: text(5000) } } } } },
        })),
      ),
    ],
  },
  {
    name: 'a WorkloadSpread of 400 patched subsets over 20 Pods of 100 KB',
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
    name: 'DaemonSets and BroadcastJobs with templates of 600 KB and 2,000 terms of node affinity',
    objects: (namespace) => {
      const terms = times(2000, (index) => ({ matchExpressions: [{ key: `k${index}`, operator: 'In', values: [`v${index}`] }] }));
      const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } };
      const large = templateOf(600_000, longVariable);
      return [
        object(beta, 'DaemonSet', { namespace, name: 'large' }, { selector, template: { ...large, metadata: { labels: app } } }),
        object(beta, 'DaemonSet', { namespace, name: 'terms' }, { selector, template: { ...small, spec: { ...small.spec, affinity } } }),
        ...times(2, (index) =>
          object(
            beta,
            'BroadcastJob',
            { namespace, name: `large-${index}` },
            { parallelism: 1000, template: { spec: { ...large.spec, restartPolicy: 'Never' } } },
          ),
        ),
        object(
          beta,
          'BroadcastJob',
          { namespace, name: 'terms' },
          { parallelism: 1000, template: { spec: { ...small.spec, affinity, restartPolicy: 'Never' } } },
        ),
      ];
    },
  },
  {
    name: 'AdvancedCronJobs that run every second, never, or 500 KB at a time',
    objects: (namespace) => {
      const template = (bytes: number): object => ({
        broadcastJobTemplate: { spec: { template: { spec: { ...templateOf(bytes, longVariable).spec, restartPolicy: 'Never' } } } },
      });
      const images = {
        imageListPullJobTemplate: {
          spec: { images: times(255, (index) => `registry.example/cron-${index}:1`), completionPolicy: { type: 'Always' } },
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
        ...times(5, (index) => cron(`second-${index}`, '@every 1s', template(100))),
        ...times(5, (index) => cron(`never-${index}`, '0 0 31 2 *', template(100))),
        cron('large', '@every 1s', template(500_000)),
        cron('list', '@every 1s', images),
        cron('long', `${times(20_000, () => '1').join(',')} * * * *`, template(100)),
        cron('zone', `TZ=${text(100_000)} * * * * *`, template(100)),
      ];
    },
  },
  {
    name: 'PersistentPodStates of 1,000 topology keys over a StatefulSet of 20 Pods',
    objects: (namespace) => {
      const keys = times(1000, (index) => `topology.example/key-${index}`);
      return [
        object(
          beta,
          'StatefulSet',
          { namespace, name: 'kept' },
          { replicas: 20, serviceName: '', podManagementPolicy: 'Parallel', selector, template: small },
        ),
        ...times(3, (index) =>
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

/** Beyond the bounds of a node in owners, tags and bytes; each costs the API server 10 ms. */
const pullJobs = casesOf(1000, 4000);

/** What is shared: nodes, their images, and objects of the cluster. */
const shared: readonly Attack[] = [
  {
    name: `${pullJobs} ImagePullJobs: as many owners of one tag as tags of one image`,
    objects: (namespace) =>
      times(pullJobs, (index) => job(namespace, `pull-${index}`, { image: `registry.example/pulled:${index % 2 === 0 ? '1' : index}` })),
  },
  {
    name: 'ImageListPullJobs of 255 images with 64 secrets and 32 KB of sandbox annotations, or with 250 KB',
    objects: (namespace) =>
      times(2, (index) =>
        object(
          beta,
          'ImageListPullJob',
          { namespace, name: `list-${index}` },
          {
            images: times(255, (image) => `registry.example/list-${index}-${image}:1`),
            pullSecrets: times(64, (secret) => `secret-${secret}`),
            sandboxConfig: { annotations: { a: text(index === 0 ? 32_000 : 250_000) } },
            completionPolicy: { type: 'Always' },
          },
        ),
      ),
  },
  {
    name: 'objects of the cluster, for which it has no right',
    isRefused: true,
    isOfCluster: true,
    objects: () => [
      {
        ...object(beta, 'SidecarSet', { namespace: '', name: 'hostile' }, { selector: {}, containers: [] }),
        metadata: { name: 'hostile' },
      },
      {
        ...object(beta, 'ResourceDistribution', { namespace: '', name: 'hostile' }, { resource: {}, targets: { allNamespaces: true } }),
        metadata: { name: 'hostile' },
      },
      { ...object(beta, 'NodeImage', { namespace: '', name: 'hostile' }, {}), metadata: { name: 'hostile' } },
      { ...object(alpha, 'NodePodProbe', { namespace: '', name: 'hostile' }, {}), metadata: { name: 'hostile' } },
    ],
  },
];

/** What the first objects prepare, the last ones use. */
const chains: readonly Attack[] = [
  {
    name: '21 WorkloadSpreads that widen the Pod webhook, then a CloneSet of a million replicas',
    isRefused: false,
    objects: (namespace) => [...spreads(namespace, 21), cloneSet(namespace, 'huge', 0, 1_000_000)],
  },
];

/** In the order in which they are tried. */
export const attacks: readonly Attack[] = [...manyAtOnce, ...withPods, ...withTemplates, ...shared, ...chains];
