import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ephemeralJobs, type EphemeralJob, type EphemeralJobSpec } from '@kruise/api';
import { isFailure } from '@kruise/kube';
import { containerStatusOf, isPodReady, pods, type Pod } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { closeFixture, openFixture } from '../../support/fixture.ts';

const debugger_ = (script: string, name = 'debugger'): object => ({
  name,
  image: 'busybox:1.35',
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePolicy: 'File',
  command: ['sh', '-c', script],
});

const podCount = 5;
/** Pods of their own for every job that must not meet another one's containers. */
const groups = ['steps', 'broken', 'failing', 'endless', 'short', 'pair', 'pausing', 'mixed', 'left'] as const;
type Group = (typeof groups)[number];
const sizes: Readonly<Record<Group, number>> = {
  steps: podCount,
  broken: 3,
  failing: 2,
  endless: 1,
  short: 1,
  pair: 1,
  pausing: 1,
  mixed: 2,
  left: 1,
};

const isDeleted = (error: unknown): boolean => isFailure(error, 'NotFound');

describe('ephemeral containers in running Pods', () => {
  let fixture: CloneSetFixture;
  let history: PodHistory;
  const keyOf = (name: string) => ({ namespace: fixture.namespace, name });

  const podOf = (app: Group, index: number): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...keyOf(`${app}-${index}`), labels: { app } },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'busybox:1.35', command: ['sleep', '3600'] }] },
  });
  const podsOf = async (app: Group): Promise<readonly Pod[]> => {
    const { items } = await fixture.client.list(pods, { namespace: fixture.namespace, labelSelector: `app=${app}` });
    return items;
  };
  const create = (app: Group, container: object, spec: Partial<EphemeralJobSpec> = {}, name: string = app): Promise<EphemeralJob> =>
    fixture.client.create(ephemeralJobs, {
      metadata: keyOf(name),
      spec: { selector: { matchLabels: { app } }, template: { ephemeralContainers: [container] as never }, ...spec },
    });
  const read = (name: string): Promise<EphemeralJob> => fixture.client.get(ephemeralJobs, keyOf(name));
  async function until(name: string, holds: (job: EphemeralJob) => boolean): Promise<EphemeralJob> {
    await fixture.eventually(async () => holds(await read(name)), `EphemeralJob ${name}`);
    return read(name);
  }
  const untilPhase = (name: string, phase: string): Promise<EphemeralJob> => until(name, ({ status }) => status?.phase === phase);
  const hasContainer = (pod: Pod): boolean => (pod.spec.ephemeralContainers ?? []).length > 0;

  beforeAll(async () => {
    fixture = await openFixture('ephemeral-job');
    // One after the other, as the oldest come first.
    for (let index = 0; index < podCount; index++) {
      await Promise.all(groups.filter((app) => index < sizes[app]).map((app) => fixture.client.create(pods, podOf(app, index))));
    }
    await fixture.eventually(async () => {
      const { items } = await fixture.client.list(pods, { namespace: fixture.namespace });
      return items.length > 0 && items.every(isPodReady);
    }, 'the Pods are ready');
    history = await PodHistory.begin(fixture.client, fixture.namespace);
  });
  afterAll(async () => {
    await history[Symbol.asyncDispose]();
    await closeFixture(fixture);
  });

  it('run in four of five Pods, one at a time, and the job succeeds; the containers of the Pods stay as they are', async () => {
    const before = await podsOf('steps');
    const { metadata } = await create('steps', debugger_('sleep 1'), { replicas: 4, parallelism: 1 });
    const { status } = await untilPhase('steps', 'Succeeded');
    expect(status).toMatchObject({ match: 4, succeeded: 4, failed: 0, running: 0, waiting: 0, completionTime: expect.any(String) });
    const after = await podsOf('steps');
    const chosen = after.filter(hasContainer);
    expect(chosen).toHaveLength(4);
    const youngest = Math.max(...chosen.map((pod) => Date.parse(pod.metadata.creationTimestamp ?? '')));
    const [left, ...others] = after.filter((one) => !hasContainer(one));
    expect(others).toEqual([]);
    expect(Date.parse(left?.metadata.creationTimestamp ?? '')).toBeGreaterThanOrEqual(youngest);
    for (const pod of chosen) {
      expect(pod.spec.ephemeralContainers?.[0]?.env).toEqual([{ name: 'KRUISE_EJOB_ID', value: metadata.uid }]);
      const held = before.find((one) => one.metadata.uid === pod.metadata.uid);
      expect(containerStatusOf(pod, 'main')?.containerID).toMatch(/^containerd:/);
      expect(containerStatusOf(pod, 'main')?.containerID).toBe(held && containerStatusOf(held, 'main')?.containerID);
    }
    const observed = await history.untilNow();
    const atOnce = observed.range((pod) => {
      const [own] = pod.status?.ephemeralContainerStatuses ?? [];
      return pod.metadata.labels?.['app'] === 'steps' && own?.state?.running !== undefined;
    });
    expect(atOnce.highest).toBe(1);
  });

  it('that cannot start, or end with an error, make the job fail', async () => {
    await create('broken', { ...debugger_(''), command: ['/no/such/command'] }, { parallelism: 10 });
    await create('failing', debugger_('exit 1'), { parallelism: 10 });
    expect((await untilPhase('broken', 'Failed')).status).toMatchObject({ failed: 3, match: 3, completionTime: expect.any(String) });
    expect((await untilPhase('failing', 'Failed')).status).toMatchObject({ failed: 2, match: 2 });
  });

  it('that succeed in one Pod and fail in another make the job fail, with an end', async () => {
    await create('mixed', debugger_('test "$(hostname)" = mixed-0'), { parallelism: 2 });
    const { status } = await untilPhase('mixed', 'Failed');
    expect(status).toMatchObject({ succeeded: 1, failed: 1, completionTime: expect.any(String) });
    expect(status?.conditions?.find(({ type }) => type === 'JobFailed')?.reason).toBe('JobFailed');
  });

  it('that do not end in time make the job fail but go on', async () => {
    const { metadata } = await create('endless', debugger_('sleep 3600'), { activeDeadlineSeconds: 6 });
    const { status } = await untilPhase('endless', 'Failed');
    expect(status?.conditions?.find(({ type }) => type === 'JobFailed')?.reason).toBe('DeadlineExceeded');
    const took = Date.parse(status?.completionTime ?? '') - Date.parse(metadata.creationTimestamp ?? '');
    expect(took).toBeGreaterThanOrEqual(5000);
    await fixture.eventually(
      async () => (await podsOf('endless'))[0]?.status?.ephemeralContainerStatuses?.[0]?.state?.running !== undefined,
      'the container runs',
    );
  });

  it('are forgotten with their job, which is deleted some time after its end', async () => {
    await create('short', debugger_('sleep 1'), { ttlSecondsAfterFinished: 3 });
    await fixture.eventually(async () => read('short').then(() => false, isDeleted), 'the job is deleted');
    expect((await podsOf('short')).filter(hasContainer)).toHaveLength(1);
  });

  it('of two jobs share a Pod when their names differ; a third job with a name in use finds none', async () => {
    await create('pair', debugger_('sleep 3600'), {}, 'first');
    await create('pair', debugger_('sleep 3600', 'debugger2'), {}, 'second');
    await fixture.eventually(
      async () =>
        (await podsOf('pair'))[0]?.status?.ephemeralContainerStatuses?.filter(({ state }) => state?.running !== undefined).length === 2,
      'both containers run',
    );
    await create('pair', debugger_('sleep 1'), {}, 'third');
    expect((await until('third', ({ status }) => status?.phase !== undefined)).status).toMatchObject({ phase: 'Waiting', match: 0 });
  });

  it('wait while the job is paused', async () => {
    await create('pausing', debugger_('sleep 1'), { paused: true });
    await untilPhase('pausing', 'Paused');
    expect((await podsOf('pausing')).filter(hasContainer)).toEqual([]);
    await fixture.client.patch(ephemeralJobs, keyOf('pausing'), { spec: { paused: false } }, { type: 'merge' });
    await untilPhase('pausing', 'Succeeded');
  });

  it('go on when their job is deleted', async () => {
    await create('left', debugger_('sleep 3600'));
    await untilPhase('left', 'Running');
    await fixture.client.delete(ephemeralJobs, keyOf('left'));
    await fixture.eventually(async () => read('left').then(() => false, isDeleted), 'the job is gone');
    expect((await podsOf('left'))[0]?.status?.ephemeralContainerStatuses).toMatchObject([{ state: { running: {} } }]);
  });

  it.each([
    {
      name: 'resources',
      change: { resources: { limits: { cpu: '1' } } },
      text: 'resources: Forbidden: cannot be set for an Ephemeral Container',
    },
    { name: 'no message policy', change: { terminationMessagePolicy: undefined }, text: 'terminationMessagePolicy: Required value' },
    { name: 'no pull policy', change: { imagePullPolicy: undefined }, text: 'imagePullPolicy: Required value' },
  ])('are refused with $name', async ({ change, text }) => {
    const refused = create('steps', { ...debugger_(''), ...change }, {}, 'refused');
    await expect(refused).rejects.toMatchObject({ code: 400, message: expect.stringContaining(`ephemeralContainers[0].${text}`) });
  });
});
