/** The rules of the image puller without a node: tables. */
import { describe, expect, it } from '@jest/globals';
import type { ImageTagStatus, NodeImage, NodeImageStatus } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';
import { instant, milliseconds, seconds } from '@kruise/objects';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { recordFailed, recordPulled } from './events.ts';
import { imageIdOf, isWantedImage } from './image-presence.ts';
import { addressOf, taskKey, tasksOf, tenantsOf, type ImageTask } from './task/image-task.ts';
import { payWrite, waitForMore, waitForWrite, type Paid } from '../status-pace/plan-pace.ts';
import { planSync, type WorkerState } from './plan-sync.ts';
import { deadlineMessage, planTry, spentBefore } from './plan-tries.ts';
import { computeStatus, isUnsettled } from './status.ts';

const digest = `sha256:${'d'.repeat(64)}`;
const nodeImage = (images: unknown): NodeImage => ({ metadata: { name: 'n' }, spec: { images } }) as NodeImage;
const taskOf = (more: object = {}, image = 'nginx'): ImageTask => tasksOf(nodeImage({ [image]: { tags: [{ tag: '1', ...more }] } }))[0]!;

describe('a task', () => {
  it('has the defaults of the node when the spec is silent or odd', () => {
    expect(taskOf()).toEqual({
      image: 'nginx',
      tag: '1',
      version: 0,
      ifNotPresent: false,
      timeout: 600_000,
      tries: 4,
      labels: {},
      annotations: {},
      pullSecrets: [],
      owners: [],
    });
    expect(taskOf({ pullPolicy: { timeoutSeconds: 0, backoffLimit: -5 } })).toMatchObject({ timeout: 600_000, tries: 4 });
    expect(taskOf({ pullPolicy: { timeoutSeconds: 7, backoffLimit: 0, activeDeadlineSeconds: 9 } })).toMatchObject({
      timeout: 7_000,
      tries: 1,
      deadline: 9_000,
    });
  });

  it('waits for the namespaces of the jobs that need it, and for none without jobs', () => {
    const jobs = [
      { kind: 'ImagePullJob', namespace: 'b', name: 'one' },
      { kind: 'ImagePullJob', namespace: 'a', name: 'two' },
      { kind: 'ImagePullJob', namespace: 'b', name: 'three' },
    ];
    expect(tenantsOf(taskOf({ ownerReferences: jobs }))).toEqual(['b', 'a']);
    expect(tenantsOf(taskOf({ ownerReferences: [{ kind: 'Node', name: 'n' }] }))).toEqual(['']);
    expect(tenantsOf(taskOf())).toEqual([]);
  });

  it('accepts no number that is not whole, and no unknown policy', () => {
    const odd = { version: 1.5, pullPolicy: { timeoutSeconds: '7', backoffLimit: 0.5, activeDeadlineSeconds: true } };
    expect(taskOf(odd)).toEqual(taskOf());
    expect(taskOf({ pullPolicy: 'fast', ownerReferences: 'x' })).toEqual(taskOf());
    expect(taskOf({ pullPolicy: { timeoutSeconds: 1, backoffLimit: 1, activeDeadlineSeconds: 0 } })).toMatchObject({
      timeout: 1_000,
      tries: 2,
      deadline: 0,
    });
  });

  it('first looks for the image on the node only with IfNotPresent', () => {
    expect(taskOf({ imagePullPolicy: 'IfNotPresent' }).ifNotPresent).toBe(true);
    for (const imagePullPolicy of ['Always', 'Never', '', undefined]) expect(taskOf({ imagePullPolicy }).ifNotPresent).toBe(false);
  });

  it('passes on the labels and annotations of the sandbox that are strings', () => {
    const of = (sandboxConfig: unknown): unknown => tasksOf(nodeImage({ nginx: { sandboxConfig, tags: [{ tag: '1' }] } }))[0];
    expect(of({ labels: { a: 'b', c: 5 }, annotations: { d: 'e', f: null } })).toEqual({
      ...taskOf(),
      labels: { a: 'b' },
      annotations: { d: 'e' },
    });
    for (const none of [undefined, null, 'x', { labels: 'x', annotations: [] }]) expect(of(none)).toEqual(taskOf());
  });

  it('exists for every readable entry, whatever the others are', () => {
    const tags = [null, 'x', {}, { tag: '' }, { tag: 5 }, { tag: 'ok' }];
    expect(tasksOf(nodeImage({ a: null, b: 'x', c: {}, d: { tags: 'x' }, e: { tags } })).map(taskKey)).toEqual(['e\nok']);
    for (const none of [undefined, null, [], 'x']) expect(tasksOf(nodeImage(none))).toEqual([]);
    expect(tasksOf({ metadata: { name: 'n' } } as NodeImage)).toEqual([]);
    expect(tasksOf({ metadata: { name: 'n' }, spec: null } as unknown as NodeImage)).toEqual([]);
  });

  it('without whole numbers has no deadline', () => {
    expect(taskOf({ pullPolicy: { activeDeadlineSeconds: 1.5 } })).not.toHaveProperty('deadline');
  });

  it('is one for each tag, by image and tag in ascending order; the first of the same tag counts', () => {
    const tasks = tasksOf(
      nodeImage({
        b: { tags: [{ tag: '2' }, { tag: '1', version: 1 }, { tag: '1', version: 2 }] },
        a: { tags: [{ tag: '9' }] },
        '': { tags: [{ tag: '1' }] },
      }),
    );
    expect(tasks.map(({ image, tag, version }) => `${image}:${tag} ${version}`)).toEqual(['a:9 0', 'b:1 1', 'b:2 0']);
  });

  it('keeps the readable secrets and owners', () => {
    const image = {
      pullSecrets: [{ namespace: 'ns', name: 's', mode: 'batch' }, { name: 'no-namespace' }, null],
      tags: [{ tag: '1', ownerReferences: [{ kind: 'ImagePullJob', name: 'j', namespace: 'ns', uid: 'u', fieldPath: 4 }, { name: 'x' }] }],
    };
    expect(tasksOf(nodeImage({ nginx: image }))[0]).toMatchObject({
      pullSecrets: [{ namespace: 'ns', name: 's' }],
      owners: [{ kind: 'ImagePullJob', name: 'j', namespace: 'ns', uid: 'u' }],
    });
  });

  it('has the secrets and owners with all that identifies them, and no others', () => {
    const image = {
      pullSecrets: [
        { namespace: '', name: 's' },
        { namespace: 'ns', name: '' },
        { namespace: 5, name: 's' },
        { namespace: 'ns', name: 5 },
      ],
      tags: [
        {
          tag: '1',
          ownerReferences: [
            null,
            { kind: 5, name: 'j' },
            { kind: 'ImagePullJob', name: 5 },
            { kind: 'K', name: 'k', apiVersion: 'v1', uid: 5 },
          ],
        },
      ],
    };
    expect(tasksOf(nodeImage({ nginx: image }))[0]).toMatchObject({
      pullSecrets: [],
      owners: [{ kind: 'K', name: 'k', apiVersion: 'v1' }],
    });
    expect(tasksOf(nodeImage({ nginx: image }))[0]?.owners[0]).not.toHaveProperty('uid');
  });

  it.each([
    ['nginx', '1.25', 'nginx:1.25', 'docker.io/library/nginx'],
    ['docker.io/library/nginx', '1', 'nginx:1', 'docker.io/library/nginx'],
    ['foo/bar', 'latest', 'foo/bar:latest', 'docker.io/foo/bar'],
    ['registry.k8s.io/pause', '3.9', 'registry.k8s.io/pause:3.9', 'registry.k8s.io/pause'],
    ['localhost:5000/a/b', 't', 'localhost:5000/a/b:t', 'localhost:5000/a/b'],
    ['r.io/x', digest, `r.io/x@${digest}`, 'r.io/x'],
  ])('of %s and %s requests %s', (image, tag, imageRef, repository) => {
    expect(addressOf({ image, tag })).toEqual({ kind: 'Valid', imageRef, repository });
  });

  it.each([
    ['Nginx/UPPER/x', '1'],
    ['nginx:1', '2'],
    [`nginx@${digest}`, '2'],
    ['nginx', 'a b'],
    ['nginx', 'sha256:short'],
    ['', '1'],
    ['d'.repeat(300), '1'],
  ])('of %s and %s requests nothing', (image, tag) => {
    expect(addressOf({ image, tag })).toEqual({
      kind: 'Invalid',
      why: `invalid image reference "${image}${tag.startsWith('sha256:') ? '@' : ':'}${tag}"`,
    });
  });
});

