import { describe, expect, it } from '@jest/globals';
import type { NodeImage } from '@kruise/api';
import { deepFreeze, instant, seconds, type Node } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { aNode, aNodeImage, aTag, at, ownerOf } from '../../images/builders.testing.ts';
import { plan } from './plan.ts';
import type { Context, Snapshot } from './snapshot.ts';

const contextAt = (second: number): Context => ({ now: instant(epoch + second * 1000), creationDelay: seconds(30) });

const seen = (given: Partial<Snapshot>): Snapshot =>
  deepFreeze({
    name: 'n1',
    node: undefined,
    nodeImage: undefined,
    goneOwners: new Set<string>(),
    goneSecrets: new Set<string>(),
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
    { name: 'one that is going is left alone', node: aNode('n1', { deletionTimestamp: at(1) }), second: 100 },
    { name: 'one without a kubelet is left alone', node: aNode('n1', { labels: { type: 'virtual-kubelet' } }), second: 100 },
    { name: 'no Node, no NodeImage', second: 100 },
  ])('$name', ({ node, second, action, wait }) => {
    const { action: planned, lookAgainAfter } = planAt(second, { node });
    expect([planned?.kind, lookAgainAfter]).toEqual([action, wait]);
  });

  it('is created with the labels of the Node, so that no second write is needed', () => {
    const { action } = planAt(30, { node: aNode('n1', { labels: { zone: 'a' } }) });
    expect(action).toMatchObject({ kind: 'Create', nodeImage: { metadata: { name: 'n1', labels: { zone: 'a' } }, spec: {} } });
    const created = (action as { readonly nodeImage: NodeImage }).nodeImage;
    expect(planAt(31, { node: aNode('n1', { labels: { zone: 'a' } }), nodeImage: created })).toEqual({});
  });

  it.each<{ name: string; node?: Node; nodeImage: NodeImage; action?: string }>([
    { name: 'goes with the Node', nodeImage: aNodeImage(), action: 'Delete' },
    { name: 'goes when the Node is going', node: aNode('n1', { deletionTimestamp: at(1) }), nodeImage: aNodeImage(), action: 'Delete' },
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
});

describe('cleaning up', () => {
  const done = { tag: '1', phase: 'Succeeded', completionTime: at(100) } as const;
  it.each<{
    name: string;
    given: NodeImage;
    second?: number;
    gone?: readonly string[];
    secrets?: readonly string[];
    then: unknown;
    wait?: number;
  }>([
    {
      name: 'a tag that does not say when it was asked for goes, and the image with it',
      given: aNodeImage({ images: images([{ tag: '1' }]) }),
      then: {},
    },
    { name: 'an image without tags goes', given: aNodeImage({ images: images([]) }), then: {} },
    {
      name: 'a tag whose job is gone goes',
      given: aNodeImage({ images: images([aTag(), aTag({ tag: '2', ownerReferences: [ownerOf('other')] })]) }),
      gone: ['uid-of-pull'],
      then: images([aTag({ tag: '2', ownerReferences: [ownerOf('other')] })]),
    },
    {
      name: 'a tag that another job wants stays for that',
      given: aNodeImage({ images: images([aTag({ ownerReferences: [ownerOf(), ownerOf('other')] })]) }),
      gone: ['uid-of-pull'],
      then: images([aTag({ ownerReferences: [ownerOf('other')] })]),
    },
    {
      name: 'a tag made by hand stays',
      given: aNodeImage({ images: images([aTag({ ownerReferences: [] })]) }),
      gone: ['uid-of-pull'],
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
    { name: 'and then goes', given: aNodeImage({ images: images([aTag()]), statuses: { nginx: [done] } }), second: 1100, then: {} },
    {
      name: 'the end of an earlier version does not count',
      given: aNodeImage({ images: images([aTag({ version: 1, createdAt: at(1000) })]), statuses: { nginx: [done] } }),
      second: 1100,
      then: undefined,
      wait: 500_000,
    },
    {
      name: 'a pull secret of an older version goes when it is gone, a shared one stays',
      given: aNodeImage({
        images: images([aTag()], {
          pullSecrets: [
            { namespace: 'c', name: 'old' },
            { namespace: 'c', name: 'shared', mode: 'batch' },
          ],
        }),
      }),
      secrets: ['c/old', 'c/shared'],
      then: images([aTag()], { pullSecrets: [{ namespace: 'c', name: 'shared', mode: 'batch' }] }),
    },
  ])('$name', ({ given, second = 100, gone = [], secrets = [], then, wait }) => {
    const { action, lookAgainAfter } = planAt(second, {
      node: aNode('n1'),
      nodeImage: given,
      goneOwners: new Set(gone),
      goneSecrets: new Set(secrets),
    });
    expect(action?.kind === 'UpdateSpec' ? action.after.spec.images : undefined).toEqual(then);
    expect(lookAgainAfter).toBe(wait);
  });

  it('spreads waits of less than 3 s over 3 to 5 s, always the same for one node', () => {
    const nodeImage = aNodeImage({ images: images([aTag()]), statuses: { nginx: [done] } });
    const { lookAgainAfter = 0 } = planAt(1099, { node: aNode('n1'), nodeImage });
    expect(lookAgainAfter).toBeGreaterThanOrEqual(3000);
    expect(lookAgainAfter).toBeLessThanOrEqual(5000);
    expect(planAt(1099, { node: aNode('n1'), nodeImage }).lookAgainAfter).toBe(lookAgainAfter);
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
      name: 'may pull for ever without a deadline',
      given: aNodeImage({ images: images([aTag()]), statuses: { nginx: [pulling] } }),
      second: 1e6,
    },
  ])('$name', ({ given, second, then, wait }) => {
    const { action, lookAgainAfter } = planAt(second, { node: aNode('n1'), nodeImage: given });
    const status = action?.kind === 'UpdateStatus' ? action.after.status?.imageStatuses?.['nginx']?.tags[0] : undefined;
    expect(status).toEqual(then);
    expect(lookAgainAfter).toBe(wait);
  });

  it('the status is counted anew, without what left the spec, and every owner is told', () => {
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
