import { describe, expect, it } from '@jest/globals';
import { imageListPullJobs, imagePullJobs, type ImageListPullJob, type ImagePullJob } from '@kruise/api';
import { apiFailures, deathsAtEveryStep, deathTimes, isWrite, type Death, type FakeCall } from '@kruise/kube/testing';
import { PullCluster } from '../../images/pull-cluster.testing.ts';
import type { ControllerProcess, ProcessOptions } from '../../module/controller-process.testing.ts';
import { imageListPullJobController } from './controller.ts';

const key = { namespace: 'default', name: 'all' };

function seedList(cluster: PullCluster, spec: Partial<ImageListPullJob['spec']> = {}): void {
  cluster.api.seed(imageListPullJobs, {
    metadata: { name: 'all', namespace: 'default' },
    spec: { images: ['nginx', 'redis', 'busybox'], completionPolicy: { type: 'Always' }, ...spec },
  });
}

const children = (cluster: PullCluster): readonly ImagePullJob[] => cluster.api.peekAll(imagePullJobs, 'default');
const imagesOf = (cluster: PullCluster): readonly string[] =>
  children(cluster)
    .map(({ spec }) => spec.image)
    .sort();

/** Every child ends. */
function finish(cluster: PullCluster, failed = 0): void {
  for (const child of children(cluster))
    cluster.api.seed(imagePullJobs, {
      ...child,
      status: {
        startTime: '2026-01-01T00:00:00Z',
        completionTime: '2026-01-01T00:00:05Z',
        desired: 3,
        succeeded: 3 - failed,
        failed,
        active: 0,
      },
    });
}

const list = (cluster: PullCluster): ImageListPullJob | undefined => cluster.api.peek(imageListPullJobs, key);

async function newCluster(options: ProcessOptions = {}) {
  const cluster = new PullCluster();
  seedList(cluster);
  const manager = cluster.start(imageListPullJobController, options);
  await cluster.pass();
  return { cluster, manager };
}

