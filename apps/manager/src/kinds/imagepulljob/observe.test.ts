/** What a pass over a job looks at. @see spec/image-pulling.md 5.5 step 5 */
import { expect, it } from '@jest/globals';
import type { ImagePullJob } from '@kruise/api';
import type { KubeObject, Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { aJob, aNodeImage } from '@kruise/kinds/images/builders.testing';
import { byTaskOwner, NodeShares } from '@kruise/kinds/images';
import { observe, type Stores } from './observe.ts';
import { termsOf } from '@kruise/kinds/imagepulljob/testing';

const late = { rollingUpdate: { priorityStrategy: { weightPriority: [{ weight: 9, matchSelector: { matchLabels: { late: 'no' } } }] } } };
const cloneSet = (metadata: object): KubeObject =>
  ({
    kind: 'CloneSet',
    metadata: { name: 'web', namespace: 'default', uid: 'u', ...metadata },
    spec: { updateStrategy: late },
  }) as KubeObject;
const sidecarSet: KubeObject = {
  kind: 'SidecarSet',
  metadata: { name: 'web', uid: 'u' },
  spec: { updateStrategy: { priorityStrategy: late.rollingUpdate.priorityStrategy } },
} as KubeObject;
const ownedBy = (kind: string): Partial<ImagePullJob['metadata']> => ({
  ownerReferences: [{ apiVersion: 'apps.kruise.io/v1beta1', kind, name: 'web', uid: 'u', controller: true }],
});
const pods: readonly Pod[] = [
  aPod({ name: 'a', node: 'n1', labels: { app: 'web', late: 'yes' } }),
  aPod({ name: 'b', node: 'n2', labels: { app: 'web', late: 'no' } }),
  aPod({ name: 'c', node: 'n3', labels: { app: 'web' }, namespace: 'elsewhere' }),
];
const nodeImages = ['n1', 'n2', 'n3'].map((name) => aNodeImage({ name }));

function observed(job: ImagePullJob, workloads: readonly KubeObject[]) {
  const inNamespace = <T extends KubeObject>(list: readonly T[], namespace: string | undefined): readonly T[] =>
    list.filter(({ metadata }) => namespace === undefined || (metadata.namespace ?? '') === namespace);
  const get = <T extends KubeObject>(list: readonly T[], key: { readonly namespace: string; readonly name: string }): T | undefined =>
    inNamespace(list, key.namespace).find(({ metadata }) => metadata.name === key.name);
  const stores = {
    nodeImages: {
      list: () => nodeImages,
      get: (key: never) => get(nodeImages, key),
      byIndex: (index: object, value: string) => (index === byTaskOwner && value === job.metadata.uid ? [nodeImages[2]] : []),
    },
    pods: { list: ({ namespace }: { readonly namespace?: string }) => inNamespace(pods, namespace) },
    workloads: new Map(workloads.map((workload) => [workload.kind, { get: (key: never) => get([workload], key) }])),
  } as unknown as Stores;
  const seen = observe(stores, job, {
    terms: termsOf(job),
    references: [{ name: 's' }],
    refused: new Set(['n9']),
    shares: new NodeShares(() => undefined),
  });
  return { ...seen, nodes: seen.nodeImages.map(({ metadata }) => metadata.name) };
}
const onPods = (metadata: Partial<ImagePullJob['metadata']> = {}): ImagePullJob =>
  aJob({ spec: { podSelector: { matchLabels: { app: 'web' } } }, metadata });

it.each<{ name: string; job: ImagePullJob; workloads: readonly KubeObject[]; then: readonly string[] }>([
  { name: 'those of its Pods, which are of its namespace', job: onPods(), workloads: [], then: ['n1', 'n2'] },
  { name: 'in the order of its CloneSet', job: onPods(ownedBy('CloneSet')), workloads: [cloneSet({})], then: ['n2', 'n1'] },
  {
    name: 'in the order of its SidecarSet, which is in no namespace',
    job: onPods(ownedBy('SidecarSet')),
    workloads: [sidecarSet],
    then: ['n2', 'n1'],
  },
  {
    name: 'in no order of another CloneSet of the name',
    job: onPods(ownedBy('CloneSet')),
    workloads: [cloneSet({ uid: 'v' })],
    then: ['n1', 'n2'],
  },
  {
    name: 'in no order of a CloneSet elsewhere',
    job: onPods(ownedBy('CloneSet')),
    workloads: [cloneSet({ namespace: 'elsewhere' })],
    then: ['n1', 'n2'],
  },
  { name: 'in no order of a kind that is not installed', job: onPods(ownedBy('CloneSet')), workloads: [], then: ['n1', 'n2'] },
  { name: 'all of them for a job without a selector', job: aJob(), workloads: [], then: ['n1', 'n2', 'n3'] },
  { name: 'those that it names', job: aJob({ spec: { selector: { names: ['n3', 'n1'] } } }), workloads: [], then: ['n3', 'n1'] },
])('the nodes of a job are $name', ({ job, workloads, then }) => {
  expect(observed(job, workloads).nodes).toEqual(then);
});

it('the nodes with a task of the job are known, whether they are its nodes or not', () => {
  const seen = observed(onPods(), []);
  expect(seen).toMatchObject({ owned: [{ metadata: { name: 'n3' } }], references: [{ name: 's' }] });
  expect([...seen.refused]).toEqual(['n9']);
});