it.each<[string, string, string, boolean]>([
  ['nginx', '1.25', 'docker.io/library/nginx:1.25', true],
  ['nginx', '1.25', 'index.docker.io/library/nginx:1.25', true],
  ['nginx', '1.25', 'nginx:1.25', true],
  ['nginx', '1.25', 'docker.io/library/nginx:1.26', false],
  ['nginx', '1.25', 'r.io/nginx:1.25', false],
  ['nginx', 'latest', 'docker.io/library/nginx', true],
  ['nginx', '1.25', '<none>:<none>', false],
])('%s:%s exists as %s: %s', (image, tag, repoTag, there) => {
  expect(isWantedImage({ image, tag }, { repoTags: [repoTag], repoDigests: [] })).toBe(there);
});

it('the id of an image in the status follows its name', () => {
  expect(imageIdOf({ image: 'nginx', tag: '1' }, { id: 'sha256:1' })).toBe('nginx@sha256:1');
});

it('one tag or digest among others is sufficient', () => {
  const known = {
    repoTags: ['r.io/x:1', 'docker.io/library/nginx:1'],
    repoDigests: ['r.io/x@sha256:1', `docker.io/library/nginx@${digest}`],
  };
  expect(isWantedImage({ image: 'nginx', tag: '1' }, known)).toBe(true);
  expect(isWantedImage({ image: 'nginx', tag: digest }, known)).toBe(true);
  expect(isWantedImage({ image: 'nginx', tag: '1' }, { repoTags: [], repoDigests: [] })).toBe(false);
});