describe('an ImageListPullJob', () => {
  it('has one job for each image, reports them, and ends with them', async () => {
    const { cluster, manager } = await newCluster();
    expect(imagesOf(cluster)).toEqual(['busybox', 'nginx', 'redis']);
    expect(manager.events).toEqual([
      { about: 'all', type: 'Normal', reason: 'Successful create ImagePullJob', message: 'Create 3 ImagePullJob' },
    ]);
    finish(cluster);
    await cluster.pass();
    expect(list(cluster)?.status).toMatchObject({ desired: 3, completed: 3, succeeded: 3 });
    expect(list(cluster)?.status?.completionTime).toBeDefined();
    expect(list(cluster)?.metadata.labels?.['controller-revision-hash']).toBeTruthy();
    await cluster.stop();
  });

  it('follows changes of the list and of the template', async () => {
    const { cluster, manager } = await newCluster();
    const before = new Map(children(cluster).map(({ spec, metadata }) => [spec.image, metadata.uid]));
    const change = (spec: object): Promise<unknown> => cluster.api.patch(imageListPullJobs, key, { spec }, { type: 'merge' });
    await change({ images: ['nginx', 'redis', 'centos'] });
    await cluster.pass();
    expect(imagesOf(cluster)).toEqual(['centos', 'nginx', 'redis']);
    expect(children(cluster).find(({ spec }) => spec.image === 'nginx')?.metadata.uid).toBe(before.get('nginx'));
    await change({ parallelism: 5 });
    await cluster.pass();
    expect(imagesOf(cluster)).toEqual(['centos', 'nginx', 'redis']);
    expect(children(cluster).every(({ spec }) => spec.parallelism === 5)).toBe(true);
    expect(manager.events.map(({ message }) => message)).toContain('Delete 1 ImagePullJob');
    await cluster.stop();
  });

  it('makes the jobs of the other images when one is refused', async () => {
    const { cluster, manager } = await newCluster({
      before: ({ verb, type, body }) => {
        if (verb === 'create' && type?.plural === 'imagepulljobs' && (body as ImagePullJob).spec.image === 'nginx')
          throw apiFailures.badRequest('nginx is not allowed');
      },
    });
    await cluster.pass(2);
    expect(imagesOf(cluster)).toEqual(['busybox', 'redis']);
    const message = 'an ImagePullJob cannot be created: nginx is not allowed';
    expect(manager.events).toContainEqual(expect.objectContaining({ reason: 'FailedCreate', message }));
    await cluster.stop();
  });

  it.each<{ name: string; isRefused: (call: FakeCall) => boolean; warns: boolean }>([
    { name: 'one image', isRefused: ({ verb, body }) => verb === 'create' && (body as ImagePullJob).spec.image === 'nginx', warns: true },
    {
      name: 'its status',
      isRefused: ({ type, subresource }) => type?.plural === 'imagelistpulljobs' && subresource === 'status',
      warns: false,
    },
    { name: 'its label', isRefused: ({ type, subresource }) => type?.plural === 'imagelistpulljobs' && subresource === '', warns: false },
  ])('tries $name again only after growing waits, whatever its jobs report', async ({ isRefused, warns }) => {
    let count = 0;
    const { cluster, manager } = await newCluster({
      before: (call) => {
        if (!isWrite(call) || !isRefused(call)) return;
        count += 1;
        throw apiFailures.badRequest('not allowed');
      },
    });
    for (let second = 1; second < 62; second += 1) {
      for (const child of children(cluster)) cluster.api.seed(imagePullJobs, { ...child, status: { desired: 100, active: second } });
      await cluster.pass(1);
    }
    expect(count).toBeLessThanOrEqual(7);
    expect(count).toBeGreaterThan(5);
    expect(imagesOf(cluster)).toHaveLength(warns ? 2 : 3);
    expect(manager.events.filter(({ type }) => type === 'Warning')).toHaveLength(warns ? count : 0);
    await cluster.stop();
  });

  it('says why a job cannot be made, and tries again', async () => {
    let refuse = true;
    const { cluster, manager } = await newCluster({
      before: ({ verb, type }) => {
        if (refuse && verb === 'create' && type?.plural === 'imagepulljobs')
          throw apiFailures.badRequest('activeDeadlineSeconds must be greater');
      },
    });
    expect(manager.events[0]).toEqual({
      about: 'all',
      type: 'Warning',
      reason: 'FailedCreate',
      message: 'an ImagePullJob cannot be created: activeDeadlineSeconds must be greater',
    });
    refuse = false;
    await cluster.pass(5);
    expect(imagesOf(cluster)).toEqual(['busybox', 'nginx', 'redis']);
    await cluster.stop();
  });

  it('makes its jobs although its label is refused', async () => {
    const cluster = new PullCluster();
    seedList(cluster);
    cluster.start(imageListPullJobController, {
      before: ({ verb, type, subresource }) => {
        if (verb === 'patch' && type === imageListPullJobs && subresource === '') throw apiFailures.badRequest('no');
      },
    });
    await cluster.pass();
    expect([imagesOf(cluster), list(cluster)?.status?.desired]).toEqual([['busybox', 'nginx', 'redis'], 3]);
    await cluster.stop();
  });

  it('deletes the other jobs of images that left the list when the deletion of one is refused', async () => {
    let refused: string | undefined;
    const { cluster, manager } = await newCluster({
      before: ({ verb, type, key: { name } }) => {
        if (verb === 'delete' && type === imagePullJobs && name === (refused ??= name)) throw apiFailures.badRequest('no');
      },
    });
    const { spec, ...rest } = list(cluster)!;
    cluster.api.seed(imageListPullJobs, { ...rest, spec: { ...spec, images: ['nginx'] } });
    await cluster.pass();
    expect(imagesOf(cluster)).toHaveLength(2);
    expect(manager.events.at(-1)).toMatchObject({
      type: 'Normal',
      reason: 'Successful delete ImagePullJob',
      message: 'Delete 1 ImagePullJob',
    });
    await cluster.stop();
  });

  it('recreates a job that a user deletes, also while the old one is still terminating', async () => {
    const { cluster } = await newCluster();
    const [child] = children(cluster);
    cluster.api.seed(imagePullJobs, { ...child!, metadata: { ...child!.metadata, finalizers: ['a/b'] } });
    await cluster.api.delete(imagePullJobs, { namespace: 'default', name: child!.metadata.name });
    await cluster.pass();
    expect(
      children(cluster).filter(({ metadata, spec }) => metadata.deletionTimestamp === undefined && spec.image === child!.spec.image),
    ).toHaveLength(1);
    await cluster.stop();
  });

  it('is deleted after its time to live', async () => {
    const cluster = new PullCluster();
    seedList(cluster, { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 20 } });
    cluster.start(imageListPullJobController);
    await cluster.pass();
    finish(cluster, 1);
    await cluster.pass();
    expect(list(cluster)?.status?.failedImageStatuses).toHaveLength(3);
    await cluster.pass(21);
    expect(list(cluster)).toBeUndefined();
    await cluster.stop();
  });

  it('that admission did not check gets the error reported', async () => {
    const cluster = new PullCluster();
    seedList(cluster, { images: 'nginx' as never });
    const manager = cluster.start(imageListPullJobController);
    await cluster.pass();
    expect(manager.events).toMatchObject([{ reason: 'FailedCreate', message: 'images can not be empty' }]);
    expect(children(cluster)).toEqual([]);
    await cluster.stop();
  });
});

