import { describe, expect, it } from '@jest/globals';
import type { ImageListPullJob, ImagePullJob, NodeImage } from '@kruise/api';
import type { Request } from '@kruise/kube';
import { aPod } from '@kruise/testing';
import { aJob, aNodeImage, aTag, at } from '@kruise/kinds/images/builders.testing';
import {
  activeIndexOf,
  isAwaited,
  isEditedAfterEnd,
  requestsOfCopy,
  requestsOfList,
  requestsOfNodeImage,
  requestsOfPod,
  requestsOfSource,
} from './triggers.ts';

const jobs: readonly ImagePullJob[] = [
  aJob({ name: 'one', spec: { image: 'nginx:1' } }),
  aJob({ name: 'two', spec: { image: 'nginx:2' } }),
  aJob({ name: 'redis', spec: { image: 'redis:7' } }),
  aJob({ name: 'named', spec: { image: 'nginx:1', selector: { names: ['n1'] } } }),
  aJob({ name: 'elsewhere', spec: { image: 'nginx:1', selector: { names: ['n2'] } } }),
  aJob({ name: 'labelled', spec: { image: 'nginx:1', selector: { matchLabels: { zone: 'a' } } } }),
  aJob({ name: 'pods', spec: { image: 'nginx:1', podSelector: { matchLabels: { app: 'web' } }, pullSecrets: ['s'] } }),
  aJob({ name: 'over', spec: { image: 'nginx:1', pullSecrets: ['s'] }, status: { desired: 1, completionTime: at(1) } }),
  aJob({ name: 'going', spec: { image: 'nginx:1' }, metadata: { deletionTimestamp: at(1) } }),
];

const store = { byIndex: (_index: string, value: string) => jobs.filter((job) => activeIndexOf(job).includes(value)) };
const named = (requests: readonly Request[]): readonly string[] =>
  requests.map((request) => ('key' in request ? request.key.name : request.name)).sort();
const changed = (previous: NodeImage, object: NodeImage) => named(requestsOfNodeImage({ kind: 'Updated', previous, object }, store));

const before = aNodeImage({
  images: { nginx: { tags: [aTag(), aTag({ tag: '2' })] }, redis: { tags: [aTag({ tag: '7' })] } },
  statuses: {
    nginx: [
      { tag: '1', phase: 'Pulling' },
      { tag: '2', phase: 'Pulling' },
    ],
  },
});
const withSpec = (images: NonNullable<NodeImage['spec']['images']>): NodeImage => ({ ...before, spec: { images } });

