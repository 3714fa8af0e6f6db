/** The image part against a scripted runtime over a real socket and a fake API server. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { nodeImages } from '@kruise/api';
import { ScriptedFailure } from '@kruise/cri/testing';
import { seconds, secrets } from '@kruise/objects';
import { node } from '../testing.ts';
import { aTag, dockerConfig, images, ImagesFixture } from './fixture.testing.ts';

let fixture: ImagesFixture;
beforeEach(async () => {
  fixture = new ImagesFixture();
  await fixture.runtime.start();
});
afterEach(() => fixture.end());

const digest = `sha256:${'d'.repeat(64)}`;
const pulls = () => fixture.runtime.callsOf('PullImage') as readonly { image: { image: string }; auth: { username: string } | null }[];
const pulled = () => pulls().map(({ image }) => image.image);

/** Makes PullImage wait until the test ends it. */
function holdPulls() {
  const held: { imageRef: string; signal: AbortSignal; finish: () => void }[] = [];
  fixture.runtime.on('PullImage', (request, signal) => {
    const imageRef = (request as { image: { image: string } }).image.image;
    return new Promise((resolve) => {
      held.push({ imageRef, signal, finish: () => resolve({ imageRef: fixture.runtime.hasImage(imageRef).id }) });
    });
  });
  return held;
}

describe('a tag that the NodeImage requests', () => {
  it('is pulled, and its status contains when and what', async () => {
    const run = fixture.live();
    fixture.askTags({ nginx: [aTag('1.25')] });
    await fixture.until(() => fixture.phaseOf('nginx', '1.25') === 'Succeeded');
    expect(pulls()).toMatchObject([
      {
        image: { image: 'nginx:1.25', annotations: {} },
        auth: null,
        sandboxConfig: { labels: {}, annotations: { 'apps.kruise.io/pulling-image-by': 'kruise-daemon' } },
      },
    ]);
    expect(fixture.nodeImage?.status).toEqual({
      desired: 1,
      succeeded: 1,
      failed: 0,
      pulling: 0,
      waiting: 0,
      imageStatuses: {
        nginx: {
          tags: [
            {
              tag: '1.25',
              phase: 'Succeeded',
              startTime: expect.stringMatching(/^2025-01-01T00:00:\d\dZ$/),
              completionTime: expect.stringMatching(/^2025-01-01T00:00:\d\dZ$/),
              progress: 100,
              imageID: `nginx@${fixture.runtime.hasImage('nginx:1.25').id}`,
            },
          ],
        },
      },
    });
    expect(run.events).toEqual([
      expect.stringMatching(/^kruise-daemon-imagepuller Normal PullImageSucceed NodeImage\/node1: Image nginx:1\.25, ecalpsedTime \d/),
    ]);
    expect(run.live['nodeImageInformerSynced']?.()).toBeUndefined();
  });

  it('is not pulled when it exists and the policy is IfNotPresent', async () => {
    const { id } = fixture.runtime.hasImage('nginx:1.25');
    fixture.live();
    fixture.askTags({ nginx: [aTag('1.25')] });
    await fixture.until(() => fixture.phaseOf('nginx', '1.25') === 'Succeeded');
    expect(fixture.statusOf('nginx', '1.25')?.imageID).toBe(`nginx@${id}`);
    expect(pulled()).toEqual([]);
    expect(fixture.statusWrites).toBe(1);
  });

  it.each(['Always', ''])('is pulled once although it exists with policy %j', async (imagePullPolicy) => {
    fixture.runtime.hasImage('nginx:1.25');
    fixture.live();
    fixture.askTags({ nginx: [aTag('1.25', { imagePullPolicy })] });
    await fixture.until(() => fixture.phaseOf('nginx', '1.25') === 'Succeeded');
    expect(pulled()).toEqual(['nginx:1.25']);
  });

  it('may be a digest', async () => {
    fixture.live();
    fixture.askTags({ 'r.io/app': [aTag(digest)] });
    await fixture.until(() => fixture.phaseOf('r.io/app', digest) === 'Succeeded');
    expect(pulled()).toEqual([`r.io/app@${digest}`]);
    fixture.askTags({ 'r.io/app': [aTag(digest, { version: 1 })] });
    await fixture.until(() => fixture.statusOf('r.io/app', digest)?.version === 1 && fixture.phaseOf('r.io/app', digest) === 'Succeeded');
    expect(pulled()).toHaveLength(1);
  });

  it('carries the labels and annotations of the sandbox', async () => {
    fixture.live();
    fixture.ask({ nginx: { tags: [aTag('1')], sandboxConfig: { labels: { a: 'b' }, annotations: { c: 'd' } } } });
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Succeeded');
    expect(pulls()).toMatchObject([
      { sandboxConfig: { labels: { a: 'b' }, annotations: { c: 'd', 'apps.kruise.io/pulling-image-by': 'kruise-daemon' } } },
    ]);
  });

  it('is found by runtimes that can only list their images', async () => {
    fixture.runtime.hasImage('nginx:1.25');
    fixture.runtime.on('ImageStatus', () => {
      throw new ScriptedFailure(status.UNIMPLEMENTED, 'no such method');
    });
    fixture.live();
    fixture.askTags({ nginx: [aTag('1.25')] });
    await fixture.until(() => fixture.phaseOf('nginx', '1.25') === 'Succeeded');
    expect(pulled()).toEqual([]);
  });

  it('that is no reference fails with its fault, without a call', async () => {
    const run = fixture.live();
    const ownerReferences = [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'ImagePullJob', namespace: 'ns', name: 'job', uid: 'u' }];
    fixture.askTags({ 'Bad//Name': [aTag('1', { ownerReferences })], nginx: [aTag('1')] });
    await fixture.until(() => fixture.nodeImage?.status?.failed === 1 && fixture.nodeImage.status.succeeded === 1);
    expect(fixture.statusOf('Bad//Name', '1')).toMatchObject({ phase: 'Failed', message: 'invalid image reference "Bad//Name:1"' });
    expect(pulled()).toEqual(['nginx:1']);
    expect(run.events.filter((event) => event.includes('Warning'))).toEqual([
      'kruise-daemon-imagepuller Warning PullImageFailed ImagePullJob/job: Image Bad//Name:1 invalid image reference "Bad//Name:1"',
      'kruise-daemon-imagepuller Warning PullImageFailed NodeImage/node1: Image Bad//Name:1 invalid image reference "Bad//Name:1"',
    ]);
  });

  it('affects no other when it is malformed', async () => {
    fixture.live();
    fixture.ask({
      'no-tags': null,
      'tags-text': { tags: 'x' },
      odd: { tags: [null, 7, { tag: 5 }, { tag: '' }, { tag: '1', pullPolicy: 'x', ownerReferences: [null, { kind: 1 }], version: 'y' }] },
      ['__proto__']: { tags: [aTag('1')] },
    } as never);
    await fixture.until(() => fixture.phaseOf('odd', '1') === 'Succeeded');
    expect(fixture.nodeImage?.status?.desired).toBe(2);
  });
});

