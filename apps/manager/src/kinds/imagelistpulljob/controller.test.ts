import { describe, expect, it } from '@jest/globals';
import { imageListPullJobs, imagePullJobs, type ImageListPullJob, type ImagePullJob } from '@kruise/api';
import { apiFailures, deathsAtEveryStep, deathTimes, isWrite, type Death, type FakeCall } from '@kruise/kube/testing';
import { PullCluster } from '../../images/pull-cluster.testing.ts';
import type { ControllerProcess, ProcessOptions } from '../../module/controller-process.testing.ts';
import { imageListPullJobController } from './controller.ts';

const key = { namespace: 'default', name: 'all' };

function seedList(world: PullCluster, spec: Partial<ImageListPullJob['spec']> = {}): void {
  world.api.seed(imageListPullJobs, {
    metadata: { name: 'all', namespace: 'default' },
    spec: { images: ['nginx', 'redis', 'busybox'], completionPolicy: { type: 'Always' }, ...spec },
  });
}

const children = (world: PullCluster): readonly ImagePullJob[] => world.api.peekAll(imagePullJobs, 'default');
const imagesOf = (world: PullCluster): readonly string[] =>
  children(world)
    .map(({ spec }) => spec.image)
    .sort();

/** Every child ends. */
function finish(world: PullCluster, failed = 0): void {
  for (const child of children(world))
    world.api.seed(imagePullJobs, {
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

const list = (world: PullCluster): ImageListPullJob | undefined => world.api.peek(imageListPullJobs, key);

async function newWorld(options: ProcessOptions = {}) {
  const world = new PullCluster();
  seedList(world);
  const manager = world.start(imageListPullJobController, options);
  await world.pass();
  return { world, manager };
}

describe('an ImageListPullJob', () => {
  it('has one job for each image, reports them, and ends with them', async () => {
    const { world, manager } = await newWorld();
    expect(imagesOf(world)).toEqual(['busybox', 'nginx', 'redis']);
    expect(manager.events).toEqual([
      { about: 'all', type: 'Normal', reason: 'Successful create ImagePullJob', message: 'Create 3 ImagePullJob' },
    ]);
    finish(world);
    await world.pass();
    expect(list(world)?.status).toMatchObject({ desired: 3, completed: 3, succeeded: 3 });
    expect(list(world)?.status?.completionTime).toBeDefined();
    expect(list(world)?.metadata.labels?.['controller-revision-hash']).toBeTruthy();
    await world.stop();
  });

  it('follows changes of the list and of the template', async () => {
    const { world, manager } = await newWorld();
    const before = new Map(children(world).map(({ spec, metadata }) => [spec.image, metadata.uid]));
    const change = (spec: object): Promise<unknown> => world.api.patch(imageListPullJobs, key, { spec }, { type: 'merge' });
    await change({ images: ['nginx', 'redis', 'centos'] });
    await world.pass();
    expect(imagesOf(world)).toEqual(['centos', 'nginx', 'redis']);
    expect(children(world).find(({ spec }) => spec.image === 'nginx')?.metadata.uid).toBe(before.get('nginx'));
    await change({ parallelism: 5 });
    await world.pass();
    expect(imagesOf(world)).toEqual(['centos', 'nginx', 'redis']);
    expect(children(world).every(({ spec }) => spec.parallelism === 5)).toBe(true);
    expect(manager.events.map(({ message }) => message)).toContain('Delete 1 ImagePullJob');
    await world.stop();
  });

  it('makes the jobs of the other images when one is refused', async () => {
    const { world, manager } = await newWorld({
      before: ({ verb, type, body }) => {
        if (verb === 'create' && type?.plural === 'imagepulljobs' && (body as ImagePullJob).spec.image === 'nginx')
          throw apiFailures.badRequest('nginx is not allowed');
      },
    });
    await world.pass(2);
    expect(imagesOf(world)).toEqual(['busybox', 'redis']);
    const message = 'an ImagePullJob cannot be created: nginx is not allowed';
    expect(manager.events).toContainEqual(expect.objectContaining({ reason: 'FailedCreate', message }));
    await world.stop();
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
    const { world, manager } = await newWorld({
      before: (call) => {
        if (!isWrite(call) || !isRefused(call)) return;
        count += 1;
        throw apiFailures.badRequest('not allowed');
      },
    });
    for (let second = 1; second < 62; second += 1) {
      for (const child of children(world)) world.api.seed(imagePullJobs, { ...child, status: { desired: 100, active: second } });
      await world.pass(1);
    }
    expect(count).toBeLessThanOrEqual(7);
    expect(count).toBeGreaterThan(5);
    expect(imagesOf(world)).toHaveLength(warns ? 2 : 3);
    expect(manager.events.filter(({ type }) => type === 'Warning')).toHaveLength(warns ? count : 0);
    await world.stop();
  });

  it('says why a job cannot be made, and tries again', async () => {
    let refuse = true;
    const { world, manager } = await newWorld({
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
    await world.pass(5);
    expect(imagesOf(world)).toEqual(['busybox', 'nginx', 'redis']);
    await world.stop();
  });

  it('makes its jobs although its label is refused', async () => {
    const world = new PullCluster();
    seedList(world);
    world.start(imageListPullJobController, {
      before: ({ verb, type, subresource }) => {
        if (verb === 'patch' && type === imageListPullJobs && subresource === '') throw apiFailures.badRequest('no');
      },
    });
    await world.pass();
    expect([imagesOf(world), list(world)?.status?.desired]).toEqual([['busybox', 'nginx', 'redis'], 3]);
    await world.stop();
  });

  it('deletes the other jobs of images that left the list when the deletion of one is refused', async () => {
    let refused: string | undefined;
    const { world, manager } = await newWorld({
      before: ({ verb, type, key: { name } }) => {
        if (verb === 'delete' && type === imagePullJobs && name === (refused ??= name)) throw apiFailures.badRequest('no');
      },
    });
    const { spec, ...rest } = list(world)!;
    world.api.seed(imageListPullJobs, { ...rest, spec: { ...spec, images: ['nginx'] } });
    await world.pass();
    expect(imagesOf(world)).toHaveLength(2);
    expect(manager.events.at(-1)).toMatchObject({
      type: 'Normal',
      reason: 'Successful delete ImagePullJob',
      message: 'Delete 1 ImagePullJob',
    });
    await world.stop();
  });

  it('recreates a job that a user deletes, also while the old one is still terminating', async () => {
    const { world } = await newWorld();
    const [child] = children(world);
    world.api.seed(imagePullJobs, { ...child!, metadata: { ...child!.metadata, finalizers: ['a/b'] } });
    await world.api.delete(imagePullJobs, { namespace: 'default', name: child!.metadata.name });
    await world.pass();
    expect(
      children(world).filter(({ metadata, spec }) => metadata.deletionTimestamp === undefined && spec.image === child!.spec.image),
    ).toHaveLength(1);
    await world.stop();
  });

  it('is deleted after its time to live', async () => {
    const world = new PullCluster();
    seedList(world, { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 20 } });
    world.start(imageListPullJobController);
    await world.pass();
    finish(world, 1);
    await world.pass();
    expect(list(world)?.status?.failedImageStatuses).toHaveLength(3);
    await world.pass(21);
    expect(list(world)).toBeUndefined();
    await world.stop();
  });

  it('that admission did not check gets the error reported', async () => {
    const world = new PullCluster();
    seedList(world, { images: 'nginx' as never });
    const manager = world.start(imageListPullJobController);
    await world.pass();
    expect(manager.events).toMatchObject([{ reason: 'FailedCreate', message: 'images can not be empty' }]);
    expect(children(world)).toEqual([]);
    await world.stop();
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
  const world = new PullCluster();
  seedList(world, spec);
  const manager = world.start(imageListPullJobController);
  await world.pass();
  await world.pass(60);
  expect(manager.events).toMatchObject([{ reason: 'FailedCreate', message: expect.stringMatching(message) }]);
  expect(children(world)).toEqual([]);
  await world.stop();
});

describe('a manager that is killed', () => {
  it.each(deathTimes)('at any write (%s) leaves one job for each image', async (when) => {
    const scenario = async (death?: Death): Promise<ControllerProcess> => {
      const { world, manager: first } = await newWorld({ death });
      const replaceTheDead = async (): Promise<void> => {
        if (!first.dead || world.managers.length > 1) return;
        world.start(imageListPullJobController);
        await world.pass();
      };
      await replaceTheDead();
      expect(imagesOf(world)).toEqual(['busybox', 'nginx', 'redis']);
      finish(world);
      await world.pass();
      await replaceTheDead();
      expect(imagesOf(world)).toEqual(['busybox', 'nginx', 'redis']);
      expect(list(world)?.status).toMatchObject({ desired: 3, succeeded: 3, completionTime: expect.any(String) });
      await world.stop();
      return first;
    };
    const { writes } = await scenario();
    expect(writes).toBeGreaterThanOrEqual(6);
    expect(await deathsAtEveryStep(when, scenario)).toBe(writes);
  });

  it('makes no job twice when the caches lag behind', async () => {
    const world = new PullCluster();
    seedList(world);
    const first = world.start(imageListPullJobController, { death: { at: 2, when: 'after' } });
    world.api.holdWatches();
    await world.pass();
    expect(first.dead).toBe(true);
    world.start(imageListPullJobController);
    await world.pass(1);
    world.api.releaseWatches();
    await world.pass(1);
    expect(imagesOf(world)).toEqual(['busybox', 'nginx', 'redis']);
    await world.stop();
  });
});