describe('a change of a NodeImage enqueues', () => {
  const nginx = before.spec.images!['nginx']!;
  it.each<{ name: string; before?: NodeImage; after: NodeImage; then: readonly string[] }>([
    { name: 'none when nothing differs', after: { ...before, metadata: { ...before.metadata, resourceVersion: '2' } }, then: [] },
    {
      name: 'those that want the very tag, for its status',
      after: {
        ...before,
        status: {
          desired: 2,
          imageStatuses: {
            nginx: {
              tags: [
                { tag: '1', phase: 'Succeeded' },
                { tag: '2', phase: 'Pulling' },
              ],
            },
          },
        },
      },
      then: ['named', 'one', 'pods'],
    },
    {
      name: 'those that want the very tag, for its task',
      after: withSpec({ ...before.spec.images, nginx: { tags: [aTag(), aTag({ tag: '2', version: 1 })] } }),
      then: ['two'],
    },
    {
      name: 'all that want the image, for its secrets',
      after: withSpec({ ...before.spec.images, nginx: { ...nginx, pullSecrets: [{ name: 's' }] } }),
      then: ['named', 'one', 'pods', 'two'],
    },
    {
      name: 'all that want the image, for its sandbox',
      after: withSpec({ ...before.spec.images, nginx: { ...nginx, sandboxConfig: { labels: { a: 'b' } } } }),
      then: ['named', 'one', 'pods', 'two'],
    },
    { name: 'all that want the image, when it is taken out', after: withSpec({ nginx }), then: ['redis'] },
    {
      name: 'those that gain the node by its labels',
      after: { ...before, metadata: { ...before.metadata, labels: { zone: 'a' } } },
      then: ['labelled'],
    },
    {
      name: 'those that lose the node by its labels',
      before: { ...before, metadata: { ...before.metadata, labels: { zone: 'a' } } },
      after: { ...before, metadata: { ...before.metadata, labels: { zone: 'b' } } },
      then: ['labelled'],
    },
    {
      name: 'those that want an image that comes',
      before: withSpec({ redis: before.spec.images!['redis']! }),
      after: before,
      then: ['named', 'one', 'pods', 'two'],
    },
    {
      name: 'those that want the very tag, for the status of an image that has left',
      before: withSpec({ redis: before.spec.images!['redis']! }),
      after: {
        ...withSpec({ redis: before.spec.images!['redis']! }),
        status: {
          desired: 1,
          imageStatuses: {
            nginx: {
              tags: [
                { tag: '1', phase: 'Pulling' },
                { tag: '2', phase: 'Failed' },
              ],
            },
          },
        },
      },
      then: ['two'],
    },
    {
      name: 'none when it is still terminating',
      before: { ...before, metadata: { ...before.metadata, deletionTimestamp: at(1) } },
      after: { ...before, metadata: { ...before.metadata, deletionTimestamp: at(1), resourceVersion: '9' } },
      then: [],
    },
    {
      name: 'all that are for the node when it is deleted',
      after: { ...before, metadata: { ...before.metadata, deletionTimestamp: at(1) } },
      then: ['named', 'one', 'pods', 'redis', 'two'],
    },
  ])('$name', ({ before: previous = before, after, then }) => {
    expect(changed(previous, after)).toEqual(then);
  });

  it('all that are for the node when it is created or deleted, and none at the start', () => {
    const all = ['named', 'one', 'pods', 'redis', 'two'];
    expect(named(requestsOfNodeImage({ kind: 'Added', object: before, initial: false }, store))).toEqual(all);
    expect(named(requestsOfNodeImage({ kind: 'Deleted', object: before }, store))).toEqual(all);
    expect(requestsOfNodeImage({ kind: 'Added', object: before, initial: true }, store)).toEqual([]);
  });

  it('everybody when a full node takes images again', () => {
    const many = (count: number) =>
      aNodeImage({ images: Object.fromEntries(Array.from({ length: count }, (_, i) => [`i${i}`, { tags: [aTag()] }])) });
    expect(changed(many(256), many(255))).toEqual(['named', 'one', 'pods', 'redis', 'two']);
    expect(changed(many(255), many(254))).toEqual([]);
    expect(changed(many(257), many(256))).toEqual([]);
  });

  it('those that want another tag of an image that is taken out', () => {
    const other = aJob({ name: 'other', spec: { image: 'nginx:3' } });
    const found = { byIndex: (_index: string, value: string) => (value === 'image:nginx' ? [other] : []) };
    const { nginx: _nginx, ...rest } = before.spec.images!;
    expect(named(requestsOfNodeImage({ kind: 'Updated', previous: before, object: withSpec(rest) }, found))).toEqual(['other']);
  });
});

describe('a change of a Pod enqueues jobs that choose Pods', () => {
  const web = aPod({ name: 'p', labels: { app: 'web' }, node: 'n1' });
  const requestsOfChange = (previous: typeof web, object: typeof web) => named(requestsOfPod({ kind: 'Updated', previous, object }, store));

  it.each([
    ['when it gets a node', aPod({ name: 'p', labels: { app: 'web' }, node: '' }), web, ['pods']],
    ['when it moves to another node', web, aPod({ name: 'p', labels: { app: 'web' }, node: 'n2' }), ['pods']],
    ['when its labels do not match any more', web, aPod({ name: 'p', node: 'n1' }), ['pods']],
    ['when its labels begin to match', aPod({ name: 'p', node: 'n1' }), web, ['pods']],
    ['when it is going', web, aPod({ name: 'p', labels: { app: 'web' }, node: 'n1', terminating: true }), ['pods']],
    ['when it has ended', web, aPod({ name: 'p', labels: { app: 'web' }, node: 'n1', phase: 'Succeeded' }), ['pods']],
    ['not when it has no node', aPod({ name: 'p', node: '' }), aPod({ name: 'p', labels: { app: 'web' }, node: '' }), []],
    ['not when only its readiness changes', web, aPod({ name: 'p', labels: { app: 'web' }, node: 'n1', ready: false }), []],
    ['not when other labels change', web, aPod({ name: 'p', labels: { app: 'web', x: 'y' }, node: 'n1' }), []],
    ['not when it is none of theirs', aPod({ name: 'p', node: '' }), aPod({ name: 'p', node: 'n1' }), []],
  ])('%s', (_name, previous, object, then) => {
    expect(requestsOfChange(previous, object)).toEqual(then);
  });

  it('not at the start, when every job is looked at anyway', () => {
    expect(requestsOfPod({ kind: 'Added', object: web, initial: true }, store)).toEqual([]);
    expect(requestsOfPod({ kind: 'Added', object: aPod({ labels: { app: 'api' }, node: 'n1' }), initial: false }, store)).toEqual([]);
  });

  it('when it is created with a node or deleted', () => {
    expect(named(requestsOfPod({ kind: 'Added', object: web, initial: false }, store))).toEqual(['pods']);
    expect(named(requestsOfPod({ kind: 'Deleted', object: web }, store))).toEqual(['pods']);
    expect(requestsOfPod({ kind: 'Added', object: aPod({ labels: { app: 'web' }, node: '' }), initial: false }, store)).toEqual([]);
    expect(requestsOfPod({ kind: 'Added', object: aPod({ labels: { app: 'web' }, namespace: 'other' }), initial: false }, store)).toEqual(
      [],
    );
  });
});

