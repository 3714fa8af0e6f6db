import { describe, expect, it } from '@jest/globals';
import { labels, type ImageListPullJob, type ImagePullJob } from '@kruise/api';
import { deepFreeze, instant, milliseconds } from '@kruise/objects';
import { noneRefused } from '@kruise/workloads';
import { epoch } from '@kruise/testing';
import { at } from '../images/builders.testing.ts';
import { childOf, plan, templateHash, type Action } from './plan.ts';

const aList = (spec: Partial<ImageListPullJob['spec']> = {}, more: Partial<ImageListPullJob> = {}): ImageListPullJob => {
  const list: ImageListPullJob = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ImageListPullJob',
    spec: {
      images: ['nginx', 'redis'],
      completionPolicy: { type: 'Always' },
      pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 },
      ...spec,
    },
    ...more,
    metadata: { name: 'all', namespace: 'default', uid: 'list-uid', ...more.metadata },
  };
  return {
    ...list,
    metadata: { ...list.metadata, labels: { [labels.controllerRevisionHash]: templateHash(list), ...list.metadata.labels } },
  };
};

const done = (desired: number, succeeded: number): NonNullable<ImagePullJob['status']> => ({
  startTime: at(1),
  completionTime: at(5),
  desired,
  succeeded,
  failed: desired - succeeded,
  active: 0,
});

/** The child of an image, as the webhook completes it. */
const aChild = (list: ImageListPullJob, image: string, status?: ImagePullJob['status']): ImagePullJob => {
  const child = childOf(list, image);
  return {
    ...child,
    metadata: { ...child.metadata, uid: `uid-of-${image}` },
    spec: { ...child.spec, imagePullPolicy: 'IfNotPresent' },
    ...(status === undefined ? {} : { status }),
  };
};

const planOf = (job: ImageListPullJob, children: readonly ImagePullJob[], second = 10) =>
  plan(deepFreeze({ job, children, refused: noneRefused }), instant(epoch + second * 1000));

const storyOf = (actions: readonly Action[]): readonly string[] =>
  actions.map((action) => {
    if (action.kind === 'CreateJob') return `create ${action.image}`;
    return action.kind === 'DeleteJob' ? `delete ${action.job.metadata.name}` : action.kind;
  });
const reasonsOf = (actions: readonly Action[]): readonly string[] => actions.map(({ because }) => because);