describe('a pull that fails', () => {
  it('is retried after 1 s and 2 s with backoffLimit 2, then it has failed with the last error', async () => {
    fixture.runtime.on('PullImage', () => {
      throw new ScriptedFailure(status.UNKNOWN, `the registry says no ${pulls().length}`);
    });
    const run = fixture.live();
    fixture.askTags({ nginx: [aTag('1', { pullPolicy: { backoffLimit: 2 } })] });
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Failed');
    expect(fixture.statusOf('nginx', '1')?.message).toBe('Failed to pull image reference "nginx:1": PullImage: the registry says no 3');
    expect(pulls()).toHaveLength(3);
    const seconds = /_sum\{result="error"\} ([\d.]+)/.exec(await run.registry.getSingleMetricAsString('kruise_daemon_image_pull_seconds'));
    expect(Number(seconds?.[1])).toBeGreaterThanOrEqual(3);
    expect(await run.registry.getSingleMetricAsString('kruise_daemon_image_failed_tries_total')).toContain('total 2');
    expect(await run.registry.getSingleMetricAsString('kruise_daemon_image_pulls_total')).toContain('{result="error"} 1');
  });

  it.each([
    ['the registry is down', status.UNKNOWN, 'dial tcp 10.0.0.1:443: connect: connection refused'],
    ['the registry wants credentials', status.UNKNOWN, 'unexpected status: 401 Unauthorized'],
    ['the manifest is gone', status.NOT_FOUND, 'manifest unknown'],
    ['the disk is full', status.UNKNOWN, 'write /var/lib/x: no space left on device'],
    ['the runtime is overloaded', status.RESOURCE_EXHAUSTED, 'too many pulls'],
    ['the runtime is unavailable for pulls only', status.UNAVAILABLE, 'ref is locked'],
  ])('because of %s reports that, and succeeds when it is over', async (_name, code, text) => {
    let failing = true;
    fixture.runtime.on('PullImage', (request) => {
      if (failing) throw new ScriptedFailure(code, text);
      return { imageRef: fixture.runtime.hasImage((request as { image: { image: string } }).image.image).id };
    });
    fixture.live();
    fixture.askTags({ nginx: [aTag('1', { pullPolicy: { backoffLimit: 0 } })] });
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Failed');
    expect(fixture.statusOf('nginx', '1')?.message).toContain(text);
    failing = false;
    fixture.askTags({ nginx: [aTag('1', { version: 1, pullPolicy: { backoffLimit: 0 } })] });
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Succeeded');
  });

  it('is canceled at the end of its time and retried', async () => {
    const held = holdPulls();
    fixture.live();
    fixture.askTags({ nginx: [aTag('1', { pullPolicy: { timeoutSeconds: 10, backoffLimit: 1 } })] });
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Failed');
    expect(held.length).toBeGreaterThan(0);
    expect(held.every(({ signal }) => signal.aborted)).toBe(true);
    expect(fixture.statusOf('nginx', '1')?.message).toBe('pulling image nginx:1 is canceled: not done within 10s');
  });

  it.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('has the time of its deadline when the wall clock jumps %s', async (_direction, length) => {
    let tries = 0;
    fixture.runtime.on('PullImage', () => {
      if (tries++ === 0) fixture.clock.jumpWallClock(length);
      throw new ScriptedFailure(13, 'the registry is away');
    });
    fixture.live();
    fixture.askTags({ nginx: [aTag('1', { pullPolicy: { backoffLimit: 9, activeDeadlineSeconds: 60 } })] });
    const from = fixture.now;
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Failed');
    expect(fixture.statusOf('nginx', '1')?.message).toBe('pulling exceeds the activeDeadlineSeconds');
    expect([fixture.now - from >= 60, fixture.now - from < 65, tries]).toEqual([true, true, 6]);
  });

  it('ends with the deadline over all attempts', async () => {
    holdPulls();
    fixture.live();
    fixture.askTags({ nginx: [aTag('1', { pullPolicy: { timeoutSeconds: 10, backoffLimit: 9, activeDeadlineSeconds: 15 } })] });
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Failed');
    expect(fixture.statusOf('nginx', '1')?.message).toBe('pulling exceeds the activeDeadlineSeconds');
    const { startTime, completionTime } = fixture.statusOf('nginx', '1')!;
    // Ten attempts without a deadline take more than 200 s.
    expect(Date.parse(completionTime!) - Date.parse(startTime!)).toBeLessThan(60_000);
  });

  it('waits for an unreachable runtime, within its time', async () => {
    await fixture.runtime.stop();
    fixture.live();
    fixture.askTags({ nginx: [aTag('1', { pullPolicy: { backoffLimit: 0 } })] });
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Pulling');
    await fixture.pass(30);
    expect(fixture.phaseOf('nginx', '1')).toBe('Pulling');
    await fixture.runtime.start();
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Succeeded');
  });

  it('survives another server that listens at the socket', async () => {
    await fixture.runtime.serveGarbage();
    fixture.live();
    fixture.askTags({ nginx: [aTag('1', { pullPolicy: { backoffLimit: 9 } })] });
    await fixture.pass(5);
    expect(fixture.phaseOf('nginx', '1')).toBe('Pulling');
    await fixture.runtime.stop();
    await fixture.runtime.start();
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Succeeded');
  });

  it('fails when there is no runtime for the whole of its time', async () => {
    fixture.live({ hasRuntime: () => false });
    fixture.askTags({ nginx: [aTag('1', { pullPolicy: { timeoutSeconds: 5, backoffLimit: 0 } })] });
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Failed');
    expect(fixture.statusOf('nginx', '1')?.message).toContain('pulling image nginx:1 is canceled');
  });

  it('continues after the runtime was killed in the middle', async () => {
    const held = holdPulls();
    fixture.live();
    fixture.askTags({ nginx: [aTag('1')] });
    await fixture.until(() => held.length === 1);
    await fixture.runtime.stop();
    await fixture.pass(3);
    expect(fixture.phaseOf('nginx', '1')).toBe('Pulling');
    fixture.runtime.on('PullImage');
    await fixture.runtime.start();
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Succeeded');
    expect(held).toHaveLength(1);
  });
});