describe('a change of a secret enqueues', () => {
  const secret = { metadata: { name: 's', namespace: 'default' }, data: { a: 'b' } };

  it('running jobs that name it, for its data alone', () => {
    expect(named(requestsOfSource({ kind: 'Added', object: secret, initial: false }, store))).toEqual(['pods']);
    expect(
      named(
        requestsOfSource({ kind: 'Updated', previous: { metadata: { ...secret.metadata, resourceVersion: '0' } }, object: secret }, store),
      ),
    ).toEqual(['pods']);
    expect(requestsOfSource({ kind: 'Updated', previous: secret, object: secret }, store)).toEqual([]);
    expect(
      requestsOfSource(
        { kind: 'Added', object: { ...secret, metadata: { ...secret.metadata, namespace: 'other' } }, initial: false },
        store,
      ),
    ).toEqual([]);
  });

  it('none at the start, nor when it is deleted', () => {
    expect(requestsOfSource({ kind: 'Added', object: secret, initial: true }, store)).toEqual([]);
    expect(requestsOfSource({ kind: 'Deleted', object: secret }, store)).toEqual([]);
  });

  it('those that a copy lists, when it was there before or is deleted', () => {
    const copy = { metadata: { name: 's-1', annotations: { 'imagepulljobs.kruise.io/references': 'a/b,c/d' } } };
    expect(requestsOfCopy({ kind: 'Deleted', object: copy })).toEqual([
      { namespace: 'a', name: 'b' },
      { namespace: 'c', name: 'd' },
    ]);
    expect(requestsOfCopy({ kind: 'Added', object: copy, initial: true })).toHaveLength(2);
    expect(requestsOfCopy({ kind: 'Added', object: copy, initial: false })).toEqual([]);
    expect(requestsOfCopy({ kind: 'Updated', previous: copy, object: copy })).toEqual([]);
  });
});

describe('a running job is found', () => {
  it.each<{ name: string; job: ImagePullJob; under: readonly string[] }>([
    { name: 'by its image', job: aJob(), under: ['all', 'image:nginx'] },
    {
      name: 'by its Pods and its secrets',
      job: aJob({ spec: { podSelector: {}, pullSecrets: ['a', 'b'] } }),
      under: ['all', 'image:nginx', 'pods:default', 'secret:default/a', 'secret:default/b'],
    },
    { name: 'with all others, when its image is none', job: aJob({ spec: { image: 'A:b:c' } }), under: ['all'] },
    { name: 'no more when it is over', job: aJob({ status: { desired: 0, completionTime: at(1) } }), under: [] },
    { name: 'no more when it is going', job: aJob({ metadata: { deletionTimestamp: at(1) } }), under: [] },
  ])('$name', ({ job, under }) => {
    expect(activeIndexOf(job)).toEqual(under);
  });

  it('a little later, so that changes of many nodes come together', () => {
    const requests = requestsOfNodeImage({ kind: 'Added', object: before, initial: false }, store);
    expect(requests.map((request) => ('after' in request ? request.after : undefined))).toEqual(requests.map(() => 20));
  });
});

