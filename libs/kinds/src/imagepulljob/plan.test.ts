import { describe, expect, it } from '@jest/globals';
import type { ImagePullJob, ImageTagSpec, ImageTagStatus, NodeImage } from '@kruise/api';
import { deepFreeze, parseTime, type Instant } from '@kruise/objects';
import { recordedObjects } from '@kruise/testing';
import { aJob, aNodeImage, aTag, at, ownerOf, type JobShape } from '../images/builders.testing.ts';
import { plan } from './plan.ts';
import { missingReferences, pullPolicyOf, withoutFormerTasks, withTask } from './plan-task.ts';
import type { PullSecretReference, Snapshot } from './snapshot.ts';
import { readTerms } from './terms.ts';
import { contextAt, shares, snapshot, termsOf } from './testing.ts';

type State = 'unasked' | 'asked' | 'pulling' | 'succeeded' | 'failed' | 'stale' | 'full';

const statusOf: Readonly<Record<'pulling' | 'succeeded' | 'failed' | 'stale', ImageTagStatus>> = {
  pulling: { tag: '1', version: 2, phase: 'Pulling', startTime: at(1) },
  succeeded: { tag: '1', version: 2, phase: 'Succeeded', completionTime: at(5) },
  failed: { tag: '1', version: 2, phase: 'Failed', completionTime: at(5) },
  stale: { tag: '1', version: 1, phase: 'Succeeded', completionTime: at(1) },
};

/** A node that is so far with `nginx:1`. */
function nodeIn(state: State, name: string): NodeImage {
  if (state === 'unasked') return aNodeImage({ name });
  if (state === 'full')
    return aNodeImage({
      name,
      images: Object.fromEntries(Array.from({ length: 256 }, (_, i) => [`image${i}`, { tags: [aTag({ ownerReferences: [] })] }])),
    });
  const images = { nginx: { tags: [aTag({ version: 2 })] } };
  return aNodeImage({ name, images, ...(state === 'asked' ? {} : { statuses: { nginx: [statusOf[state]] } }) });
}

const withMany = (count: number, ...more: readonly string[]): NodeImage =>
  aNodeImage({
    name: 'full',
    images: Object.fromEntries(
      [...Array.from({ length: count }, (_, i) => `image${i}`), ...more].map((name) => [name, { tags: [aTag({ ownerReferences: [] })] }]),
    ),
  });

const nodesIn = (...states: readonly State[]): readonly NodeImage[] => states.map((state, index) => nodeIn(state, `n${index}`));

const started = { startTime: at(0), desired: 0 };
const planFor = (job: JobShape, nodes: readonly NodeImage[], second = 10) =>
  plan(deepFreeze(snapshot(aJob({ status: started, ...job }), nodes)), contextAt(second));
const given = ({ actions }: ReturnType<typeof plan>): readonly string[] =>
  actions.filter(({ kind }) => kind === 'GiveTask').map(({ nodeImage }) => nodeImage.metadata.name);

