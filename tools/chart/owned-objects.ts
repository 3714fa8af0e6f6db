/** Objects of every type that the hooks write to before a return to the original, with an owner that they name in v1beta1. */
import { cloneSets, imagePullJobs, resourceDistributions, unitedDeployments } from '@kruise/api';
import type { Client } from '@kruise/kube';
import {
  apiVersionOf,
  configMaps,
  controllerRevisions,
  namespaces,
  persistentVolumeClaims,
  secrets,
  type KubeObject,
  type ResourceType,
} from '@kruise/objects';
import { builtInStatefulSets, deployments } from '@kruise/workloads';

type Content = Readonly<Record<string, unknown>>;

const labels = { app: 'owned' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx:1' }] } };
const spec = { selector: { matchLabels: labels }, template };
const workload = { replicas: 0, ...spec };

const owners: readonly (readonly [ResourceType, Content])[] = [
  [cloneSets, workload],
  [
    unitedDeployments,
    { ...workload, template: { cloneSetTemplate: { metadata: { labels }, spec } }, topology: { subsets: [{ name: 'a' }] } },
  ],
  [
    resourceDistributions,
    {
      resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'copy' }, data: { key: 'value' } },
      targets: { includedNamespaces: { list: [{ name: 'default' }] } },
    },
  ],
];

const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

/** Dependents of each owner, in the order of {@link owners}. */
const dependents: readonly (readonly (readonly [ResourceType, Content])[])[] = [
  [
    [persistentVolumeClaims, { spec: claim }],
    [imagePullJobs, { spec: { image: 'nginx:1', completionPolicy: { type: 'Never' } } }],
  ],
  [
    [controllerRevisions, { revision: 1, data: {} }],
    [cloneSets, { spec: workload }],
    [builtInStatefulSets, { spec: { ...workload, serviceName: 'owned' } }],
    [deployments, { spec: workload }],
  ],
  [
    [configMaps, { data: { key: 'value' } }],
    [secrets, { stringData: { key: 'value' } }],
  ],
];

/** Creates them in a namespace of their own. @returns a function that reads the versions in which they name their owners, without duplicates */
export async function createOwnedObjects(client: Client, namespace: string): Promise<() => Promise<readonly string[]>> {
  await client.create(namespaces, { metadata: { name: namespace } });
  for (const [index, [type, content]] of owners.entries()) {
    const metadata = type.namespaced ? { namespace, name: 'owner' } : { name: `owner-${namespace}` };
    const owner = await client.create<KubeObject>(type, { metadata, spec: content } as KubeObject);
    const { name, uid = '' } = owner.metadata;
    const ownerReferences = [{ apiVersion: apiVersionOf(type), kind: type.kind, name, uid }];
    for (const [dependent, members] of dependents[index] ?? [])
      await client.create<KubeObject>(dependent, { metadata: { namespace, name: 'owned', ownerReferences }, ...members });
  }
  return async () => {
    const versions = new Set<string>();
    for (const [type] of dependents.flat()) {
      const { metadata } = await client.get(type, { namespace, name: 'owned' }, { part: 'Metadata' });
      for (const { apiVersion } of metadata.ownerReferences ?? []) versions.add(apiVersion);
    }
    return [...versions];
  };
}