describe('the events of a pull', () => {
  const nameOf = (target: { readonly metadata?: { readonly name: string }; readonly name?: string }): unknown =>
    target.metadata?.name ?? target.name;
  const reportOf = (record: (events: EventRecorder) => void): readonly unknown[] => {
    const list: unknown[] = [];
    record({
      event: (target, ...event) => void list.push([nameOf(target), ...event]),
    });
    return list;
  };
  const task = taskOf({
    ownerReferences: [
      { kind: 'ImagePullJob', name: 'j1' },
      { kind: 'ImagePullJob', name: 'j2' },
    ],
  });

  it('contain its duration', () => {
    expect(reportOf((events) => recordPulled(events, nodeImage({}), task, milliseconds(1500)))).toEqual([
      ['n', 'Normal', 'PullImageSucceed', 'Image nginx:1, ecalpsedTime 1.5s'],
    ]);
  });

  it('report a failure to the jobs that need the image, too', () => {
    expect(reportOf((events) => recordFailed(events, nodeImage({}), task, 'is gone'))).toEqual(
      ['j1', 'j2', 'n'].map((name) => [name, 'Warning', 'PullImageFailed', 'Image nginx:1 is gone']),
    );
  });
});

it('a digest exists by its digest, not by a tag', () => {
  const known = { repoTags: ['docker.io/library/nginx:1'], repoDigests: [`docker.io/library/nginx@${digest}`] };
  expect(isWantedImage({ image: 'nginx', tag: digest }, known)).toBe(true);
  expect(isWantedImage({ image: 'other', tag: digest }, known)).toBe(false);
});