describe('children', () => {
  const list = aList();

  it('are made one for each image, with the template, the hash and the list as their controller', () => {
    const { actions } = planOf(list, []);
    expect(storyOf(actions)).toEqual(['create nginx', 'create redis']);
    const [first] = actions as readonly { readonly job: ImagePullJob }[];
    expect(first?.job).toMatchObject({
      metadata: {
        generateName: 'all-',
        namespace: 'default',
        labels: { 'controller-revision-hash': templateHash(list) },
        ownerReferences: [
          {
            apiVersion: 'apps.kruise.io/v1beta1',
            kind: 'ImageListPullJob',
            name: 'all',
            uid: 'list-uid',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { image: 'nginx', completionPolicy: { type: 'Always' }, pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 } },
    });
    expect(first?.job.metadata.name).toMatch(/^all-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(first?.job.spec).not.toHaveProperty('images');
  });

  it('have names that repeat for the same and differ for everything else', () => {
    const other = aList({ parallelism: 7 });
    const again = { ...list, metadata: { ...list.metadata, uid: 'another-uid' } };
    const names = [
      childOf(list, 'nginx'),
      childOf(list, 'redis'),
      childOf(other, 'nginx'),
      childOf(list, 'nginx', 1),
      childOf(again, 'nginx'),
    ];
    expect(new Set(names.map(({ metadata }) => metadata.name)).size).toBe(5);
    // A later version of the manager must find what an earlier one made without hearing of it.
    expect(names.slice(0, 2).map(({ metadata }) => metadata.name)).toEqual(['all-477cd', 'all-9d979']);
    // Like the list, but another object read at another time.
    expect(childOf(structuredClone({ ...list, metadata: { ...list.metadata, resourceVersion: '99' } }), 'nginx')).toEqual(
      childOf(list, 'nginx'),
    );
  });

  it.each<{ name: string; children: readonly ImagePullJob[]; then: readonly string[] }>([
    { name: 'stay as they are', children: [aChild(list, 'nginx'), aChild(list, 'redis')], then: [] },
    { name: 'are made when they are missing', children: [aChild(list, 'redis')], then: ['create nginx'] },
    {
      name: 'go with their image',
      children: [aChild(list, 'nginx'), aChild(list, 'redis'), aChild(list, 'old')],
      then: [`delete ${childOf(list, 'old').metadata.name}`],
    },
    {
      name: 'that are going do not count',
      children: [
        { ...aChild(list, 'nginx'), metadata: { ...aChild(list, 'nginx').metadata, deletionTimestamp: at(1) } },
        aChild(list, 'redis'),
      ],
      then: ['create nginx'],
    },
    {
      name: 'are replaced when the template changed',
      children: [aChild(aList({ parallelism: 5 }), 'nginx'), aChild(list, 'redis')],
      then: ['create nginx', `delete ${childOf(aList({ parallelism: 5 }), 'nginx').metadata.name}`],
    },
    {
      name: 'with the hash of another version but the same template stay',
      children: [
        { ...aChild(list, 'nginx'), metadata: { ...aChild(list, 'nginx').metadata, labels: { 'controller-revision-hash': 'upstream' } } },
        aChild(list, 'redis'),
      ],
      then: [],
    },
    {
      name: 'are one for each image',
      children: [
        aChild(list, 'nginx'),
        { ...aChild(list, 'nginx'), metadata: { ...aChild(list, 'nginx').metadata, name: 'zzz' } },
        aChild(list, 'redis'),
      ],
      then: ['delete zzz'],
    },
    {
      name: 'with the present template are kept before others',
      children: [
        aChild(list, 'nginx'),
        {
          ...aChild(aList({ parallelism: 5 }), 'nginx'),
          metadata: { ...aChild(aList({ parallelism: 5 }), 'nginx').metadata, name: 'aaa' },
        },
        aChild(list, 'redis'),
      ],
      then: ['delete aaa'],
    },
  ])('$name', ({ children, then }) => {
    expect(storyOf(planOf(list, children).actions)).toEqual(then);
    expect(storyOf(planOf(list, children.toReversed()).actions)).toEqual(then);
  });

  it('are created and deleted for a reason that is logged', () => {
    const other = aChild(aList({ parallelism: 5 }), 'nginx');
    const twin = { ...aChild(list, 'redis'), metadata: { ...aChild(list, 'redis').metadata, name: 'zzz' } };
    expect(reasonsOf(planOf(list, [other, aChild(list, 'old'), aChild(list, 'redis'), twin]).actions)).toEqual([
      'the template changed',
      'the template changed',
      'the image left the list',
      'another job pulls the image',
    ]);
    expect(reasonsOf(planOf(list, [aChild(list, 'nginx')]).actions)).toEqual(['the image has no job']);
  });

  it('with the hash of the template stay, whatever was changed in them', () => {
    const edited = { ...aChild(list, 'nginx'), spec: { ...aChild(list, 'nginx').spec, parallelism: 9 } };
    expect(planOf(list, [edited, aChild(list, 'redis')]).actions).toEqual([]);
  });

  it('without labels stay as long as their template is the same', () => {
    const { labels: _labels, ...metadata } = aChild(list, 'nginx').metadata;
    const bare = { ...aChild(list, 'nginx'), metadata };
    expect(planOf(list, [bare, aChild(list, 'redis')]).actions).toEqual([]);
    const changed = { ...bare, spec: { ...bare.spec, parallelism: 9 } };
    expect(storyOf(planOf(list, [changed, aChild(list, 'redis')]).actions)).toEqual(['create nginx', `delete ${metadata.name}`]);
  });

  it('a list that is going makes none', () => {
    expect(planOf(aList({}, { metadata: { name: 'all', deletionTimestamp: at(1) } }), [])).toEqual({ actions: [] });
  });
});

describe('the label of the list', () => {
  it('is set when the template has another hash, which the images do not change', () => {
    const list = aList();
    expect(planOf({ ...list, metadata: { ...list.metadata, labels: {} } }, []).actions[0]).toMatchObject({
      kind: 'LabelHash',
      hash: templateHash(list),
      because: 'the template is new',
    });
    expect(templateHash(aList({ images: ['other'] }))).toBe(templateHash(list));
    expect(templateHash(aList({ parallelism: 2 }))).not.toBe(templateHash(list));
  });
});

describe('status', () => {
  const list = aList({ images: ['a', 'b', 'c'] });
  const failure = (image: string) => {
    const { name } = childOf(list, image).metadata;
    return {
      imagePullJob: name,
      name: image,
      message: `Please check for details which nodes failed by 'kubectl get ImagePullJob ${name}'.`,
    };
  };

  it.each<{ name: string; children: readonly ImagePullJob[]; then: object }>([
    { name: 'of a new list', children: [], then: { desired: 3, active: 0, completed: 0, succeeded: 0 } },
    {
      name: 'does not count children that have not begun',
      children: [aChild(list, 'a', { desired: 0 }), aChild(list, 'b')],
      then: { desired: 3, active: 0, completed: 0, succeeded: 0 },
    },
    {
      name: 'counts children by how far they are',
      children: [aChild(list, 'a', { startTime: at(1), desired: 3, active: 2, succeeded: 1, failed: 0 }), aChild(list, 'b', done(3, 3))],
      then: { desired: 3, active: 1, completed: 1, succeeded: 1 },
    },
    {
      name: 'lists failures in the order of the images, and ends with the last child',
      children: [aChild(list, 'c', done(3, 0)), aChild(list, 'b', done(3, 3)), aChild(list, 'a', done(3, 2))],
      then: {
        desired: 3,
        active: 0,
        completed: 3,
        succeeded: 1,
        failedImageStatuses: [failure('a'), failure('c')],
        completionTime: at(10),
      },
    },
  ])('$name', ({ children, then }) => {
    expect(planOf(list, children).status).toEqual({ startTime: at(10), ...then });
  });

  it('never ends for a list that keeps its images there', () => {
    const kept = aList({ completionPolicy: { type: 'Never' }, images: ['a'] });
    expect(planOf(kept, [aChild(kept, 'a', done(1, 1))]).status).toMatchObject({ completed: 1, succeeded: 1 });
    expect(planOf(kept, [aChild(kept, 'a', done(1, 1))]).status?.completionTime).toBeUndefined();
  });

  it('of a list that is over stays, and its children are left alone', () => {
    const over = aList(
      { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 20 } },
      { status: { desired: 2, completionTime: at(5) } },
    );
    expect(planOf(over, [], 10)).toEqual({ actions: [], requeueAfter: milliseconds(15_000) });
    expect(planOf(over, [], 25).actions).toEqual([{ kind: 'DeleteList', because: '20 s after its end' }]);
    expect(planOf(aList({}, { status: { desired: 2, completionTime: at(5) } }), [], 1e6)).toEqual({ actions: [] });
  });

  it('ends, and stays indefinitely, for a list from before the completion policy had a default', () => {
    const { completionPolicy: _policy, ...spec } = aList({ images: ['a'] }).spec;
    const bare = aList({}, { spec: spec as ImageListPullJob['spec'] });
    expect(planOf(bare, [aChild(bare, 'a', done(1, 1))]).status).toMatchObject({ completed: 1, completionTime: at(10) });
    expect(planOf({ ...bare, status: { desired: 1, completionTime: at(5) } }, [], 1e6)).toEqual({ actions: [] });
  });
});

it('a job is named after its list and the last five characters of a hash', () => {
  const names = Array.from({ length: 50 }, (_, i) => childOf(aList(), `image-${i}`).metadata.name);
  expect(names.filter((name) => !/^all-[a-z0-9]{5}$/.test(name))).toEqual([]);
});

it('reads annotations for sandboxes once for all images and passes over a list as the store holds it', () => {
  let reads = 0;
  const annotations = Object.freeze({
    get long() {
      reads += 1;
      return 'x';
    },
  });
  const list = aList({ images: ['a', 'b', 'c'], sandboxConfig: { annotations } });
  const before = reads;
  const created = (): number => planOf(list, []).actions.filter(({ kind }) => kind === 'CreateJob').length;
  expect([created(), created(), reads - before]).toEqual([3, 3, 1]);
});