describe('progress', () => {
  it.each<{ name: string; job?: JobShape; nodes: readonly NodeImage[]; second?: number; status: object; done?: boolean }>([
    {
      name: 'counts nodes by what they say of the very task',
      nodes: nodesIn('unasked', 'asked', 'pulling', 'succeeded', 'failed', 'stale'),
      status: { desired: 6, active: 3, succeeded: 1, failed: 1, failedNodes: ['n4'], message: 'job is running, progress 33.3%' },
    },
    {
      name: 'takes a task that others alone want for none of its own',
      nodes: [
        aNodeImage({
          name: 'n0',
          images: { nginx: { tags: [aTag({ version: 2, ownerReferences: [ownerOf('other')] })] } },
          statuses: { nginx: [statusOf.succeeded] },
        }),
      ],
      status: { desired: 1, active: 0, succeeded: 0, failed: 0, message: 'job is running, progress 0.0%' },
    },
    {
      name: 'lists failures by name',
      nodes: nodesIn('failed', 'pulling', 'failed').toReversed(),
      status: { desired: 3, active: 1, succeeded: 0, failed: 2, failedNodes: ['n0', 'n2'], message: 'job is running, progress 66.7%' },
    },
    {
      name: 'is shown with one decimal, the even one of two that are as near: down',
      nodes: nodesIn('succeeded', ...Array.from({ length: 15 }, (): State => 'unasked')),
      status: { desired: 16, active: 0, succeeded: 1, failed: 0, message: 'job is running, progress 6.2%' },
    },
    {
      name: 'is shown with one decimal, the even one of two that are as near: up',
      nodes: nodesIn('succeeded', 'succeeded', 'succeeded', ...Array.from({ length: 13 }, (): State => 'unasked')),
      status: { desired: 16, active: 0, succeeded: 3, failed: 0, message: 'job is running, progress 18.8%' },
    },
    {
      name: 'is shown with the nearer decimal otherwise',
      nodes: nodesIn('succeeded', ...Array.from({ length: 7 }, (): State => 'unasked')),
      status: { desired: 8, active: 0, succeeded: 1, failed: 0, message: 'job is running, progress 12.5%' },
    },
    {
      name: 'is over when no node is left',
      nodes: nodesIn('succeeded', 'failed'),
      status: { desired: 2, active: 0, succeeded: 1, failed: 1, failedNodes: ['n1'], message: 'job has completed' },
      done: true,
    },
    {
      name: 'is over at once without nodes',
      nodes: [],
      status: { desired: 0, active: 0, succeeded: 0, failed: 0, message: 'job has completed' },
      done: true,
    },
    {
      name: 'never ends for a job that keeps the image there',
      job: { spec: { completionPolicy: { type: 'Never' } } },
      nodes: nodesIn('succeeded', 'succeeded'),
      status: { desired: 2, active: 0, succeeded: 2, failed: 0, message: 'job is running, progress 100.0%' },
    },
    {
      name: 'of such a job without nodes is none',
      job: { spec: { completionPolicy: { type: 'Never' } } },
      nodes: [],
      status: { desired: 0, active: 0, succeeded: 0, failed: 0, message: 'job is running, no progress' },
    },
    {
      name: 'continues until the deadline',
      job: { spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 600 } } },
      nodes: nodesIn('unasked', 'pulling'),
      second: 599,
      status: { desired: 2, active: 1, succeeded: 0, failed: 0, message: 'job is running, progress 0.0%' },
    },
    {
      name: 'ends at the deadline, and all that have not pulled have failed',
      job: { spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 600 } } },
      nodes: nodesIn('unasked', 'succeeded', 'pulling', 'failed'),
      second: 600,
      status: {
        desired: 4,
        active: 0,
        succeeded: 1,
        failed: 3,
        failedNodes: ['n0', 'n2', 'n3'],
        message: 'job exceeds activeDeadlineSeconds',
      },
      done: true,
    },
    {
      name: 'ends at the deadline, and no node gets the task any more',
      job: { spec: { parallelism: 9, completionPolicy: { type: 'Always', activeDeadlineSeconds: 600 } } },
      nodes: nodesIn('unasked', 'unasked'),
      second: 600,
      status: { desired: 2, active: 0, succeeded: 0, failed: 2, failedNodes: ['n0', 'n1'], message: 'job exceeds activeDeadlineSeconds' },
      done: true,
    },
    {
      name: 'is complete at the deadline when all have pulled',
      job: { spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 600 } } },
      nodes: nodesIn('succeeded'),
      second: 600,
      status: { desired: 1, active: 0, succeeded: 1, failed: 0, message: 'job has completed' },
      done: true,
    },
  ])('$name', ({ job = {}, nodes, second = 10, status, done = false }) => {
    const next = planFor(job, nodes, second);
    expect(next.status).toEqual({ startTime: at(0), ...status, ...(done ? { completionTime: at(second) } : {}) });
    if (done) expect(next.actions).toEqual([]);
  });

  it('begins with the first pass', () => {
    const next = plan(snapshot(aJob(), nodesIn('unasked')), contextAt(7));
    expect(next.status.startTime).toBe(at(7));
  });
});