describe('what is started and stopped', () => {
  const done: ImageTagStatus = { tag: '1', phase: 'Succeeded', startTime: '2026-01-01T00:00:00Z', completionTime: '2026-01-01T00:00:09Z' };
  const pulling: ImageTagStatus = { tag: '1', phase: 'Pulling', startTime: '2026-01-01T00:00:00Z' };
  const silent: ImageTagStatus = { tag: '1', phase: 'Failed', completionTime: '2026-01-01T00:10:00Z', message: 'silent' };
  const worker = (status: ImageTagStatus, task = taskOf()): WorkerState => ({ task, status, ended: status.completionTime !== undefined });
  const at = Date.parse('2026-01-01T00:00:00Z');

  it.each<
    [string, { task?: ImageTask; entry?: ImageTagStatus; worker?: WorkerState }, { stop?: boolean; start?: object; adopt?: ImageTagStatus }]
  >([
    ['a new tag is started', {}, { start: {} }],
    ['a complete tag is left', { entry: done }, { adopt: done }],
    ['a tag complete in another version is started', { task: taskOf({ version: 1 }), entry: done }, { start: {} }],
    ['a tag that an earlier life was pulling goes on from its start', { entry: pulling }, { start: { startedAt: at } }],
    ['a worker goes on', { entry: pulling, worker: worker(pulling) }, {}],
    ['a worker of another version is replaced', { task: taskOf({ version: 1 }), worker: worker(pulling) }, { stop: true, start: {} }],
    ['a worker whose result is not written stays', { entry: pulling, worker: worker(done) }, {}],
    ['a worker whose result is written goes', { entry: done, worker: worker(done) }, { stop: true, adopt: done }],
    ['a worker that pulls goes when the tag was given up', { entry: silent, worker: worker(pulling) }, { stop: true, adopt: silent }],
    ['a result outweighs that the tag was given up', { entry: silent, worker: worker(done) }, {}],
  ])('%s', (_name, { task = taskOf(), entry, worker: held }, { stop, start, adopt }) => {
    const stored: NodeImageStatus | undefined = entry && { desired: 1, imageStatuses: { nginx: { tags: [entry] } } };
    const key = taskKey(task);
    expect(planSync([task], stored, new Map(held === undefined ? [] : [[key, held]]))).toEqual({
      stop: stop === true ? [key] : [],
      start: start === undefined ? [] : [{ task, ...start }],
      adopted: new Map(adopt === undefined ? [] : [[key, adopt]]),
    });
  });

  it('the status of another tag, of another image or of a member of every object is none', () => {
    const tags = [done];
    for (const imageStatuses of [{ other: { tags } }, { nginx: { tags: [{ ...done, tag: '2' }] } }, { nginx: null }, undefined])
      expect(planSync([taskOf()], { desired: 1, imageStatuses } as unknown as NodeImageStatus, new Map()).start).toEqual([
        { task: taskOf() },
      ]);
    const inherited = taskOf({}, 'constructor');
    expect(planSync([inherited], { desired: 1, imageStatuses: {} }, new Map()).start).toEqual([{ task: inherited }]);
  });

  it('the status of the right tag is found among others', () => {
    const stored = { desired: 1, imageStatuses: { nginx: { tags: [{ ...done, tag: '0' }, { ...done, version: 3 }, done] } } };
    expect([...planSync([taskOf()], stored, new Map()).adopted.values()]).toEqual([done]);
    expect([...planSync([taskOf({ version: 3 })], stored, new Map()).adopted.values()]).toEqual([{ ...done, version: 3 }]);
  });

  it('an unreadable start time is none', () => {
    const stored = { desired: 1, imageStatuses: { nginx: { tags: [{ ...pulling, startTime: 'soon' }] } } };
    expect(planSync([taskOf()], stored, new Map()).start).toEqual([{ task: taskOf() }]);
  });

  it('a worker of another version whose result is not written is still stopped', () => {
    const task = taskOf({ version: 1 });
    const plan = planSync([task], undefined, new Map([[taskKey(task), worker(done)]]));
    expect(plan).toEqual({ stop: [taskKey(task)], start: [{ task }], adopted: new Map() });
  });

  it('a worker of a tag that is no longer requested is stopped', () => {
    expect(planSync([], undefined, new Map([['x', worker(pulling)]])).stop).toEqual(['x']);
  });

  it('an unreadable status is none', () => {
    for (const tags of [null, 'x', [null]]) {
      const stored = { desired: 1, imageStatuses: { nginx: { tags } } } as unknown as NodeImageStatus;
      expect(planSync([taskOf()], stored, new Map()).start).toHaveLength(1);
    }
  });
});