describe('workers', () => {
  it('are as many as configured; the others wait', async () => {
    const held = holdPulls();
    fixture.live({ workers: 1 });
    fixture.askTags({ nginx: [aTag('1'), aTag('2')] });
    await fixture.until(() => fixture.nodeImage?.status?.waiting === 1 && held.length === 1);
    expect(fixture.phaseOf('nginx', '1')).toBe('Pulling');
    expect(fixture.statusOf('nginx', '2')).toEqual({ tag: '2', phase: 'Waiting' });
    held[0]!.finish();
    await fixture.until(() => held.length === 2);
    held[1]!.finish();
    await fixture.until(() => fixture.nodeImage?.status?.succeeded === 2);
  });

  it('are given to the namespaces of the jobs in turns: an image is not delayed by the 20 of another namespace', async () => {
    const held = holdPulls();
    fixture.live({ workers: 2 });
    const of = (namespace: string) => [
      aTag('1', {
        ownerReferences: [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'ImagePullJob', namespace, name: 'job', uid: namespace }],
      }),
    ];
    const slow = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`slow-${index}`, of('greedy')]));
    fixture.askTags({ ...slow, wanted: of('modest') });
    await fixture.until(() => fixture.nodeImage?.status?.waiting === 19 && held.length === 2);
    held[0]!.finish();
    held[1]!.finish();
    await fixture.until(() => held.length === 4);
    expect(pulled()).toContain('wanted:1');
    await fixture.until(() => fixture.nodeImage?.status?.waiting === 17);
  });

  it('are stopped when the version increases, and begin again', async () => {
    const held = holdPulls();
    fixture.live();
    fixture.askTags({ nginx: [aTag('1')] });
    await fixture.until(() => held.length === 1);
    fixture.askTags({ nginx: [aTag('1', { version: 1 })] });
    await fixture.until(() => held.length === 2);
    expect(held.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    held[1]!.finish();
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Succeeded');
    expect(fixture.statusOf('nginx', '1')?.version).toBe(1);
  });

  it.each<[string, () => void]>([
    ['the tag is taken from the spec', () => void fixture.askTags({ nginx: [aTag('3')] })],
    ['the image is taken from the spec', () => void fixture.askTags({})],
    ['the NodeImage is deleted', () => void fixture.api.delete(nodeImages, { namespace: '', name: node })],
  ])('are stopped when %s; one that waits then never requests its image', async (_name, happens) => {
    const held = holdPulls();
    const run = fixture.live({ workers: 1 });
    fixture.askTags({ nginx: [aTag('1'), aTag('2')] });
    await fixture.until(() => fixture.nodeImage?.status?.waiting === 1 && held.length === 1);
    happens();
    await fixture.until(() => held[0]!.signal.aborted);
    await fixture.pass(10);
    expect(pulled()).not.toContain('nginx:2');
    const statuses = fixture.nodeImage?.status?.imageStatuses?.['nginx']?.tags ?? [];
    expect(statuses.map(({ tag }) => tag).filter((tag) => tag !== '3')).toEqual([]);
    expect(run.events).toEqual([]);
  });

  it('begin again for a recreated NodeImage', async () => {
    fixture.live();
    fixture.askTags({ nginx: [aTag('1', { imagePullPolicy: 'Always' })] });
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Succeeded');
    await fixture.api.delete(nodeImages, { namespace: '', name: node });
    fixture.askTags({ nginx: [aTag('1', { imagePullPolicy: 'Always' })] });
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Succeeded');
    expect(pulled()).toHaveLength(2);
  });
});

