import { describe, expect, it } from '@jest/globals';
import type { ImageTagSpec, NodeImage } from '@kruise/api';
import { deepFreeze, imageLimits, instant, seconds, type Node } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { aNode, aNodeImage, aTag, at, ownerOf } from '../images/builders.testing.ts';
import { plan } from './plan.ts';
import type { Context, Snapshot } from './snapshot.ts';

const contextAt = (second: number): Context => ({ now: instant(epoch + second * 1000), creationDelay: seconds(30) });

const seen = (given: Partial<Snapshot>): Snapshot =>
  deepFreeze({
    name: 'n1',
    node: undefined,
    nodeImage: undefined,
    deletedOwners: new Set<string>(),
    deletedSecrets: new Set<string>(),
    runningOwners: new Set<string>(),
    ...given,
  });

const planAt = (second: number, given: Partial<Snapshot>) => plan(seen(given), contextAt(second));

const images = (tags: readonly ReturnType<typeof aTag>[], more: object = {}): NonNullable<NodeImage['spec']['images']> => ({
  nginx: { tags, ...more },
});

describe('a node and its NodeImage', () => {
  it.each<{ name: string; node?: Node; second: number; action?: string; wait?: number }>([
    { name: 'a Node that has been ready for the delay gets one', node: aNode('n1'), second: 30, action: 'Create' },
    { name: 'one that just turned ready waits for the rest', node: aNode('n1'), second: 10, wait: 20_000 },
    { name: 'one that is not ready is left alone', node: aNode('n1', {}, 'False'), second: 100 },
    { name: 'one that says nothing of it is left alone', node: { metadata: { name: 'n1' } }, second: 100 },
    { name: 'one whose status has no conditions is left alone', node: { metadata: { name: 'n1' }, status: {} }, second: 100 },
    { name: 'one that is going is left alone', node: aNode('n1', { deletionTimestamp: at(1) }), second: 100 },
    { name: 'one without a kubelet is left alone', node: aNode('n1', { labels: { type: 'virtual-kubelet' } }), second: 100 },
    { name: 'no Node, no NodeImage', second: 100 },
    {
      name: 'one that does not say since when it is ready waits for the whole delay',
      node: {
        metadata: { name: 'n1' },
        status: {
          conditions: [
            { type: 'DiskPressure', status: 'False' },
            { type: 'Ready', status: 'True' },
          ],
        },
      },
      second: 100,
      wait: 30_000,
    },
    {
      name: 'of another sort than virtual, one gets one as well',
      node: aNode('n1', { labels: { type: 'real' } }),
      second: 30,
      action: 'Create',
    },
  ])('$name', ({ node, second, action, wait }) => {
    const { action: planned, requeueAfter } = planAt(second, { node });
    expect([planned?.kind, requeueAfter]).toEqual([action, wait]);
  });

  it('is created with the labels of the Node, so that no second write is needed', () => {
    const { action } = planAt(30, { node: aNode('n1', { labels: { zone: 'a' } }) });
    expect(action).toMatchObject({ kind: 'Create', nodeImage: { metadata: { name: 'n1', labels: { zone: 'a' } }, spec: {} } });
    const created = (action as { readonly nodeImage: NodeImage }).nodeImage;
    expect([created.apiVersion, created.kind]).toEqual(['apps.kruise.io/v1beta1', 'NodeImage']);
    expect(planAt(30, { node: aNode('n1') }).action).toMatchObject({
      because: 'the Node has been ready for 30 s',
      nodeImage: { metadata: { name: 'n1' } },
    });
    expect(planAt(30, { node: aNode('n1') }).action).not.toHaveProperty('nodeImage.metadata.labels');
    expect(planAt(31, { node: aNode('n1', { labels: { zone: 'a' } }), nodeImage: created })).toEqual({});
  });

  it.each<{ name: string; node?: Node; nodeImage: NodeImage; action?: string }>([
    { name: 'is deleted with the Node', nodeImage: aNodeImage(), action: 'Delete' },
    {
      name: 'is deleted when the Node is terminating',
      node: aNode('n1', { deletionTimestamp: at(1) }),
      nodeImage: aNodeImage(),
      action: 'Delete',
    },
    {
      name: 'stays without a Node when it is labelled as fake',
      nodeImage: aNodeImage({ labels: { 'apps.kruise.io/fake-nodeimage': '' } }),
    },
    { name: 'is left alone when it is going', nodeImage: aNodeImage({ metadata: { deletionTimestamp: at(1) } }) },
    {
      name: 'follows the labels',
      node: aNode('n1', { labels: { a: '1' } }),
      nodeImage: aNodeImage({ labels: { b: '1' } }),
      action: 'UpdateSpec',
    },
    {
      name: 'needs nothing when the labels are the same',
      node: aNode('n1', { labels: { a: '1' } }),
      nodeImage: aNodeImage({ labels: { a: '1' } }),
    },
  ])('$name', ({ node, nodeImage, action }) => {
    expect(planAt(100, { node, nodeImage }).action?.kind).toBe(action);
  });

  it('of a fake one the tasks are maintained, and the labels stay while a Node of the name is being deleted', () => {
    const nodeImage = aNodeImage({ labels: { 'apps.kruise.io/fake-nodeimage': 'true' }, images: images([{ tag: '1' }]) });
    const going = aNode('n1', { deletionTimestamp: at(1), labels: { zone: 'a' } });
    for (const node of [undefined, going])
      expect(planAt(100, { node, nodeImage }).action).toMatchObject({
        kind: 'UpdateSpec',
        after: { metadata: nodeImage.metadata, spec: { images: {} } },
      });
  });

  it('takes the labels of the Node and nothing else, and says so', () => {
    const nodeImage = aNodeImage({ labels: { b: '1' }, images: images([aTag()]) });
    const followed = planAt(100, { node: aNode('n1', { labels: { a: '1' } }), nodeImage }).action;
    expect(followed).toEqual({
      kind: 'UpdateSpec',
      before: nodeImage,
      after: { ...nodeImage, metadata: { ...nodeImage.metadata, labels: { a: '1' } } },
      because: 'the labels of the Node changed',
    });
    expect(planAt(100, { node: aNode('n1'), nodeImage }).action).toMatchObject({ after: { metadata: { labels: {} } } });
    expect(planAt(100, { node: aNode('n1', { labels: {} }), nodeImage: aNodeImage() })).toEqual({});
  });
});