describe('the status', () => {
  const tasks = tasksOf(
    nodeImage({ b: { tags: [{ tag: '2' }, { tag: '10' }] }, a: { tags: [{ tag: '1' }] }, c: { tags: [{ tag: '1' }] } }),
  );
  const [a1, b10, b2] = tasks.map(taskKey) as [string, string, string];

  it('counts by phase and omits images without a status', () => {
    const known = new Map<string, ImageTagStatus>([
      [b2, { tag: '2', phase: 'Failed' }],
      [a1, { tag: '1', phase: 'Succeeded' }],
      [b10, { tag: '10', phase: 'Waiting' }],
    ]);
    expect(computeStatus(tasks, known)).toEqual({
      desired: 4,
      succeeded: 1,
      failed: 1,
      pulling: 0,
      waiting: 1,
      imageStatuses: { a: { tags: [known.get(a1)] }, b: { tags: [known.get(b10), known.get(b2)] } },
    });
  });

  it('has no empty map', () => {
    expect(computeStatus([], new Map())).toEqual({ desired: 0, succeeded: 0, failed: 0, pulling: 0, waiting: 0 });
  });

  it('is unsettled while something is missing or of another version', () => {
    const [task] = tasks as [ImageTask];
    const done: ImageTagStatus = { tag: '1', phase: 'Succeeded' };
    expect(isUnsettled([task], computeStatus([task], new Map()))).toBe(true);
    expect(isUnsettled([task], computeStatus([task], new Map([[a1, done]])))).toBe(false);
    expect(isUnsettled([{ ...task, version: 3 }], computeStatus([task], new Map([[a1, done]])))).toBe(true);
    expect(isUnsettled([{ ...task, version: 3 }], computeStatus([task], new Map([[a1, { ...done, version: 3 }]])))).toBe(false);
    expect(isUnsettled([task], computeStatus([task], new Map([[a1, { ...done, phase: 'Failed' }]])))).toBe(false);
    for (const phase of ['Waiting', 'Pulling'] as const)
      expect(isUnsettled([task], computeStatus([task], new Map([[a1, { ...done, phase }]])))).toBe(true);
    expect(isUnsettled([task], { desired: 1, succeeded: 1, imageStatuses: { b: { tags: [{ ...done, version: 3 }] } } })).toBe(false);
    expect(isUnsettled([task], { desired: 1, succeeded: 1, imageStatuses: { a: { tags: [{ ...done, tag: '2', version: 3 }] } } })).toBe(
      false,
    );
    expect(isUnsettled([{ ...task, image: 'constructor' }], { desired: 1, succeeded: 1 })).toBe(false);
    expect(isUnsettled([task], { desired: 1, succeeded: 1, imageStatuses: { a: null } as never })).toBe(false);
    expect(isUnsettled([], { desired: 0 })).toBe(false);
    expect(isUnsettled([], { desired: 1 })).toBe(true);
  });

  it('counts each phase', () => {
    for (const phase of ['Succeeded', 'Failed', 'Pulling', 'Waiting'] as const)
      expect(computeStatus(tasks, new Map([[a1, { tag: '1', phase }]]))).toMatchObject({
        desired: 4,
        succeeded: 0,
        failed: 0,
        pulling: 0,
        waiting: 0,
        [phase.toLowerCase()]: 1,
      });
  });
});

describe('tries', () => {
  it.each<[string, Partial<Pick<ImageTask, 'timeout' | 'tries' | 'deadline'>>, { failed: number; after?: number }, object]>([
    ['the first is at once', {}, { failed: 0 }, { kind: 'Try', pause: 0, timeout: 600_000 }],
    ['the second after 1 s', {}, { failed: 1 }, { kind: 'Try', pause: 1_000, timeout: 600_000 }],
    ['the third after 2 s', {}, { failed: 2 }, { kind: 'Try', pause: 2_000, timeout: 600_000 }],
    ['the pause is 30 s at most', { tries: 99 }, { failed: 50 }, { kind: 'Try', pause: 30_000, timeout: 600_000 }],
    ['the fourth after 4 s', {}, { failed: 3 }, { kind: 'Try', pause: 4_000, timeout: 600_000 }],
    ['a long deadline caps nothing', { deadline: seconds(9000) }, { failed: 0 }, { kind: 'Try', pause: 0, timeout: 600_000 }],
    [
      'the least that is left after the pause is tried',
      { deadline: seconds(100) },
      { failed: 1, after: 98.999 },
      { kind: 'Try', pause: 1_000, timeout: 1 },
    ],
    [
      'none begins when it ends with the pause',
      { deadline: seconds(100) },
      { failed: 1, after: 99 },
      { kind: 'DeadlineExceeded', pause: 1_000 },
    ],
    ['none begins long after the deadline', { deadline: seconds(100) }, { failed: 1, after: 500 }, { kind: 'DeadlineExceeded', pause: 0 }],
    ['who has failed often enough gives up, deadline or not', { deadline: seconds(100) }, { failed: 4, after: 500 }, { kind: 'GiveUp' }],
    ['the last is the fourth', {}, { failed: 4 }, { kind: 'GiveUp' }],
    ['the deadline caps the first', { deadline: seconds(100) }, { failed: 0 }, { kind: 'Try', pause: 0, timeout: 100_000 }],
    ['the deadline caps a later one', { deadline: seconds(100) }, { failed: 1, after: 90 }, { kind: 'Try', pause: 1_000, timeout: 9_000 }],
    ['none begins after the deadline', { deadline: seconds(100) }, { failed: 0, after: 100 }, { kind: 'DeadlineExceeded', pause: 0 }],
    [
      'none begins when it ends in the pause',
      { deadline: seconds(100) },
      { failed: 2, after: 99 },
      { kind: 'DeadlineExceeded', pause: 1_000 },
    ],
  ])('%s', (_name, limits, { failed, after = 0 }, next) => {
    const task = { timeout: seconds(600), tries: 4, ...limits };
    expect(planTry(task, { spent: seconds(after), failed })).toEqual(next);
  });
});