describe('a job that an ImageListPullJob controls', () => {
  const reference = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'ImageListPullJob', name: 'all', uid: 'list', controller: true };
  const child = (over: object = {}): ImagePullJob => aJob({ metadata: { ownerReferences: [{ ...reference, ...over }] } });
  const aList = (status: Partial<NonNullable<ImageListPullJob['status']>> | undefined, metadata: object = {}): ImageListPullJob => ({
    metadata: { name: 'all', namespace: 'default', uid: 'list', ...metadata },
    spec: { images: [] } as unknown as ImageListPullJob['spec'],
    ...(status === undefined ? {} : { status: { desired: 0, ...status } }),
  });
  const listsWith = (list: ImageListPullJob | undefined) => ({
    get: ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
      namespace === 'default' && name === 'all' ? list : undefined,
  });
  const over = { completionTime: at(1) };

  it.each<{ name: string; job: ImagePullJob; list: ImageListPullJob | undefined; then: boolean }>([
    { name: 'waits for the list', job: child(), list: aList({}), then: true },
    { name: 'waits for a list without a status', job: child(), list: aList(undefined), then: true },
    { name: 'does not wait when the list is over', job: child(), list: aList(over), then: false },
    { name: 'does not wait when the list is going', job: child(), list: aList({}, { deletionTimestamp: at(1) }), then: false },
    { name: 'does not wait for another list of the name', job: child(), list: aList({}, { uid: 'another' }), then: false },
    { name: 'does not wait when there is no list', job: child(), list: undefined, then: false },
    { name: 'does not wait for what is no list', job: child({ kind: 'CloneSet' }), list: aList({}), then: false },
    { name: 'does not wait for one that does not control it', job: child({ controller: false }), list: aList({}), then: false },
    { name: 'does not wait without one', job: aJob(), list: aList({}), then: false },
  ])('$name', ({ job, list, then }) => {
    expect(isAwaited(job, listsWith(list))).toBe(then);
  });

  it('waits for nothing where there are no lists', () => {
    expect(isAwaited(child(), undefined)).toBe(false);
  });

  it.each<{ name: string; event: Parameters<typeof requestsOfList>[0]; then: readonly string[] }>([
    { name: 'when the list ends', event: { kind: 'Updated', previous: aList({}), object: aList(over) }, then: ['of-list'] },
    {
      name: 'when the list ends with its first status',
      event: { kind: 'Updated', previous: aList(undefined), object: aList(over) },
      then: ['of-list'],
    },
    { name: 'not while the list is active', event: { kind: 'Updated', previous: aList({}), object: aList({ active: 1 }) }, then: [] },
    {
      name: 'not when the list has ended before',
      event: { kind: 'Updated', previous: aList(over), object: aList({ ...over, active: 1 }) },
      then: [],
    },
    { name: 'not when the list comes', event: { kind: 'Added', object: aList(over), initial: false }, then: [] },
    { name: 'not when the list is deleted', event: { kind: 'Deleted', object: aList(over) }, then: [] },
  ])('is enqueued $name', ({ event, then }) => {
    const all = [
      { ...child(), metadata: { ...child().metadata, name: 'of-list' } },
      { ...child({ uid: 'another' }), metadata: { ...child({ uid: 'another' }).metadata, name: 'of-another' } },
      { ...child(), metadata: { ...child().metadata, name: 'elsewhere', namespace: 'other' } },
    ];
    const list = ({ namespace }: { readonly namespace?: string } = {}): readonly ImagePullJob[] =>
      all.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
    expect(requestsOfList(event, { list }).map(({ name }) => name)).toStrictEqual(then);
  });
});

describe('a change of the spec of a job', () => {
  const ended = aJob({ name: 'x', status: { desired: 1, completionTime: at(1) }, metadata: { generation: 1 } });
  const edited = { ...ended, metadata: { ...ended.metadata, generation: 2 } };
  const active = { ...ended, status: { desired: 1 } };
  const fresh = aJob({ name: 'x', metadata: { generation: 1 } });

  it.each<{ name: string; event: Parameters<typeof isEditedAfterEnd>[0]; then: boolean }>([
    { name: 'is reported after the end of the job', event: { kind: 'Updated', previous: ended, object: edited }, then: true },
    { name: 'is not reported before the end', event: { kind: 'Updated', previous: active, object: edited }, then: false },
    { name: 'is not reported for a job without a status', event: { kind: 'Updated', previous: fresh, object: edited }, then: false },
    { name: 'is not reported if the generation is the same', event: { kind: 'Updated', previous: ended, object: ended }, then: false },
    {
      name: 'is not reported if the job is being deleted',
      event: { kind: 'Updated', previous: ended, object: { ...edited, metadata: { ...edited.metadata, deletionTimestamp: at(2) } } },
      then: false,
    },
    { name: 'is not reported if the job is new to this process', event: { kind: 'Added', object: edited, initial: true }, then: false },
  ])('$name', ({ event, then }) => {
    expect(isEditedAfterEnd(event)).toBe(then);
  });
});
