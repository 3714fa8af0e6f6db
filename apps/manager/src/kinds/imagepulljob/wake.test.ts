import { describe, expect, it } from '@jest/globals';
import type { ImagePullJob, NodeImage } from '@kruise/api';
import type { Request } from '@kruise/kube';
import { aPod } from '@kruise/testing';
import { aJob, aNodeImage, aTag, at } from '../../images/builders.testing.ts';
import { activeIndexOf, wakeOfCopy, wakeOfNodeImage, wakeOfPod, wakeOfSource } from './wake.ts';

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
const changed = (previous: NodeImage, object: NodeImage) => named(wakeOfNodeImage({ kind: 'Updated', previous, object }, store));

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

describe('a change of a NodeImage wakes', () => {
  const nginx = before.spec.images!['nginx']!;
  it.each<{ name: string; after: NodeImage; then: readonly string[] }>([
    { name: 'nobody when nothing differs', after: { ...before, metadata: { ...before.metadata, resourceVersion: '2' } }, then: [] },
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
      name: 'all that are for the node when it goes',
      after: { ...before, metadata: { ...before.metadata, deletionTimestamp: at(1) } },
      then: ['named', 'one', 'pods', 'redis', 'two'],
    },
  ])('$name', ({ after, then }) => {
    expect(changed(before, after)).toEqual(then);
  });

  it('all that are for the node when it comes or is gone, and nobody at the start', () => {
    const all = ['named', 'one', 'pods', 'redis', 'two'];
    expect(named(wakeOfNodeImage({ kind: 'Added', object: before, initial: false }, store))).toEqual(all);
    expect(named(wakeOfNodeImage({ kind: 'Deleted', object: before }, store))).toEqual(all);
    expect(wakeOfNodeImage({ kind: 'Added', object: before, initial: true }, store)).toEqual([]);
  });

  it('everybody when a full node takes images again', () => {
    const many = (count: number) =>
      aNodeImage({ images: Object.fromEntries(Array.from({ length: count }, (_, i) => [`i${i}`, { tags: [aTag()] }])) });
    expect(changed(many(256), many(255))).toEqual(['named', 'one', 'pods', 'redis', 'two']);
    expect(changed(many(255), many(254))).toEqual([]);
  });
});

describe('a change of a Pod wakes jobs that choose Pods', () => {
  const web = aPod({ name: 'p', labels: { app: 'web' }, node: 'n1' });
  const wake = (previous: typeof web, object: typeof web) => named(wakeOfPod({ kind: 'Updated', previous, object }, store));

  it.each([
    ['when it gets a node', aPod({ name: 'p', labels: { app: 'web' }, node: '' }), web, ['pods']],
    ['when its labels begin to match', aPod({ name: 'p', node: 'n1' }), web, ['pods']],
    ['when it is going', web, aPod({ name: 'p', labels: { app: 'web' }, node: 'n1', terminating: true }), ['pods']],
    ['when it has ended', web, aPod({ name: 'p', labels: { app: 'web' }, node: 'n1', phase: 'Succeeded' }), ['pods']],
    ['not when only its readiness changes', web, aPod({ name: 'p', labels: { app: 'web' }, node: 'n1', ready: false }), []],
    ['not when other labels change', web, aPod({ name: 'p', labels: { app: 'web', x: 'y' }, node: 'n1' }), []],
    ['not when it is none of theirs', aPod({ name: 'p', node: '' }), aPod({ name: 'p', node: 'n1' }), []],
  ])('%s', (_name, previous, object, then) => {
    expect(wake(previous, object)).toEqual(then);
  });

  it('when it comes with a node or is gone', () => {
    expect(named(wakeOfPod({ kind: 'Added', object: web, initial: false }, store))).toEqual(['pods']);
    expect(named(wakeOfPod({ kind: 'Deleted', object: web }, store))).toEqual(['pods']);
    expect(wakeOfPod({ kind: 'Added', object: aPod({ labels: { app: 'web' }, node: '' }), initial: false }, store)).toEqual([]);
    expect(wakeOfPod({ kind: 'Added', object: aPod({ labels: { app: 'web' }, namespace: 'other' }), initial: false }, store)).toEqual([]);
  });
});

describe('a change of a secret wakes', () => {
  const secret = { metadata: { name: 's', namespace: 'default' }, data: { a: 'b' } };

  it('running jobs that name it, for its data alone', () => {
    expect(named(wakeOfSource({ kind: 'Added', object: secret, initial: false }, store))).toEqual(['pods']);
    expect(named(wakeOfSource({ kind: 'Updated', previous: { ...secret, data: {} }, object: secret }, store))).toEqual(['pods']);
    expect(
      wakeOfSource(
        { kind: 'Updated', previous: { ...secret, metadata: { ...secret.metadata, labels: { a: 'b' } } }, object: secret },
        store,
      ),
    ).toEqual([]);
    expect(
      wakeOfSource({ kind: 'Added', object: { ...secret, metadata: { ...secret.metadata, namespace: 'other' } }, initial: false }, store),
    ).toEqual([]);
  });

  it('those that a copy lists, when it was there before or is deleted', () => {
    const copy = { metadata: { name: 's-1', annotations: { 'imagepulljobs.kruise.io/references': 'a/b,c/d' } } };
    expect(wakeOfCopy({ kind: 'Deleted', object: copy })).toEqual([
      { namespace: 'a', name: 'b' },
      { namespace: 'c', name: 'd' },
    ]);
    expect(wakeOfCopy({ kind: 'Added', object: copy, initial: true })).toHaveLength(2);
    expect(wakeOfCopy({ kind: 'Added', object: copy, initial: false })).toEqual([]);
    expect(wakeOfCopy({ kind: 'Updated', previous: copy, object: copy })).toEqual([]);
  });
});