describe('the status', () => {
  it('is written at most 30 times a minute, whatever happens', async () => {
    fixture.live({ workers: 5 });
    fixture.runtime.on('PullImage', async (request) => {
      await fixture.clock.sleep(seconds(1));
      return { imageRef: fixture.runtime.hasImage((request as { image: { image: string } }).image.image).id };
    });
    fixture.askTags(Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`app-${index}`, [aTag('1')]])));
    const writes: number[] = [];
    let seen = 0;
    await fixture.until(() => {
      if (fixture.statusWrites > seen) writes.push(fixture.now);
      seen = fixture.statusWrites;
      return fixture.nodeImage?.status?.succeeded === 200;
    });
    expect(pulled()).toHaveLength(200);
    for (const from of writes) expect(writes.filter((at) => at >= from && at < from + 60).length).toBeLessThanOrEqual(30);
    expect(fixture.statusWrites).toBe(writes.length);
  }, 30_000);

  it('is written again after a conflict, and keeps what others do meanwhile', async () => {
    const held = holdPulls();
    const run = fixture.live();
    fixture.askTags({ nginx: [aTag('1')] });
    await fixture.until(() => held.length === 1);
    let conflicts = 0;
    run.api.faults = {
      before: ({ verb }) => {
        if (verb !== 'update') return;
        conflicts++;
        run.api.faults = {};
        fixture.askTags({ nginx: [aTag('1')], other: [aTag('2')] });
      },
    };
    held[0]!.finish();
    await fixture.until(() => held.length === 2);
    held[1]!.finish();
    await fixture.until(() => fixture.nodeImage?.status?.succeeded === 2);
    expect([conflicts, fixture.phaseOf('nginx', '1'), fixture.phaseOf('other', '2')]).toEqual([1, 'Succeeded', 'Succeeded']);
  });

  it('is kept as a manager wrote it for a tag that was silent for too long', async () => {
    const failed = {
      tag: '1',
      phase: 'Failed',
      completionTime: '2026-01-01T00:10:00Z',
      message: 'node has not responded for a long time',
    } as const;
    const asked = fixture.askTags({ nginx: [aTag('1')] });
    fixture.api.seed(nodeImages, { ...asked, status: { desired: 1, failed: 1, imageStatuses: { nginx: { tags: [failed] } } } });
    fixture.live();
    await fixture.pass(10);
    expect(pulled()).toEqual([]);
    expect(fixture.statusOf('nginx', '1')).toEqual(failed);
  });

  it('loses no result while the API server is unreachable', async () => {
    const held = holdPulls();
    const run = fixture.live();
    fixture.askTags({ nginx: [aTag('1')] });
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Pulling' && held.length === 1);
    run.api.faults = {
      before: ({ verb }) => {
        if (verb === 'update') throw new Error('connection refused');
      },
    };
    held[0]!.finish();
    await fixture.pass(60);
    run.api.faults = {};
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Succeeded');
    expect(held).toHaveLength(1);
  });
});