describe('giving out work', () => {
  const one = { spec: {} };
  it.each<{ name: string; job: JobShape; nodes: readonly NodeImage[]; second?: number; then: readonly string[]; wait?: number }>([
    { name: 'one node at a time by default', job: one, nodes: nodesIn('unasked', 'unasked'), then: ['n0'] },
    {
      name: 'not more than may pull',
      job: { spec: { parallelism: 3 } },
      nodes: nodesIn('pulling', 'unasked', 'unasked', 'unasked'),
      then: ['n1', 'n2'],
    },
    {
      name: 'a number in a text is a number',
      job: { spec: { parallelism: '2' } },
      nodes: nodesIn('unasked', 'unasked', 'unasked'),
      then: ['n0', 'n1'],
    },
    { name: 'none while the job is paused', job: { spec: { parallelism: 0 } }, nodes: nodesIn('unasked'), then: [] },
    { name: 'none while as many pull as may', job: one, nodes: nodesIn('pulling', 'unasked'), then: [] },
    { name: 'none while a node may still report that it pulls', job: one, nodes: nodesIn('asked', 'unasked'), then: [], wait: 50_000 },
    {
      name: 'a node that has reported nothing for a minute does not pull, and holds up no other',
      job: one,
      nodes: nodesIn('asked', 'stale', 'unasked', 'unasked'),
      second: 60,
      then: ['n2'],
    },
    { name: 'none beyond a lowered limit', job: { spec: { parallelism: 1 } }, nodes: nodesIn('pulling', 'pulling', 'unasked'), then: [] },
    {
      name: 'in the order given, which is not that of the names',
      job: one,
      nodes: nodesIn('unasked', 'unasked').toReversed(),
      then: ['n1'],
    },
    {
      name: 'a full node waits and prevents no other from pulling',
      job: one,
      nodes: nodesIn('full', 'unasked'),
      then: ['n1'],
      wait: 60_000,
    },
    {
      name: 'comes back for the deadline, a second later at the earliest',
      job: { spec: { pullPolicy: { timeoutSeconds: 5 }, completionPolicy: { type: 'Always', activeDeadlineSeconds: 10.5 } } },
      nodes: nodesIn('pulling'),
      then: [],
      wait: 1000,
    },
    {
      name: 'comes back for a full node before the deadline',
      job: { spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 600 } } },
      nodes: nodesIn('full'),
      then: [],
      wait: 60_000,
    },
    {
      name: 'comes back for the deadline before a full node',
      job: { spec: { pullPolicy: { timeoutSeconds: 5 }, completionPolicy: { type: 'Always', activeDeadlineSeconds: 30 } } },
      nodes: nodesIn('full'),
      then: [],
      wait: 20_000,
    },
    {
      name: 'counts the deadline from the first pass',
      job: { status: undefined, spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 600 } } },
      nodes: nodesIn('pulling'),
      then: [],
      wait: 600_000,
    },
    {
      name: 'a node that is full but has the image takes the task',
      job: one,
      nodes: [withMany(255, 'nginx')],
      then: ['full'],
    },
    { name: 'a node with 255 images takes another one', job: one, nodes: [withMany(255)], then: ['full'] },
    { name: 'a node with 256 does not', job: one, nodes: [withMany(256)], then: [], wait: 60_000 },
    {
      name: 'comes back for the deadline',
      job: { spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 600 } } },
      nodes: nodesIn('pulling'),
      then: [],
      wait: 590_000,
    },
  ])('$name', ({ job, nodes, second, then, wait }) => {
    const next = planFor(job, nodes, second);
    expect(given(next)).toEqual(then);
    expect(next.requeueAfter).toBe(wait);
    if (then.length > 0) expect(next.actions[0]?.because).toMatch(/^\d+ nodes are pulling, \d+ may$/);
  });

  it('no more than 500 in a pass, and the next ones immediately', () => {
    const many = (count: number) => nodesIn(...Array.from({ length: count }, (): State => 'unasked'));
    const wide: JobShape = { spec: { parallelism: 1000 } };
    const nodes = deepFreeze(many(501));
    nodes.forEach((node) => shares.usageOf(node));
    const first = planFor(wide, nodes);
    expect([given(first).length, first.requeueAfter]).toEqual([500, 0]);
    const all = planFor(wide, nodes.slice(1));
    expect([given(all).length, all.requeueAfter]).toEqual([500, undefined]);
  });

  it('looks for room in 250 nodes that it has not counted before, and in the others immediately afterwards', () => {
    const nodes = deepFreeze([...Array.from({ length: 300 }, (_, at) => nodeIn('full', `f${at}`)), nodeIn('unasked', 'free')]);
    const first = planFor(one, nodes);
    expect([given(first), first.requeueAfter]).toEqual([[], 0]);
    const second = planFor(one, nodes);
    expect([given(second), second.requeueAfter]).toEqual([['free'], 60_000]);
  });

  it('the message of the status names the namespaces that hold a full node', () => {
    expect(planFor(one, nodesIn('full', 'full', 'unasked')).status.message).toMatch(
      /^job is running, progress 0\.0%; node n0 and 1 more are full: no job holds 256 images, 256 tags, \d+ KiB$/,
    );
  });

  it('a node that refused the last write is left alone for a while, for any write', () => {
    const seen = {
      ...snapshot(aJob({ status: started }), nodesIn('unasked', 'unasked', 'succeeded'), [{ name: 's' }]),
      refused: new Set(['n0', 'n2']),
    };
    const next = plan(seen, contextAt(10));
    expect(given(next)).toEqual(['n1']);
    expect(next.requeueAfter).toBe(60_000);
    const edited = { ...snapshot(aJob({ status: started, spec: { image: 'redis' } }), nodesIn('succeeded')), refused: new Set(['n0']) };
    expect(plan(edited, contextAt(10)).actions).toEqual([]);
  });

  it.each<{ what: string; seen: Snapshot }>([
    {
      what: 'a former task',
      seen: snapshot(aJob({ status: started, spec: { image: 'redis', completionPolicy: { type: 'Never' } } }), [
        aNodeImage({ name: 'n0', images: { redis: { tags: [aTag({ tag: 'latest' })] }, nginx: { tags: [aTag()] } } }),
      ]),
    },
    { what: 'a pull secret', seen: snapshot(aJob({ status: started }), nodesIn('pulling'), [{ name: 's' }]) },
    {
      what: 'a further pull',
      seen: snapshot(aJob({ status: started, spec: { completionPolicy: { type: 'Never' } } }), [
        aNodeImage({
          name: 'n0',
          images: { nginx: { tags: [aTag({ version: 2, pullPolicy: { ttlSecondsAfterFinished: 1 } })] } },
          statuses: { nginx: [{ ...statusOf.succeeded, completionTime: at(1) }] },
        }),
      ]),
    },
  ])('a node that refused $what is tried again within a minute although nothing else happens', ({ seen }) => {
    expect(plan(seen, contextAt(10)).actions).toHaveLength(1);
    const next = plan({ ...seen, refused: new Set(['n0']) }, contextAt(10));
    expect([next.actions, next.requeueAfter]).toEqual([[], 60_000]);
  });

  it('names a node with the task that has no room for a changed pull secret, and tries it again within a minute', () => {
    const pullSecrets = Array.from({ length: 3000 }, (_, index) => ({
      namespace: 'kruise-daemon-config',
      name: `${'x'.repeat(40)}-${index}`,
    }));
    const crowded = aNodeImage({
      name: 'n0',
      images: { nginx: { tags: [aTag({ version: 2 })], pullSecrets } },
      statuses: { nginx: [statusOf.pulling] },
    });
    const seen = snapshot(aJob({ status: started }), [crowded, nodeIn('pulling', 'n1')], [{ name: 's' }]);
    const next = plan(seen, contextAt(10));
    expect([given(next), next.requeueAfter]).toEqual([['n1'], 60_000]);
    expect(next.status.message).toMatch(/^job is running, progress 0\.0%; node n0 is full: namespace default holds /);
  });

  it('gives 500 nodes a changed pull secret in one pass, and the others immediately afterwards', () => {
    const nodes = Array.from({ length: 501 }, (_, index) => nodeIn('succeeded', `n${index}`));
    nodes.forEach((node) => shares.usageOf(node));
    const job = aJob({ status: started, spec: { completionPolicy: { type: 'Never' } } });
    const next = plan(deepFreeze(snapshot(job, nodes, [{ name: 's' }])), contextAt(10));
    expect([given(next).length, next.requeueAfter]).toEqual([500, 0]);
  });

  it('a node whose task lacks a pull secret gets it, in any state and beyond the limit', () => {
    const secret = { namespace: 'kruise-daemon-config', name: 's', mode: 'batch' };
    const next = plan(snapshot(aJob({ status: started }), nodesIn('succeeded', 'pulling', 'unasked'), [secret]), contextAt(10));
    expect(given(next)).toEqual(['n0', 'n1']);
  });
});