describe('cleaning up', () => {
  const done = { tag: '1', phase: 'Succeeded', completionTime: at(100) } as const;
  it.each<{
    name: string;
    given: NodeImage;
    second?: number;
    deleted?: readonly string[];
    running?: readonly string[];
    secrets?: readonly string[];
    then: unknown;
    wait?: number;
    because?: string;
  }>([
    {
      name: 'a tag without a creation time is removed, and the image with it',
      given: aNodeImage({ images: images([{ tag: '1' }]) }),
      then: {},
      because: 'nginx:1 does not contain the time of its request',
    },
    { name: 'an image without tags is removed', given: aNodeImage({ images: images([]) }), then: {}, because: 'nginx has no tags' },
    {
      name: 'each image for itself, and all that is done is said',
      given: aNodeImage({
        images: {
          empty: { tags: [] },
          ...images([aTag(), { tag: '2' }], { sandboxConfig: { labels: { a: 'b' } } }),
          redis: { tags: [aTag()] },
        },
      }),
      then: { ...images([aTag()], { sandboxConfig: { labels: { a: 'b' } } }), redis: { tags: [aTag()] } },
      because: 'empty has no tags, nginx:2 does not contain the time of its request',
    },
    {
      name: 'an owner without a UID is not known to be gone',
      given: aNodeImage({ images: images([aTag({ ownerReferences: [{ ...ownerOf(), uid: undefined }] as never })]) }),
      deleted: ['uid-of-pull'],
      then: undefined,
      wait: 500_000,
    },
    {
      name: 'a task without a time to live stays after its end',
      given: aNodeImage({ images: images([aTag({ pullPolicy: { timeoutSeconds: 600 } })]), statuses: { nginx: [done] } }),
      second: 1e6,
      then: undefined,
    },
    {
      name: 'a task without a pull policy as well',
      given: aNodeImage({ images: images([{ tag: '1', createdAt: at(0) }]), statuses: { nginx: [done] } }),
      second: 1e6,
      then: undefined,
    },
    {
      name: 'the end of another tag does not count',
      given: aNodeImage({ images: images([aTag()]), statuses: { nginx: [{ ...done, tag: '2' }] } }),
      second: 300,
      then: undefined,
      wait: 300_000,
    },
    {
      name: 'the first of several ends is waited for',
      given: aNodeImage({
        images: images([aTag(), aTag({ tag: '2' })]),
        statuses: { nginx: [done, { ...done, tag: '2', completionTime: at(90) }] },
      }),
      second: 1000,
      then: undefined,
      wait: 90_000,
    },
    {
      name: 'the only pull secret, if deleted, leaves no list behind',
      given: aNodeImage({ images: images([aTag()], { pullSecrets: [{ namespace: 'c', name: 'old' }] }) }),
      secrets: ['c/old'],
      then: images([aTag()]),
      because: 'a pull secret of nginx no longer exists',
    },
    {
      name: 'a pull secret that is there stays',
      given: aNodeImage({ images: images([aTag()], { pullSecrets: [{ namespace: 'c', name: 'old' }] }) }),
      secrets: ['d/old', 'c/other'],
      then: undefined,
      wait: 500_000,
    },
    {
      name: 'a tag whose job is deleted is removed',
      given: aNodeImage({ images: images([aTag(), aTag({ tag: '2', ownerReferences: [ownerOf('other')] })]) }),
      deleted: ['uid-of-pull'],
      then: images([aTag({ tag: '2', ownerReferences: [ownerOf('other')] })]),
      because: 'no job needs nginx:1',
    },
    {
      name: 'a tag that another job wants stays for that',
      given: aNodeImage({ images: images([aTag({ ownerReferences: [ownerOf(), ownerOf('other')] })]) }),
      deleted: ['uid-of-pull'],
      then: images([aTag({ ownerReferences: [ownerOf('other')] })]),
      because: 'a job that requested nginx:1 no longer exists',
    },
    {
      name: 'a tag after one that stays as it is loses its owner all the same',
      given: aNodeImage({
        images: images([aTag({ ownerReferences: [] }), aTag({ tag: '2', ownerReferences: [ownerOf(), ownerOf('other')] })]),
      }),
      deleted: ['uid-of-pull'],
      then: images([aTag({ ownerReferences: [] }), aTag({ tag: '2', ownerReferences: [ownerOf('other')] })]),
      because: 'a job that requested nginx:2 no longer exists',
    },
    {
      name: 'a tag made by hand stays',
      given: aNodeImage({ images: images([aTag({ ownerReferences: [] })]) }),
      deleted: ['uid-of-pull'],
      then: undefined,
      wait: 500_000,
    },
    {
      name: 'a tag stays for its time after the end',
      given: aNodeImage({ images: images([aTag()]), statuses: { nginx: [done] } }),
      second: 1000,
      then: undefined,
      wait: 100_000,
    },
    {
      name: 'and then is removed',
      given: aNodeImage({ images: images([aTag()]), statuses: { nginx: [done] } }),
      second: 1100,
      then: {},
      because: 'the time to keep nginx:1 after its end is over',
    },
    {
      name: 'but stays while a job that wants it runs',
      given: aNodeImage({
        images: images([aTag({ ownerReferences: [ownerOf('over'), ownerOf('runs')] })]),
        statuses: { nginx: [done] },
      }),
      second: 1e6,
      running: ['uid-of-runs'],
      then: undefined,
    },
    {
      name: 'the end of an earlier version does not count',
      given: aNodeImage({ images: images([aTag({ version: 1, createdAt: at(1000) })]), statuses: { nginx: [done] } }),
      second: 1100,
      then: undefined,
      wait: 500_000,
    },
    {
      name: 'a pull secret is removed when it is deleted, of an older version or shared',
      given: aNodeImage({
        images: images([aTag()], {
          pullSecrets: [
            { namespace: 'c', name: 'old' },
            { namespace: 'c', name: 'shared', mode: 'batch' },
            { namespace: 'c', name: 'used', mode: 'batch' },
          ],
        }),
      }),
      secrets: ['c/old', 'c/shared'],
      then: images([aTag()], { pullSecrets: [{ namespace: 'c', name: 'used', mode: 'batch' }] }),
      because: 'a pull secret of nginx no longer exists',
    },
  ])('$name', ({ given, second = 100, deleted = [], running = [], secrets = [], then, wait, because }) => {
    const { action, requeueAfter } = planAt(second, {
      node: aNode('n1'),
      nodeImage: given,
      deletedOwners: new Set(deleted),
      runningOwners: new Set(running),
      deletedSecrets: new Set(secrets),
    });
    expect(action?.kind === 'UpdateSpec' ? action.after.spec.images : undefined).toStrictEqual(then);
    expect(requeueAfter).toBe(wait);
    expect(action?.because).toBe(because);
  });

  describe('a node', () => {
    const half = imageLimits.tagsOfNode.value / 2;
    const many = (count: number, tag: Partial<ImageTagSpec> = {}): NodeImage =>
      aNodeImage({
        images: images([
          aTag(tag),
          ...Array.from({ length: count - 1 }, (_, i) => aTag({ tag: `t${i}`, ownerReferences: [ownerOf('runs')] })),
        ]),
        statuses: { nginx: [done] },
      });
    const tagsAfter = (nodeImage: NodeImage, running: readonly string[] = ['uid-of-runs']): number | undefined => {
      const { action } = planAt(101, { node: aNode('n1'), nodeImage, runningOwners: new Set(running) });
      return action?.kind === 'UpdateSpec' ? action.after.spec.images?.['nginx']?.tags?.length : undefined;
    };

    it('that is more than half full releases the tags of ended jobs before their time, and says why', () => {
      const { action } = planAt(101, { node: aNode('n1'), nodeImage: many(half + 1), runningOwners: new Set(['uid-of-runs']) });
      expect(action?.because).toBe('nginx:1 has ended, and the node is more than half full');
      expect(tagsAfter(many(half + 1))).toBe(half);
    });

    it('that is half full keeps them', () => {
      expect(tagsAfter(many(half))).toBeUndefined();
    });

    it('that is more than half full keeps the tags of running jobs and those written by hand', () => {
      expect(tagsAfter(many(half + 1), ['uid-of-runs', 'uid-of-pull'])).toBeUndefined();
      expect(tagsAfter(many(half + 1, { ownerReferences: [] }))).toBeUndefined();
    });
  });

  it('comes back for what is first, the time of a task that ended or the answer to another', () => {
    const given = (completionTime: string): NodeImage =>
      aNodeImage({ images: images([aTag(), aTag({ tag: '2' })]), statuses: { nginx: [{ ...done, completionTime }] } });
    expect(planAt(550, { node: aNode('n1'), nodeImage: given(at(100)) }).requeueAfter).toBe(50_000);
    expect(planAt(550, { node: aNode('n1'), nodeImage: given(at(-430)) }).requeueAfter).toBe(20_000);
  });

  it('spreads many nodes that come due at the same moment', () => {
    const nodeImage = aNodeImage({ images: images([aTag()]), statuses: { nginx: [done] } });
    const waits = Array.from(
      { length: 100 },
      (_, index) => planAt(1099, { name: `node-${index}`, node: aNode('n1'), nodeImage }).requeueAfter ?? 0,
    );
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(3000);
    expect(Math.max(...waits)).toBeLessThan(5000);
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(1000);
    expect(new Set(waits).size).toBeGreaterThan(90);
  });

  it('leaves a wait of 3 s as it is', () => {
    const nodeImage = aNodeImage({ images: images([aTag()]), statuses: { nginx: [done] } });
    expect(planAt(1097, { node: aNode('n1'), nodeImage }).requeueAfter).toBe(3000);
  });

  it('spreads waits of less than 3 s over 3 to 5 s, always the same for one node', () => {
    const nodeImage = aNodeImage({ images: images([aTag()]), statuses: { nginx: [done] } });
    const { requeueAfter = 0 } = planAt(1099, { node: aNode('n1'), nodeImage });
    expect(requeueAfter).toBeGreaterThanOrEqual(3000);
    expect(requeueAfter).toBeLessThanOrEqual(5000);
    expect(planAt(1099, { node: aNode('n1'), nodeImage }).requeueAfter).toBe(requeueAfter);
  });
});