describe('after a restart', () => {
  it('nothing is pulled that is complete', async () => {
    const asked = fixture.askTags({ nginx: [aTag('1', { imagePullPolicy: 'Always' })] });
    const tags = [{ tag: '1', phase: 'Succeeded', completionTime: '2026-01-01T00:00:00Z', progress: 100 } as const];
    fixture.api.seed(nodeImages, {
      ...asked,
      status: { desired: 1, succeeded: 1, failed: 0, pulling: 0, waiting: 0, imageStatuses: { nginx: { tags } } },
    });
    fixture.live();
    await fixture.pass(20);
    expect(pulled()).toEqual([]);
    expect(fixture.statusWrites).toBe(0);
  });

  it('a pull that was in progress is begun again, and its deadline counts from its first start', async () => {
    const held = holdPulls();
    const first = fixture.live();
    fixture.askTags({ nginx: [aTag('1', { pullPolicy: { activeDeadlineSeconds: 60 } })] });
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Pulling' && held.length === 1);
    const { startTime } = fixture.statusOf('nginx', '1')!;
    first.kill();
    await fixture.until(() => held[0]!.signal.aborted);
    await fixture.pass(30);
    fixture.live();
    await fixture.until(() => held.length === 2);
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Failed');
    expect(fixture.statusOf('nginx', '1')).toMatchObject({ startTime, message: 'pulling exceeds the activeDeadlineSeconds' });
    // Counted again it would be 90 s and more.
    expect(Date.parse(fixture.statusOf('nginx', '1')!.completionTime!) - Date.parse(startTime!)).toBeLessThan(88_000);
  });

  it.each([1, 2, 3])(
    'killed before and after write %i, each image ends up pulled',
    async (write) => {
      // Slowly, so that each pull is reported in a status of its own.
      fixture.runtime.on('PullImage', async (request) => {
        await fixture.clock.sleep(seconds(2));
        return { imageRef: fixture.runtime.hasImage((request as { image: { image: string } }).image.image).id };
      });
      for (const moment of ['before', 'after'] as const) {
        const run = fixture.live({ workers: 1, death: { at: write, when: moment } });
        const tags = [1, 2, 3].map((number) => `${moment}-${number}`);
        fixture.askTags({ nginx: tags.map((tag) => aTag(tag)) });
        await fixture.until(() => run.dead);
        await run.end();
        const next = fixture.live({ workers: 1 });
        await fixture.until(() => tags.every((tag) => fixture.phaseOf('nginx', tag) === 'Succeeded'));
        expect(fixture.nodeImage?.status).toMatchObject({ desired: 3, succeeded: 3, pulling: 0, waiting: 0 });
        await next.end();
      }
    },
    60_000,
  );
});