const order = (job: ImagePullJob, references: Parameters<typeof snapshot>[2] = []) => ({ job, terms: termsOf(job), references });
const tagOf = (nodeImage: NodeImage): ImageTagSpec | undefined => nodeImage.spec.images?.['nginx']?.tags.find(({ tag }) => tag === '1');

describe('a job that keeps the image on its nodes', () => {
  const never: JobShape = { spec: { completionPolicy: { type: 'Never' } } };
  const pulled = (name: string, ended: number): NodeImage =>
    aNodeImage({
      name,
      images: { nginx: { tags: [aTag({ version: 2 })] } },
      statuses: { nginx: [{ ...statusOf.succeeded, completionTime: at(ended) }] },
    });

  it.each<{ name: string; job?: JobShape; nodes: readonly NodeImage[]; second: number; then: readonly string[]; wait?: number }>([
    {
      name: 'comes back when the first node is to pull again',
      nodes: [pulled('n0', 9), pulled('n1', 5)],
      second: 10,
      then: [],
      wait: 995_000,
    },
    {
      name: 'asks a node that was never asked before one that is to pull again, and the one that pulled first before others',
      job: { spec: { ...never.spec, parallelism: 2 } },
      nodes: [pulled('n0', 9), pulled('n1', 5), nodeIn('unasked', 'n2')],
      second: 2000,
      then: ['n2', 'n1'],
    },
    { name: 'counts it among those that pull', nodes: [pulled('n0', 5), nodeIn('pulling', 'n1')], second: 2000, then: [] },
    { name: 'alone retries', job: {}, nodes: [pulled('n0', 5)], second: 2000, then: [] },
  ])('$name', ({ job = never, nodes, second, then, wait }) => {
    const next = planFor(job, nodes, second);
    expect(given(next)).toEqual(then);
    expect(next.requeueAfter).toBe(wait);
  });

  it('gives the node the same task as a further version, of the same owners', () => {
    const job = aJob(never);
    const [node] = [pulled('n0', 5)];
    const order = { job, terms: termsOf(job), references: [] };
    expect(withTask(node, order, contextAt(1004))).toBe(node);
    expect(withTask(node, order, contextAt(1005)).spec.images?.['nginx']?.tags).toMatchObject([
      { tag: '1', version: 3, createdAt: at(1005), ownerReferences: [ownerOf()] },
    ]);
  });
});