describe('a node that does not answer', () => {
  const deadline = { timeoutSeconds: 10, backoffLimit: 0, ttlSecondsAfterFinished: 1000, activeDeadlineSeconds: 50 };
  const pulling = { tag: '1', phase: 'Pulling', startTime: at(1), progress: 0 } as const;

  it.each<{ name: string; given: NodeImage; second: number; then?: object; wait?: number }>([
    { name: 'has ten minutes to begin', given: aNodeImage({ images: images([aTag()]) }), second: 590, wait: 10_000 },
    {
      name: 'has then failed',
      given: aNodeImage({
        images: images([aTag({ version: 2 })]),
        statuses: { nginx: [{ tag: '1', phase: 'Succeeded', version: 1, completionTime: at(0) }] },
      }),
      second: 600,
      then: { tag: '1', version: 2, phase: 'Failed', completionTime: at(600), message: 'node has not responded for a long time' },
    },
    {
      name: 'has ten minutes after the deadline of a task to end it',
      given: aNodeImage({ images: images([aTag({ pullPolicy: deadline })]), statuses: { nginx: [pulling] } }),
      second: 640,
      wait: 10_000,
    },
    {
      name: 'and then has failed as well',
      given: aNodeImage({ images: images([aTag({ pullPolicy: deadline })]), statuses: { nginx: [pulling] } }),
      second: 650,
      then: { ...pulling, phase: 'Failed', completionTime: at(650), message: 'pulling exceeds the activeDeadlineSeconds' },
    },
    {
      name: 'has failed in the task that it never began, the first of the tag',
      given: aNodeImage({ images: images([aTag()]) }),
      second: 600,
      then: { tag: '1', phase: 'Failed', completionTime: at(600), message: 'node has not responded for a long time' },
    },
    {
      name: 'that has ended the task has answered, whatever the deadline',
      given: aNodeImage({
        images: images([aTag({ pullPolicy: { activeDeadlineSeconds: 50 } })]),
        statuses: { nginx: [{ ...pulling, phase: 'Succeeded', completionTime: at(40) }] },
      }),
      second: 1e6,
    },
    {
      name: 'may pull a tag without a pull policy as long as the default tries last, and ten minutes more',
      given: aNodeImage({ images: images([{ tag: '1', createdAt: at(0) }]), statuses: { nginx: [pulling] } }),
      second: 1 + 4 * 630 + 600 - 5,
      wait: 5000,
    },
    {
      name: 'may pull without a deadline as long as its tries last, and ten minutes more',
      given: aNodeImage({
        images: images([aTag({ pullPolicy: { timeoutSeconds: 60, backoffLimit: 1 } })]),
        statuses: { nginx: [pulling] },
      }),
      second: 1 + 2 * 90 + 600 - 5,
      wait: 5000,
    },
    {
      name: 'and then has failed',
      given: aNodeImage({
        images: images([aTag({ pullPolicy: { timeoutSeconds: 60, backoffLimit: 1 } })]),
        statuses: { nginx: [pulling] },
      }),
      second: 1 + 2 * 90 + 600,
      then: { ...pulling, phase: 'Failed', completionTime: at(781), message: 'node has not responded for a long time' },
    },
    {
      name: 'may pull for a day and ten minutes however many tries there are',
      given: aNodeImage({ images: images([aTag({ pullPolicy: { backoffLimit: 2_147_483_647 } })]), statuses: { nginx: [pulling] } }),
      second: 1 + 86_400 + 600 - 5,
      wait: 5000,
    },
    {
      name: 'may let a task wait for its turn for a day',
      given: aNodeImage({ images: images([aTag()]), statuses: { nginx: [{ tag: '1', phase: 'Waiting' }] } }),
      second: 86_400 - 5,
      wait: 5000,
    },
  ])('$name', ({ given, second, then, wait }) => {
    const { action, requeueAfter } = planAt(second, { node: aNode('n1'), nodeImage: given });
    const status = action?.kind === 'UpdateStatus' ? action.after.status?.imageStatuses?.['nginx']?.tags[0] : undefined;
    expect(status).toEqual(then);
    expect(requeueAfter).toBe(wait);
  });

  it('the status is counted again, without what left the spec, and every owner gets an event', () => {
    const given = aNodeImage({
      images: { ...images([aTag()]), redis: { tags: [aTag({ tag: '7', ownerReferences: [] })] } },
      statuses: { redis: [{ tag: '7', phase: 'Succeeded', completionTime: at(590) }], gone: [{ tag: '1', phase: 'Failed' }] },
    });
    const { action } = planAt(600, { node: aNode('n1'), nodeImage: given });
    expect(action).toMatchObject({
      kind: 'UpdateStatus',
      after: { status: { desired: 2, succeeded: 1, failed: 1, pulling: 0, waiting: 0 } },
      silences: [{ image: 'nginx:1', message: 'node has not responded for a long time', owners: [ownerOf()] }],
    });
    const after = (action as unknown as { readonly after: NodeImage }).after;
    expect(Object.keys(after.status?.imageStatuses ?? {})).toEqual(['nginx', 'redis']);
    expect(planAt(600, { node: aNode('n1'), nodeImage: after }).action).toBeUndefined();
  });
});