describe('credentials', () => {
  const secretRef = (name: string) => ({ namespace: 'kruise-daemon-config', name });
  const askWith = (image: string, ...names: readonly string[]) =>
    fixture.ask({
      [image]: { ...images({ [image]: [aTag('1', { pullPolicy: { backoffLimit: 1 } })] })[image]!, pullSecrets: names.map(secretRef) },
    });
  const users = () => pulls().map(({ auth }) => auth?.username ?? '');
  const openFor = (user: string) =>
    fixture.runtime.on('PullImage', (request) => {
      const { image, auth } = request as { image: { image: string }; auth: { username: string } | null };
      if ((auth?.username ?? '') !== user) throw new ScriptedFailure(status.UNKNOWN, 'unexpected status: 401 Unauthorized');
      return { imageRef: fixture.runtime.hasImage(image.image).id };
    });

  it('that match are tried in turn', async () => {
    fixture.addSecret('first', dockerConfig({ 'r.io': ['wrong', 'x'] }));
    fixture.addSecret('second', dockerConfig({ 'https://r.io/v2/': ['right', 'y'] }));
    openFor('right');
    fixture.live();
    askWith('r.io/app', 'first', 'second');
    await fixture.until(() => fixture.phaseOf('r.io/app', '1') === 'Succeeded');
    expect(users()).toEqual(['wrong', 'right']);
  });

  it('that match and fail are followed by an anonymous attempt: the image may be public', async () => {
    fixture.addSecret('first', dockerConfig({ 'r.io': ['wrong', 'x'] }));
    fixture.addSecret('second', dockerConfig({ 'r.io': ['also-wrong', 'x'] }));
    openFor('');
    fixture.live();
    askWith('r.io/app', 'first', 'second');
    await fixture.until(() => fixture.phaseOf('r.io/app', '1') === 'Succeeded');
    expect(users()).toEqual(['wrong', 'also-wrong', '']);
  });

  it('are not followed by an anonymous attempt when the registry accepted them and has no such image', async () => {
    fixture.addSecret('first', dockerConfig({ 'r.io': ['right', 'x'] }));
    fixture.runtime.on('PullImage', () => {
      throw new ScriptedFailure(status.NOT_FOUND, 'manifest unknown');
    });
    fixture.live();
    const image = { tags: [aTag('1', { pullPolicy: { backoffLimit: 0 } })], pullSecrets: [secretRef('first')] };
    fixture.ask({ 'r.io/app': image });
    await fixture.until(() => fixture.phaseOf('r.io/app', '1') === 'Failed');
    expect(users()).toEqual(['right']);
    expect(fixture.statusOf('r.io/app', '1')?.message).toMatch(/^Failed to pull image reference "r.io\/app:1": .*manifest unknown/);
  });

  it('of one namespace are used for the tags that its jobs request, and for no others', async () => {
    fixture.addSecret('of-a', dockerConfig({ 'r.io': ['a', 'x'] }), 'a/pull');
    fixture.addSecret('of-b', dockerConfig({ 'r.io': ['b', 'x'] }), 'b/pull');
    fixture.addSecret('broken-of-a', '{"auths":{"r.io":{"auth":"broken"}}}', 'a/broken');
    openFor('a');
    fixture.live();
    const job = (namespace: string) => ({
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'ImagePullJob',
      namespace,
      name: 'job',
      uid: namespace,
    });
    const owned = (tag: string, ...namespaces: readonly string[]) =>
      aTag(tag, { ownerReferences: namespaces.map(job), pullPolicy: { backoffLimit: 0 } });
    const tags = [owned('of-a', 'a'), owned('of-b', 'b'), owned('of-both', 'a', 'b'), owned('of-c', 'c')];
    fixture.ask({ 'r.io/app': { tags, pullSecrets: ['broken-of-a', 'of-b', 'of-a'].map(secretRef) } });
    await fixture.until(() => fixture.nodeImage?.status?.failed === 2 && fixture.nodeImage.status.succeeded === 2);
    const usedFor = (tag: string) => pulls().flatMap(({ image, auth }) => (image.image.endsWith(`:${tag}`) ? [auth?.username ?? ''] : []));
    expect(['of-a', 'of-b', 'of-both', 'of-c'].map(usedFor)).toEqual([['a'], ['b', ''], ['b', 'a'], ['']]);
    expect(fixture.statusOf('r.io/app', 'of-b')?.message).not.toContain('broken');
  });

  it('of another registry are skipped: the image is pulled anonymously', async () => {
    fixture.addSecret('other', dockerConfig({ 'other.io': ['u', 'x'] }));
    openFor('');
    fixture.live();
    askWith('r.io/app', 'other');
    await fixture.until(() => fixture.phaseOf('r.io/app', '1') === 'Succeeded');
    expect(users()).toEqual(['']);
  });

  it('are read by name only, once for all tags, and again after they were refused', async () => {
    fixture.addSecret('only', dockerConfig({ 'r.io': ['old', 'x'] }));
    openFor('new');
    fixture.live();
    askWith('r.io/app', 'only');
    await fixture.until(() => users().length === 2);
    const held = fixture.api.peek(secrets, secretRef('only'))!;
    const data = { '.dockerconfigjson': Buffer.from(dockerConfig({ 'r.io': ['new', 'x'] })).toString('base64') };
    fixture.api.seed(secrets, { ...held, data });
    await fixture.until(() => fixture.phaseOf('r.io/app', '1') === 'Succeeded');
    expect(users()).toEqual(['old', '', 'new']);
    const calls = fixture.api.calls.filter(({ type }) => type?.kind === 'Secret');
    expect(calls.map(({ verb, part = 'All' }) => `${verb} ${part}`)).toEqual(['get Metadata', 'get All', 'get All']);
  });

  it('that appear while a pull is attempted are used for the next attempt', async () => {
    openFor('late');
    fixture.live();
    fixture.askTags({ 'r.io/app': [aTag('1', { pullPolicy: { backoffLimit: 9 } })] });
    await fixture.until(() => users().length === 2);
    fixture.addSecret('late', dockerConfig({ 'r.io': ['late', 'x'] }));
    const tags = [aTag('1', { pullPolicy: { backoffLimit: 9 } })];
    fixture.ask({ 'r.io/app': { tags, pullSecrets: [secretRef('late')] } });
    await fixture.until(() => fixture.phaseOf('r.io/app', '1') === 'Succeeded');
    expect(users().at(-1)).toBe('late');
    expect(users().length).toBeLessThan(5);
  });

  it('that could not be read for the first attempt are used for the next, a second later', async () => {
    openFor('right');
    fixture.live();
    askWith('r.io/app', 'copied');
    await fixture.until(() => users().length === 1);
    fixture.addSecret('copied', dockerConfig({ 'r.io': ['right', 'x'] }));
    await fixture.until(() => fixture.phaseOf('r.io/app', '1') !== 'Pulling');
    expect([fixture.phaseOf('r.io/app', '1'), users()]).toEqual(['Succeeded', ['', 'right']]);
  });

  it('that were malformed for the first attempt are used for the next once they are repaired', async () => {
    openFor('right');
    fixture.live();
    fixture.addSecret('broken', '{"auths":{"r.io":{"auth":"c2VjcmV0LXRleHQ="}}}');
    askWith('r.io/app', 'broken');
    await fixture.until(() => fixture.api.calls.some(({ type }) => type?.kind === 'Secret'));
    fixture.addSecret('broken', dockerConfig({ 'r.io': ['right', 'x'] }));
    await fixture.until(() => ['Succeeded', 'Failed'].includes(fixture.phaseOf('r.io/app', '1') ?? ''));
    expect([fixture.phaseOf('r.io/app', '1'), users()]).toEqual(['Succeeded', ['', 'right']]);
  });

  it('that cannot be read are reported once, and the pull continues without them', async () => {
    const run = fixture.live();
    fixture.ask({
      a: { ...images({ a: [aTag('1'), aTag('2')] })['a']!, pullSecrets: [secretRef('missing')] },
      b: { ...images({ b: [aTag('1')] })['b']!, pullSecrets: [secretRef('missing')] },
    });
    await fixture.until(() => fixture.nodeImage?.status?.succeeded === 3);
    expect(run.logger.lines.filter(({ message }) => message.includes('pull secret'))).toHaveLength(1);
  });

  it('that are malformed are named when the pull fails without them, and are shown nowhere', async () => {
    const run = fixture.live();
    fixture.addSecret('broken', '{"auths":{"r.io":{"auth":"c2VjcmV0LXRleHQ="}}}');
    openFor('nobody');
    askWith('r.io/app', 'broken');
    await fixture.until(() => fixture.phaseOf('r.io/app', '1') === 'Failed');
    expect(fixture.statusOf('r.io/app', '1')?.message).toMatch(
      /^\[secret kruise-daemon-config\/broken: an auth is not the base64 of user:password, Failed to pull image reference "r\.io\/app:1": /,
    );
    const written = JSON.stringify([run.logger.lines, run.events, fixture.nodeImage]);
    expect(written).not.toContain('secret-text');
    expect(written).not.toContain('c2VjcmV0LXRleHQ=');
  });

  it.each(['down', 'unauthorized', 'manifestGone', 'diskFull'] as const)('are shown nowhere when the pull fails (%s)', async (fault) => {
    const run = fixture.live();
    const password = 'only-the-runtime-may-know';
    fixture.addSecret('s', dockerConfig({ 'r.io': ['user', password] }));
    fixture.runtime.failPulls(fault);
    askWith('r.io/app', 's');
    await fixture.until(() => fixture.phaseOf('r.io/app', '1') === 'Failed');
    expect(pulls()[0]).toMatchObject({ auth: { username: 'user', password } });
    const written = JSON.stringify([run.logger.lines, run.events, fixture.nodeImage], (_key, value: unknown) =>
      value instanceof Error ? [value.message, value.cause] : value,
    );
    for (const secret of [password, Buffer.from(`user:${password}`).toString('base64')]) expect(written).not.toContain(secret);
  });

  it('come from a plugin as well', async () => {
    const answer = { kind: 'CredentialProviderResponse', apiVersion: 'credentialprovider.kubelet.k8s.io/v1', cacheKeyType: 'Registry' };
    const auth = { '*.r.io': { username: 'plugged', password: 'p' } };
    writeFileSync(join(fixture.folder, 'helper'), `#!/bin/sh\ncat >/dev/null\necho '${JSON.stringify({ ...answer, auth })}'\n`);
    chmodSync(join(fixture.folder, 'helper'), 0o755);
    writeFileSync(
      join(fixture.folder, 'plugins.yaml'),
      `kind: CredentialProviderConfig
apiVersion: kubelet.config.k8s.io/v1
providers:
  - { name: helper, matchImages: ['*.r.io'], defaultCacheDuration: 10m, apiVersion: credentialprovider.kubelet.k8s.io/v1 }
`,
    );
    openFor('plugged');
    fixture.live();
    fixture.askTags({ 'a.r.io/app': [aTag('1')] });
    await fixture.until(() => fixture.phaseOf('a.r.io/app', '1') === 'Succeeded');
    expect(users()).toEqual(['plugged']);
  });
});