describe('the task of a node', () => {
  const job = aJob({ spec: { sandboxConfig: { labels: { app: 'web' } } } });

  it('is a new tag with the job as its owner', () => {
    const after = withTask(deepFreeze(aNodeImage()), order(job), contextAt(10));
    expect(after.spec.images).toEqual({
      nginx: {
        sandboxConfig: { labels: { app: 'web' } },
        tags: [
          {
            tag: '1',
            createdAt: at(10),
            imagePullPolicy: 'IfNotPresent',
            ownerReferences: [ownerOf()],
            pullPolicy: {
              timeoutSeconds: 600,
              backoffLimit: 3,
              ttlSecondsAfterFinished: pullPolicyOf(job, 'n1', contextAt(0)).ttlSecondsAfterFinished,
            },
          },
        ],
      },
    });
    expect(withTask(after, order(job), contextAt(20))).toBe(after);
  });

  it('is sorted among the other tags, and leaves other images unchanged', () => {
    const others = { redis: { tags: [aTag()] }, nginx: { tags: [aTag({ tag: '0' }), aTag({ tag: '2' })] } };
    const after = withTask(deepFreeze(aNodeImage({ images: others })), order(job), contextAt(10));
    expect(after.spec.images?.['nginx']?.tags.map(({ tag }) => tag)).toEqual(['0', '1', '2']);
    expect(after.spec.images?.['redis']).toBe(others.redis);
  });

  it.each<{ name: string; node: NodeImage; version: number | undefined }>([
    { name: 'the first of a tag has version 0, which is left out', node: aNodeImage(), version: undefined },
    { name: 'continues from what the node has done', node: aNodeImage({ statuses: { nginx: [statusOf.succeeded] } }), version: 3 },
    { name: 'continues from version 0', node: aNodeImage({ statuses: { nginx: [{ tag: '1', phase: 'Failed' }] } }), version: 1 },
    {
      name: 'of a tag of others whose pull has ended is one higher',
      node: aNodeImage({
        images: { nginx: { tags: [aTag({ ownerReferences: [ownerOf('other')], version: 4 })] } },
        statuses: { nginx: [{ ...statusOf.failed, version: 4 }] },
      }),
      version: 5,
    },
  ])('$name', ({ node, version }) => {
    expect(tagOf(withTask(node, order(job), contextAt(10)))?.version).toBe(version);
  });

  it('is shared with other jobs, under the policy of the last one', () => {
    const other = aNodeImage({
      images: { nginx: { tags: [aTag({ ownerReferences: [ownerOf('other')], imagePullPolicy: 'Always' })] } },
      statuses: { nginx: [{ tag: '1', phase: 'Succeeded', completionTime: at(9) }] },
    });
    const quick = aJob({ spec: { pullPolicy: { timeoutSeconds: 5, backoffLimit: 0 } } });
    expect(tagOf(withTask(other, order(quick), contextAt(10)))).toMatchObject({
      createdAt: at(10),
      version: 1,
      imagePullPolicy: 'IfNotPresent',
      pullPolicy: { timeoutSeconds: 5, backoffLimit: 0 },
      ownerReferences: [ownerOf('other'), ownerOf()],
    });
  });

  it.each<{
    name: string;
    held?: Partial<ImageTagSpec>;
    status?: ImageTagStatus;
    spec?: Partial<ImagePullJob['spec']>;
    secrets?: readonly PullSecretReference[];
    joins: boolean;
  }>([
    { name: 'that the node pulls', status: statusOf.pulling, joins: true },
    { name: 'that asks the registry in any case', held: { imagePullPolicy: 'Always' }, status: statusOf.pulling, joins: true },
    { name: 'that the node has not reported', joins: false },
    { name: 'that the node has not begun', status: { tag: '1', version: 2, phase: 'Waiting' }, joins: false },
    { name: 'whose status is of an earlier version', status: { ...statusOf.pulling, version: 1 }, joins: false },
    { name: 'that has succeeded', status: statusOf.succeeded, joins: false },
    { name: 'that has failed', status: statusOf.failed, joins: false },
    {
      name: 'that may have resolved the tag before an Always job was created',
      held: { imagePullPolicy: 'Always' },
      status: statusOf.pulling,
      spec: { imagePullPolicy: 'Always' },
      joins: false,
    },
    {
      name: 'that looks for the image on the node first, though the job does not',
      status: statusOf.pulling,
      spec: { imagePullPolicy: 'Always' },
      joins: false,
    },
    { name: 'that pulls without a secret of the job', status: statusOf.pulling, secrets: [{ namespace: 'c', name: 'new' }], joins: false },
    { name: 'that pulls with the secret of the job', status: statusOf.pulling, secrets: [{ namespace: 'c', name: 'held' }], joins: true },
  ])('a job joins the task of another one $name: $joins', ({ held = {}, status, spec = {}, secrets = [], joins }) => {
    const task = aTag({ ownerReferences: [ownerOf('other')], version: 2, ...held });
    const image = { tags: [task], pullSecrets: [{ namespace: 'c', name: 'held' }] };
    const node = aNodeImage({ images: { nginx: image }, ...(status === undefined ? {} : { statuses: { nginx: [status] } }) });
    const after = tagOf(withTask(deepFreeze(node), order(aJob({ spec }), secrets), contextAt(10)));
    expect([after?.version, after?.createdAt]).toEqual(joins ? [2, at(0)] : [3, at(10)]);
    expect(after?.ownerReferences).toEqual([ownerOf('other'), ownerOf()]);
    if (joins) expect(after?.imagePullPolicy).toBe(task.imagePullPolicy);
  });

  it.each<{ name: string; held: ImageTagSpec['pullPolicy']; spec: Partial<ImagePullJob['spec']>; then: object }>([
    {
      name: 'the longer times of both',
      held: { timeoutSeconds: 900, backoffLimit: 1, ttlSecondsAfterFinished: 5, activeDeadlineSeconds: 100 },
      spec: { pullPolicy: { timeoutSeconds: 600, backoffLimit: 4 }, completionPolicy: { type: 'Always', activeDeadlineSeconds: 700 } },
      then: { timeoutSeconds: 900, backoffLimit: 4, ttlSecondsAfterFinished: 1165, activeDeadlineSeconds: 700 },
    },
    {
      name: 'no deadline when the other has none',
      held: { timeoutSeconds: 900, backoffLimit: 9, ttlSecondsAfterFinished: 9000 },
      spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 700 } },
      then: { timeoutSeconds: 900, backoffLimit: 9, ttlSecondsAfterFinished: 9000 },
    },
    {
      name: 'no deadline when it has none itself',
      held: { activeDeadlineSeconds: 100, ttlSecondsAfterFinished: 9000 },
      spec: {},
      then: { timeoutSeconds: 600, backoffLimit: 3, ttlSecondsAfterFinished: 9000 },
    },
  ])('a job that joins leaves $name', ({ held, spec, then }) => {
    const task = aTag({ ownerReferences: [ownerOf('other')], pullPolicy: held!, version: 2 });
    const node = aNodeImage({ images: { nginx: { tags: [task] } }, statuses: { nginx: [statusOf.pulling] } });
    expect(tagOf(withTask(deepFreeze(node), order(aJob({ spec })), contextAt(10)))?.pullPolicy).toEqual(then);
  });

  it('learns of pull secrets without becoming a new task', () => {
    const node = aNodeImage({ images: { nginx: { pullSecrets: [{ namespace: 'c', name: 'a' }], tags: [aTag({ version: 3 })] } } });
    const secrets = [
      { namespace: 'c', name: 'a' },
      { namespace: 'c', name: 'b', mode: 'batch' },
    ];
    const after = withTask(deepFreeze(node), order(job, secrets), contextAt(10));
    expect(after.spec.images?.['nginx']?.pullSecrets).toEqual(secrets);
    expect(tagOf(after)).toEqual(aTag({ version: 3 }));
  });

  it('leaves the sandbox of an image to the namespace that wanted the image first', () => {
    const sandboxConfig = { labels: { of: 'first' } };
    const node = aNodeImage({
      images: { nginx: { tags: [aTag({ ownerReferences: [{ ...ownerOf('first'), namespace: 'first' }] })], sandboxConfig } },
    });
    const second = aJob({ name: 'second', spec: { image: 'nginx:2', sandboxConfig: { labels: { of: 'second' } } } });
    const shared = withTask(node, order(second), contextAt(10)).spec.images?.['nginx'];
    expect([shared?.sandboxConfig, shared?.tags.map(({ tag }) => tag)]).toEqual([sandboxConfig, ['1', '2']]);
    expect(withTask(aNodeImage(), order(second), contextAt(10)).spec.images?.['nginx']?.sandboxConfig).toEqual({
      labels: { of: 'second' },
    });
  });

  it('has the sandbox of its own job alone, and what the image says else', () => {
    const node = aNodeImage({
      images: { nginx: { tags: [aTag()], pullSecrets: [{ name: 'a' }], sandboxConfig: { labels: { of: 'another' } } } },
    });
    const bare = aJob({ name: 'bare' });
    expect(withTask(deepFreeze(node), order(job), contextAt(10))).toBe(node);
    expect(withTask(deepFreeze(node), order(bare), contextAt(10)).spec.images?.['nginx']).toStrictEqual({
      pullSecrets: [{ name: 'a' }],
      tags: [expect.objectContaining({ tag: '1', ownerReferences: [ownerOf(), ownerOf('bare')] })],
    });
  });

  it('says nothing that the job does not say', () => {
    const { imagePullPolicy: _policy, pullPolicy: _tries, completionPolicy: _end, ...spec } = aJob().spec;
    const silent: ImagePullJob = { ...aJob(), spec: spec as ImagePullJob['spec'] };
    const task = tagOf(withTask(aNodeImage(), order(silent), contextAt(10)));
    expect(task).toStrictEqual({
      tag: '1',
      createdAt: at(10),
      ownerReferences: [ownerOf()],
      pullPolicy: { timeoutSeconds: 600, backoffLimit: 3, ttlSecondsAfterFinished: expect.any(Number) },
    });
  });

  it('knows a pull secret by its name and its namespace', () => {
    const held = [{ namespace: 'c', name: 'a' }];
    const wanted = [
      { namespace: 'd', name: 'a' },
      { namespace: 'c', name: 'b' },
      { namespace: 'c', name: 'a' },
    ];
    expect(missingReferences({ tags: [], pullSecrets: held }, wanted)).toEqual(wanted.slice(0, 2));
    expect(missingReferences({ tags: [] }, wanted)).toEqual(wanted);
    expect(missingReferences(undefined, wanted)).toEqual(wanted);
  });

  it('is compared with the pull secrets of all jobs for the image in one walk', () => {
    let reads = 0;
    const secret = (name: string) => ({
      namespace: 'ns',
      get name(): string {
        reads += 1;
        return name;
      },
    });
    const held = Array.from({ length: 1000 }, (_, index) => secret(`held-${index}`));
    const wanted = Array.from({ length: 64 }, (_, index) => ({ namespace: 'ns', name: `wanted-${index}` }));
    expect(missingReferences({ tags: [], pullSecrets: held }, wanted)).toEqual(wanted);
    expect(reads).toBeLessThan(2 * held.length);
  });

  it.each<{ name: string; spec: Partial<ImagePullJob['spec']>; least: number; most: number }>([
    { name: 'kept', spec: { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 20 } }, least: 320, most: 619 },
    { name: 'pulled again', spec: { completionPolicy: { type: 'Never' } }, least: 85_800, most: 87_000 },
  ])('is $name for times that many nodes spread over the whole range, each always for the same', ({ spec, least, most }) => {
    const ttlOf = (of: ImagePullJob, index: number): number => pullPolicyOf(of, `node-${index}`, contextAt(0)).ttlSecondsAfterFinished ?? 0;
    const times = Array.from({ length: 20_000 }, (_, index) => ttlOf(aJob({ spec }), index));
    expect([Math.min(...times), Math.max(...times)]).toEqual([least, most]);
    expect(new Set(times).size).toBe(most - least + 1);
    expect(ttlOf(aJob({ spec }), 0)).toBe(times[0]);
    expect(times.slice(0, 20)).not.toEqual(times.slice(0, 20).map((_, index) => ttlOf(aJob({ name: 'other', spec }), index)));
  });

  it('a digest takes the place of the tag', () => {
    const digest = `sha256:${'ab'.repeat(32)}`;
    const pinned = aJob({ spec: { image: `docker.io/library/nginx:1@${digest}` } });
    expect(withTask(aNodeImage(), order(pinned), contextAt(1)).spec.images?.['nginx']?.tags[0]?.tag).toBe(digest);
  });

  it.each<{ name: string; spec: Partial<ImagePullJob['spec']>; ttl: readonly [number, number]; deadline?: number }>([
    {
      name: 'kept for the time to live of the job and some more',
      spec: { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 20 } },
      ttl: [320, 619],
    },
    {
      name: 'kept for its deadline without one',
      spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 700 } },
      ttl: [1000, 1299],
      deadline: 700,
    },
    { name: 'kept for the time of all its tries otherwise', spec: {}, ttl: [2100, 2399] },
    {
      name: 'pulled daily for a job that does not end',
      spec: { completionPolicy: { type: 'Never' } },
      ttl: [85_800, 87_000],
      deadline: 1800,
    },
    {
      name: 'pulled daily, with time for one long try',
      spec: { completionPolicy: { type: 'Never' }, pullPolicy: { timeoutSeconds: 3600 } },
      ttl: [85_800, 87_000],
      deadline: 3600,
    },
    {
      name: 'kept for a number that the schema can hold',
      spec: { pullPolicy: { timeoutSeconds: 2 ** 31 - 1, backoffLimit: 9 } },
      ttl: [2 ** 31 - 1, 2 ** 31 - 1],
    },
  ])('$name', ({ spec, ttl: [least, most], deadline }) => {
    for (const node of ['n1', 'n2', 'n3']) {
      const { ttlSecondsAfterFinished: ttl = 0, activeDeadlineSeconds } = pullPolicyOf(aJob({ spec }), node, contextAt(0));
      expect(ttl).toBeGreaterThanOrEqual(least);
      expect(ttl).toBeLessThanOrEqual(most);
      expect(activeDeadlineSeconds).toBe(deadline);
    }
  });
});

