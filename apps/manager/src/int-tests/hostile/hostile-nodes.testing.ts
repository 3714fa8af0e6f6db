/** Objects that the agents of nodes work with: probes, ephemeral containers, recreations and images. */
import type { KubeObject } from '@kruise/objects';
import {
  alpha,
  type Attack,
  beta,
  cloneSet,
  ephemeral,
  listed,
  object,
  pods,
  selector,
  sized,
  text,
  times,
} from './hostile-objects.testing.ts';

/** For one Pod. */
const requests = sized(4, 100);

const job = (namespace: string, name: string, spec: object): KubeObject =>
  object(beta, 'ImagePullJob', { namespace, name }, { image: 'registry.example/app:1', completionPolicy: { type: 'Always' }, ...spec });

/** Over the Pods of a workload. */
export const probesAndContainers: readonly Attack[] = [
  {
    name: `PodProbeMarkers of 32 probes of 60 KB over ${pods} Pods`,
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
    name: `an EphemeralJob with 500 containers over ${pods} Pods`,
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
];

/** Requests that find the Pod without containers are refused; the simulated kubelet starts them meanwhile. */
export const recreations: Attack = {
  name: `${requests} ContainerRecreateRequests for all 200 containers of a Pod`,
  objects: (namespace) => {
    const names = times(200, (index) => `c${index}`);
    const containers = names.map((name) => ({ name, image: 'registry.example/app:1' }));
    return [
      object('v1', 'Pod', { namespace, name: 'recreated' }, { nodeName: 'simulated-0', containers }),
      ...times(requests, (index) =>
        object(
          beta,
          'ContainerRecreateRequest',
          { namespace, name: `recreate-${index}` },
          {
            podName: 'recreated',
            containers: names.map((name) => ({ name })),
            strategy: { unreadyGracePeriodSeconds: 1, minStartedSeconds: 1_000_000 },
            activeDeadlineSeconds: 3,
          },
        ),
      ),
    ];
  },
};

/** In the usual run beyond the bytes that a node holds of one namespace, in the full one beyond its tags, too. Each costs the API server 30 ms in the end. */
const pullJobs = sized(150, 4000);
/** Bytes of annotations for sandboxes, which fill a node beside the jobs. */
const sandboxBytes = 150_000;
/** Each owner of a tag has the name of its job in it. */
const longName = text(180);

/** Jobs that fill the images of all nodes. */
export const imageJobs: readonly Attack[] = [
  {
    name: `${pullJobs} ImagePullJobs: as many owners of one tag as tags of one image, behind one with 150 KB of sandbox annotations`,
    objects: (namespace) => [
      job(namespace, 'sandbox', { image: 'registry.example/sandbox:1', sandboxConfig: { annotations: { a: text(sandboxBytes) } } }),
      ...times(pullJobs, (index) =>
        job(namespace, `pull-${index}-${longName}`, { image: `registry.example/pulled:${index % 2 === 0 ? '1' : index}` }),
      ),
    ],
  },
  {
    name: `ImageListPullJobs of ${listed} images with 64 secrets and 32 KB of sandbox annotations, or with 250 KB`,
    objects: (namespace) =>
      times(2, (index) =>
        object(
          beta,
          'ImageListPullJob',
          { namespace, name: `list-${index}` },
          {
            images: times(listed, (image) => `registry.example/list-${index}-${image}:1`),
            pullSecrets: times(64, (secret) => `secret-${secret}`),
            sandboxConfig: { annotations: { a: text(index === 0 ? 32_000 : 250_000) } },
            completionPolicy: { type: 'Always' },
          },
        ),
      ),
  },
];

/** Objects that belong to no namespace. */
export const clusterObjects: Attack = {
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
};
