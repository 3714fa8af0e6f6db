/** Jobs on a schedule of the real clock: `@every 5s` where minutes would be long, and one full minute. @see docs/spec/advancedcronjob.md 9 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { advancedCronJobs, advancedCronJobsV1Alpha1, type AdvancedCronJobSpec } from '@kruise/api';
import type { KubeObject } from '@kruise/objects';
import { comesToRest } from '@kruise/testing';
import { jobTemplate, type CronFixture } from '../../../apps/manager/src/int-tests/fixtures/cron-fixture.testing.ts';
import { closeFixture, openCronJobs } from '../../support/fixture.ts';

const scheduledAt = ({ metadata }: KubeObject): string => metadata.annotations?.['apps.kruise.io/scheduled-at'] ?? '';
const broadcast = (script: string, spec: object = {}): AdvancedCronJobSpec['template'] => ({
  broadcastJobTemplate: {
    metadata: { labels: { made: 'by-cron' } },
    spec: { template: jobTemplate(script).jobTemplate?.spec?.['template'] as never, ...spec },
  },
});

describe('an AdvancedCronJob', () => {
  let fixture: CronFixture;
  beforeAll(async () => {
    fixture = await openCronJobs('cron');
  });
  afterAll(() => closeFixture(fixture));
  const key = (name: string) => ({ namespace: fixture.namespace, name });
  const refusal = (spec: object): Promise<string> =>
    fixture.apply('bad', { schedule: '@daily', template: jobTemplate('exit 0'), ...spec }).then(
      () => 'none',
      (error: Error) => error.message,
    );

  it('makes a Job at each full minute (1)', async () => {
    // For the next test, which waits for a full minute as well.
    await fixture.apply('once', {
      schedule: '@every 1000h',
      template: broadcast('exit 0', { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 1 } }),
      successfulJobsHistoryLimit: 0,
    });
    await fixture.patch('once', { spec: { schedule: '* * * * *' } });
    await fixture.apply('minutely', { schedule: '*/1 * * * *', timeZone: 'UTC', template: jobTemplate('exit 0') });
    const [job] = await fixture.untilChildren('minutely', (children) => children.length > 0, 'a Job');
    const seconds = Number(job?.metadata.name.slice('minutely-'.length));
    expect(seconds % 60).toBe(0);
    expect(scheduledAt(job as KubeObject)).toBe(new Date(seconds * 1000).toISOString().replace('.000Z', 'Z'));
    const { status } = await fixture.until('minutely', (seen) => seen.status?.lastScheduleTime !== undefined);
    expect(status).toMatchObject({ type: 'Job', lastScheduleTime: scheduledAt(job as KubeObject) });
    await fixture.patch('minutely', { spec: { paused: true } });
  });

  it('runs none again whose job was deleted (6, 7)', async () => {
    await fixture.until('once', (seen) => seen.status?.lastScheduleTime !== undefined);
    await fixture.patch('once', { spec: { schedule: '@every 1000h' } });
    await fixture.untilEvent('once', 'SuccessfulCreate');
    // The schedule may have changed while the job of the next minute was made.
    await comesToRest('the time of the last job', async () => (await fixture.get('once')).status?.lastScheduleTime, 2_000);
    await fixture.untilChildren('once', (children) => children.length === 0, 'it is gone');
    const { status } = await fixture.get('once');
    await fixture.patch('once', { spec: { startingDeadlineSeconds: 3600 } });
    await fixture.until('once', (seen) => (seen.status?.active ?? []).length === 0);
    expect([(await fixture.get('once')).status?.lastScheduleTime, await fixture.children('once')]).toEqual([status?.lastScheduleTime, []]);
  });

  it('creates BroadcastJobs, and keeps as many as its history limit (2)', async () => {
    await fixture.apply('nodes', {
      schedule: '@every 4s',
      successfulJobsHistoryLimit: 1,
      template: broadcast('exit 0', { parallelism: '100%' }),
    });
    const has = (suffix: string) => async (): Promise<boolean> => (await fixture.events('nodes')).some(({ reason }) => reason === suffix);
    await fixture.eventually(has('SawCompletedJob'), 'one has completed');
    await fixture.eventually(has('SuccessfulDelete'), 'one was deleted');
    const [job] = await fixture.children('nodes');
    expect(job?.metadata.labels).toMatchObject({ made: 'by-cron' });
    await fixture.patch('nodes', { spec: { paused: true } });
    // On a slow machine several run at a time, and may end together.
    const phasesOf = (children: readonly KubeObject[]): readonly (string | undefined)[] =>
      children.map(({ status }: KubeObject & { status?: { phase?: string } }) => status?.phase);
    await fixture.untilChildren('nodes', (children) => phasesOf(children).join() === 'completed', 'one is kept');
  });

  it('makes none while it is paused, and the latest at once afterwards (3)', async () => {
    await fixture.apply('paused', { schedule: '@every 3s', template: jobTemplate('exit 0') });
    await fixture.untilChildren('paused', (children) => children.length > 0, 'a Job');
    await fixture.patch('paused', { spec: { paused: true } });
    const latest = (children: readonly KubeObject[]): string | undefined => children.at(-1)?.metadata.name;
    // The manager learns of the pause a moment later. Two times pass without a Job, which comes every three seconds otherwise.
    const last = await comesToRest('the latest Job', async () => latest(await fixture.children('paused')), 7_000);
    await fixture.patch('paused', { spec: { paused: false } });
    await fixture.untilChildren('paused', (children) => latest(children) !== last, 'the latest one');
  });

  it('that forbids it never has two (4), one that replaces has the newest alone (5)', async () => {
    await fixture.apply('forbids', { schedule: '@every 2s', concurrencyPolicy: 'Forbid', template: jobTemplate('sleep 5') });
    await fixture.apply('replaces', { schedule: '@every 4s', concurrencyPolicy: 'Replace', template: jobTemplate('sleep 3600') });
    const seen = new Set<string>();
    let most = 0;
    await fixture.eventually(async () => {
      const { status } = await fixture.get('forbids');
      most = Math.max(most, status?.active?.length ?? 0);
      for (const { metadata } of await fixture.children('forbids')) seen.add(metadata.name);
      return seen.size >= 3;
    }, 'three runs');
    expect(most).toBe(1);
    const reasons = async (): Promise<readonly (string | undefined)[]> => (await fixture.events('replaces')).map(({ reason }) => reason);
    await fixture.eventually(async () => (await reasons()).includes('SuccessfulDelete'), 'one was replaced');
    await fixture.patch('replaces', { spec: { paused: true } });
    await fixture.eventually(async () => (await fixture.children('replaces')).length === 1, 'one is left');
    for (const name of ['forbids', 'replaces'])
      await fixture.client.delete(advancedCronJobs, key(name), { propagationPolicy: 'Background' });
  });

  it('that cannot work is refused (9, 10, 13)', async () => {
    for (const schedule of ['* * * *', '60 * * * *', '* * * * 7', 'TZ=UTC', '@every x', '5-1 * * * *'])
      expect(await refusal({ schedule })).toContain('spec.schedule');
    expect(await refusal({ schedule: 'TZ=UTC 0 1 * * *', timeZone: 'UTC' })).toContain('spec.schedule');
    for (const timeZone of ['local', 'Nowhere/X', '']) expect(await refusal({ timeZone })).toContain('spec.timeZone');
    expect(await refusal({ template: {} })).toContain('spec.template');
    expect(await refusal({ template: { ...jobTemplate('x'), ...broadcast('x') } })).toContain('spec.template');
  });

  it('keeps its template, and the same manifest may come again (13)', async () => {
    const manifest = { schedule: '@daily', template: jobTemplate('exit 0') };
    await fixture.apply('kept', manifest);
    await fixture.patch('kept', { spec: manifest });
    expect((await fixture.get('kept')).metadata.generation).toBe(1);
    await expect(fixture.patch('kept', { spec: { template: jobTemplate('exit 1') } })).rejects.toThrow('spec');
    await fixture.patch('kept', { spec: { schedule: '@hourly' } });
  });

  it('makes ImageListPullJobs, with defaults of their own (14)', async () => {
    const template = { imageListPullJobTemplate: { spec: { images: ['busybox:1.35'], selector: { names: ['node1'] } } as never } };
    await fixture.apply('images', { schedule: '@every 5s', template });
    const { spec } = await fixture.get('images');
    expect(spec).toMatchObject({
      concurrencyPolicy: 'Replace',
      template: {
        imageListPullJobTemplate: {
          spec: {
            completionPolicy: { type: 'Always' },
            pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 },
            imagePullPolicy: 'IfNotPresent',
          },
        },
      },
    });
    await fixture.untilChildren(
      'images',
      (children) => children.some(({ kind }) => kind === 'ImageListPullJob' || kind === undefined),
      'a list',
    );
    await fixture.until('images', ({ status }) => status?.type === 'ImageListPullJob');
    await fixture.patch('images', { spec: { paused: true } });
    expect(await refusal({ template, concurrencyPolicy: 'Allow' })).toContain('concurrencyPolicy');
    expect((await fixture.client.get(advancedCronJobsV1Alpha1, key('kept'))).spec.schedule).toBe('@hourly');
  });

  it('whose time is far away waits for it (16)', async () => {
    await fixture.apply('far', { schedule: '0 0 29 2 *', template: jobTemplate('exit 0') });
    await fixture.until('far', ({ status }) => status?.type === 'Job');
    expect(await fixture.children('far')).toEqual([]);
  });
});