describe('the status of a node that is silent about a part of its tasks', () => {
  it('keeps its other words, in the order of the tags, and counts them by phase', () => {
    const given = aNodeImage({
      images: {
        nginx: { tags: [aTag({ tag: '3' }), aTag({ tag: '1' }), aTag({ tag: '2' }), aTag({ tag: '4' })] },
        quiet: { tags: [aTag(), aTag({ tag: '0' })] },
        young: { tags: [aTag({ createdAt: at(590) })] },
      },
      statuses: {
        nginx: [
          { tag: '3', phase: 'Pulling' },
          { tag: '2', phase: 'Waiting' },
          { tag: '4', phase: 'Pulling' },
          { tag: 'left', phase: 'Succeeded' },
        ],
      },
    });
    const { action } = planAt(600, { node: aNode('n1'), nodeImage: given });
    const statuses = (action as unknown as { readonly after: NodeImage }).after.status?.imageStatuses;
    expect(Object.keys(statuses ?? {})).toEqual(['nginx', 'quiet']);
    const failed = { phase: 'Failed', completionTime: at(600), message: 'node has not responded for a long time' };
    expect(action).toMatchObject({
      because: ['nginx:1', 'quiet:1', 'quiet:0'].map((image) => `${image}: node has not responded for a long time`).join(', '),
      after: {
        status: {
          desired: 7,
          succeeded: 0,
          failed: 3,
          pulling: 2,
          waiting: 1,
          imageStatuses: {
            nginx: {
              tags: [
                { tag: '1', ...failed },
                { tag: '2', phase: 'Waiting' },
                { tag: '3', phase: 'Pulling' },
                { tag: '4', phase: 'Pulling' },
              ],
            },
            quiet: {
              tags: [
                { tag: '0', ...failed },
                { tag: '1', ...failed },
              ],
            },
          },
        },
      },
    });
  });

  it('is looked at again when the first of the others is due', () => {
    const given = aNodeImage({
      images: images([aTag({ tag: '1' }), aTag({ tag: '2', createdAt: at(100) }), aTag({ tag: '3', createdAt: at(50) })]),
    });
    expect(planAt(600, { node: aNode('n1'), nodeImage: given }).requeueAfter).toBe(50_000);
  });
});

describe('objects past admission', () => {
  it.each([
    ['no spec', { spec: undefined }],
    ['null spec', { spec: null }],
    ['images that are a list', { spec: { images: [] } }],
    ['an image that is null', { spec: { images: { a: null } } }],
    ['tags that are no list', { spec: { images: { a: { tags: 'x' } } } }],
    ['tags that are no objects', { spec: { images: { a: { tags: [null, 7] } } } }],
    ['a status that is a text', { spec: { images: { a: { tags: [aTag()] } } }, status: 'x' }],
    ['owners that are null', { spec: { images: { a: { tags: [{ ...aTag(), ownerReferences: null }] } } } }],
  ])('%s is no reason to throw', (_name, wrong) => {
    expect(() => planAt(100, { node: aNode('n1'), nodeImage: { ...aNodeImage(), ...wrong } as unknown as NodeImage })).not.toThrow();
  });
});