it.each<{ name: string; spec: Parameters<typeof seedList>[1]; message: RegExp }>([
  { name: 'images', spec: { images: Array.from({ length: 256 }, (_, at) => `nginx:${at}`) }, message: /^images has 256 entries, 255 are/ },
  { name: 'secrets', spec: { pullSecrets: Array.from({ length: 65 }, (_, at) => `s${at}`) }, message: /^spec.pullSecrets has 65 entries/ },
  {
    name: 'copies of a sandbox',
    spec: {
      images: Array.from({ length: 129 }, (_, at) => `nginx:${at}`),
      sandboxConfig: { annotations: { a: 'x'.repeat(65_535) } },
    },
    message: /^spec.images has 129 entries, each with the 65536 bytes of spec.sandboxConfig/,
  },
])('a list that was stored with more $name than are allowed says so in an event once and makes no jobs', async ({ spec, message }) => {
  const cluster = new PullCluster();
  seedList(cluster, spec);
  const manager = cluster.start(imageListPullJobController);
  await cluster.pass();
  await cluster.pass(60);
  expect(manager.events).toMatchObject([{ reason: 'FailedCreate', message: expect.stringMatching(message) }]);
  expect(children(cluster)).toEqual([]);
  await cluster.stop();
});

describe('a manager that is killed', () => {
  it.each(deathTimes)('at any write (%s) leaves one job for each image', async (when) => {
    const scenario = async (death?: Death): Promise<ControllerProcess> => {
      const { cluster, manager: first } = await newCluster({ death });
      const replaceTheDead = async (): Promise<void> => {
        if (!first.dead || cluster.managers.length > 1) return;
        cluster.start(imageListPullJobController);
        await cluster.pass();
      };
      await replaceTheDead();
      expect(imagesOf(cluster)).toEqual(['busybox', 'nginx', 'redis']);
      finish(cluster);
      await cluster.pass();
      await replaceTheDead();
      expect(imagesOf(cluster)).toEqual(['busybox', 'nginx', 'redis']);
      expect(list(cluster)?.status).toMatchObject({ desired: 3, succeeded: 3, completionTime: expect.any(String) });
      await cluster.stop();
      return first;
    };
    const { writes } = await scenario();
    expect(writes).toBeGreaterThanOrEqual(6);
    expect(await deathsAtEveryStep(when, scenario)).toBe(writes);
  });

  it('makes no job twice when the caches lag behind', async () => {
    const cluster = new PullCluster();
    seedList(cluster);
    const first = cluster.start(imageListPullJobController, { death: { at: 2, when: 'after' } });
    cluster.api.holdWatches();
    await cluster.pass();
    expect(first.dead).toBe(true);
    cluster.start(imageListPullJobController);
    await cluster.pass(1);
    cluster.api.releaseWatches();
    await cluster.pass(1);
    expect(imagesOf(cluster)).toEqual(['busybox', 'nginx', 'redis']);
    await cluster.stop();
  });
});