it.each([
  ['that began here', undefined, 0],
  ['that began before', 30_000, 30_000],
  ['that began before a clock was set back', -500_000, 0],
])('a pull %s has spent %s', (_name, ago, spent) => {
  const now = instant(1_000_000);
  expect(spentBefore(ago === undefined ? undefined : instant(now - ago), now)).toBe(spent);
});

it('the end by a deadline is reported in words that other programs search for', () => {
  expect(deadlineMessage).toBe('pulling exceeds the activeDeadlineSeconds');
});

describe('the pace of status writes', () => {
  it('is five at once, then one in 2.4 s', () => {
    let paid: Paid = milliseconds(0);
    const waits: number[] = [];
    for (let write = 0; write < 7; write++) {
      waits.push(waitForWrite(paid, milliseconds(1000)));
      paid = payWrite(paid, milliseconds(1000));
    }
    expect(waits).toEqual([0, 0, 0, 0, 0, 2400, 4800]);
  });

  it('collects longer, the more was written', () => {
    const waits = [0, 2400, 4800, 7200, 9600, 12_000].map((paid) => waitForMore(milliseconds(paid), milliseconds(0)));
    expect(waits).toEqual([100, 200, 400, 800, 1600, 2400]);
  });

  it('allows a write again when time has paid for the earlier ones', () => {
    expect(waitForWrite(milliseconds(12_000), milliseconds(2_399))).toBeCloseTo(1, 6);
    expect(waitForWrite(milliseconds(12_000), milliseconds(2_400))).toBe(0);
    expect(payWrite(milliseconds(0), milliseconds(5_000))).toBe(7_400);
    expect(payWrite(milliseconds(7_400), milliseconds(5_000))).toBe(9_800);
    expect(waitForMore(milliseconds(1_000), milliseconds(5_000))).toBe(100);
  });

  it('is at most 30 in any minute', () => {
    const seen = new Occurrences();
    const atAnyTime = fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 300, size: 'max' });
    // As soon as it is allowed.
    const pressing = fc.array(fc.constantFrom(0, 400), { maxLength: 800, size: 'max' });
    fc.assert(
      fc.property(fc.oneof(atAnyTime, pressing), (gaps) => {
        let [paid, now]: [Paid, number] = [milliseconds(0), 0];
        const writes: number[] = [];
        for (const gap of gaps) {
          now += gap;
          if (seen.note('a write has to wait', waitForWrite(paid, milliseconds(now)) > 0)) continue;
          paid = payWrite(paid, milliseconds(now));
          writes.push(now);
        }
        for (const from of writes) {
          const inMinute = writes.filter((at) => at >= from && at <= from + 60_000).length;
          expect(inMinute).toBeLessThanOrEqual(30);
          seen.note('a minute is used up', inMinute === 30);
        }
      }),
    );
    seen.expectAtLeast({ 'a write has to wait': 100, 'a minute is used up': 10 });
  });
});