describe('a job whose image was edited', () => {
  it('takes back its former tasks, but not those of others', () => {
    const node = aNodeImage({
      images: {
        nginx: { tags: [aTag({ tag: '0' }), aTag({ tag: '0.9', ownerReferences: [ownerOf(), ownerOf('other')] }), aTag()] },
        redis: { tags: [aTag()] },
        busybox: { tags: [aTag({ ownerReferences: [ownerOf('other')] })] },
      },
    });
    const after = withoutFormerTasks(deepFreeze(node), order(aJob()));
    expect(after.spec.images).toEqual({
      nginx: { tags: [aTag({ tag: '0.9', ownerReferences: [ownerOf('other')] }), aTag()] },
      busybox: { tags: [aTag({ ownerReferences: [ownerOf('other')] })] },
    });
    expect(withoutFormerTasks(after, order(aJob()))).toBe(after);
    const actions = planFor({}, [node]).actions;
    expect(actions.map(({ kind }) => kind)).toEqual(['DropFormerTasks']);
  });

  it('takes them back with the new task, in one write for each node', () => {
    const edited = snapshot(
      aJob({ status: started, spec: { image: 'redis', parallelism: 2 } }),
      nodesIn('succeeded', 'succeeded', 'succeeded'),
    );
    expect(plan(edited, contextAt(10)).actions.map(({ kind, nodeImage }) => `${kind} ${nodeImage.metadata.name}`)).toEqual([
      'DropFormerTasks n2',
      'GiveTask n0',
      'GiveTask n1',
    ]);
  });
});

describe('a job past admission', () => {
  it.each<{ name: string; spec: unknown; why: RegExp }>([
    { name: 'null', spec: null, why: /spec must be an object/ },
    { name: 'a text', spec: 'nginx', why: /spec must be an object/ },
    { name: 'a percentage', spec: { ...aJob().spec, parallelism: '50%' }, why: /parallelism can not be a percentage/ },
    { name: 'an image that is none', spec: { ...aJob().spec, image: 'A/B:c:d' }, why: /invalid image/ },
    { name: 'an image of another type', spec: { ...aJob().spec, image: 7 }, why: /image can not be empty/ },
  ])('with $name is not worked with', ({ spec, why }) => {
    const read = readTerms({ ...aJob(), spec } as unknown as ImagePullJob);
    expect(read.kind === 'Faulty' ? read.why : '').toMatch(why);
  });

  it('is read as if the webhook had completed it', () => {
    expect(readTerms({ ...aJob(), spec: { image: 'nginx' } } as unknown as ImagePullJob)).toMatchObject({
      kind: 'Terms',
      terms: { task: { name: 'nginx', tag: 'latest' }, parallelism: 1, nodes: { kind: 'All' }, ends: true },
    });
  });
});

describe('recorded objects of the original', () => {
  const [job] = recordedObjects<ImagePullJob>('1-created', 'imagepulljobs.v1beta1') as readonly [ImagePullJob];
  const nodeImages = recordedObjects<NodeImage>('1-created', 'nodeimages');

  it('the same task is written, but for the spread of the times', () => {
    for (const recorded of nodeImages) {
      const [tag] = recorded.spec.images?.['nginx']?.tags ?? [];
      const now = parseTime(tag?.createdAt) as Instant;
      const bare: NodeImage = { metadata: { name: recorded.metadata.name }, spec: {} };
      const [ours] = withTask(bare, order(job), { now, alwaysTtlSeconds: 300 }).spec.images?.['nginx']?.tags ?? [];
      const ttl = tag?.pullPolicy?.ttlSecondsAfterFinished;
      expect({ ...ours, pullPolicy: { ...ours?.pullPolicy, ttlSecondsAfterFinished: ttl } }).toEqual(tag);
    }
  });

  it('the same status comes out', () => {
    const { status, actions } = plan(snapshot(job, nodeImages), contextAt(0));
    expect(status).toEqual(job.status);
    expect(actions).toEqual([]);
  });
});
