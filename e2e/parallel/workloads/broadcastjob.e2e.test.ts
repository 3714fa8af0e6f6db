/** Pods that run once on every node. What closes nodes is in `serial/`. @see docs/spec/broadcastjob.md 9 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { broadcastJobs, broadcastJobsV1Alpha1, type BroadcastJob } from '@kruise/api';
import { unlessDeleted } from '@kruise/kube';
import { nodes, pods, type Pod } from '@kruise/objects';
import {
  broadcastJobOf,
  summaryOf,
  type BroadcastJobShape,
  type BroadcastJobFixture,
} from '../../../apps/manager/src/int-tests/fixtures/broadcastjob-fixture.testing.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { closeFixture, openBroadcastJobs } from '../../support/fixture.ts';

/** A label that only these tests put on nodes. */
const chosen = 'example.com/broadcastjob';
const done = 'completed: desired 3, active 0, succeeded 3, failed 0';
const isActive = ({ status }: Pod): boolean => status?.phase !== 'Succeeded' && status?.phase !== 'Failed';

describe('a BroadcastJob', () => {
  let fixture: BroadcastJobFixture;
  beforeAll(async () => {
    fixture = await openBroadcastJobs('broadcastjobs');
  });
  afterAll(async () => {
    for (const name of ['node1', 'node2', 'node3']) await label(name, null);
    await closeFixture(fixture);
  });

  const key = (name: string) => ({ namespace: fixture.namespace, name });
  const label = (name: string, value: string | null): Promise<unknown> =>
    fixture.client.patch(nodes, { namespace: '', name }, { metadata: { labels: { [chosen]: value } } }, { type: 'merge' });
  const conditionsOf = ({ status }: BroadcastJob): readonly string[] =>
    (status?.conditions ?? []).map(({ type, status: value, message = '' }) => `${type} ${value}: ${message}`);
  const untilDeleted = (name: string): Promise<void> =>
    fixture.eventually(async () => (await unlessDeleted(fixture.get(name))) === undefined, `${name} is gone`);
  /** Fails on the node with this name alone. */
  const failingOn = (node: string, otherwise: string): Pick<BroadcastJobShape, 'script' | 'podSpec'> => ({
    script: `[ "$NODE" = ${node} ] && exit 1; ${otherwise}`,
    podSpec: {
      containers: [
        {
          name: 'main',
          image: 'busybox:1.35',
          imagePullPolicy: 'IfNotPresent',
          command: ['sh', '-c', `[ "$NODE" = ${node} ] && exit 1; ${otherwise}`],
          env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
        },
      ],
    },
  });

  it('runs a Pod on each node, and is complete when all have succeeded (1)', async () => {
    const made = await fixture.apply({ name: 'once', script: 'sleep 5' });
    const states = await fixture.statesSince(made, (one) => summaryOf(one) === done);
    expect(states.map(summaryOf)).toContain('running: desired 3, active 3, succeeded 0, failed 0');
    const job = states.at(-1) as BroadcastJob;
    expect(conditionsOf(job)).toEqual(['Complete True: Job completed, 3 pods succeeded, 0 pods failed']);
    expect(job.status?.completionTime).toEqual(expect.any(String));
    expect(await fixture.shown('once')).toEqual(['node1 Succeeded', 'node2 Succeeded', 'node3 Succeeded']);
    for (const reason of ['SuccessfulCreate', 'JobComplete']) await fixture.untilEvent('once', reason);
  });

  it.each<[string, number | string, number]>([
    ['two', 2, 2],
    ['third', '34%', 2],
  ])('%s: with parallelism %p never has more active Pods (2)', async (name, parallelism, most) => {
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    await fixture.apply({ name, script: 'sleep 2', spec: { parallelism } });
    await fixture.untilSays(name, done);
    const own = ({ metadata }: Pod): boolean => metadata.labels?.['app'] === name;
    const observed = await history.untilNow();
    expect(observed.range((pod) => own(pod) && isActive(pod)).highest).toBe(most);
  });

  it('that fails fast stops what runs (5)', async () => {
    await fixture.apply({ name: 'fast', ...failingOn('node2', 'sleep 3600') });
    const job = await fixture.untilSays('fast', 'failed: desired 3, active 0, succeeded 0, failed 3');
    expect(conditionsOf(job)).toEqual(['Failed True: failure policy is FailurePolicyTypeFailFast and failed pod is found']);
    await fixture.eventually(async () => (await fixture.shown('fast')).join() === 'node2 Failed', 'the others are gone');
    await fixture.untilEvent('fast', 'failed pod is found');
  });

  it('that continues completes with its failures (6)', async () => {
    await fixture.apply({ name: 'on', ...failingOn('node2', 'exit 0'), spec: { failurePolicy: { type: 'Continue' } } });
    await fixture.untilSays('on', 'completed: desired 3, active 0, succeeded 2, failed 1');
  });

  it('that pauses continues when its failed Pod is deleted (7)', async () => {
    const script = 'sleep 1; exit 1';
    await label('node1', 'pause');
    const spec = { failurePolicy: { type: 'Pause' as const } };
    await fixture.apply({ name: 'pause', script, spec, podSpec: { nodeSelector: { [chosen]: 'pause' } } });
    await fixture.untilSays('pause', 'paused: desired 1, active 0, succeeded 0, failed 1');
    const { template } = broadcastJobOf(fixture.namespace, { name: 'pause', script: 'exit 0' }).spec;
    await fixture.patch('pause', { spec: { template: { spec: { containers: template.spec?.containers } } } });
    const [failed] = await fixture.pods('pause');
    await fixture.client.delete(pods, key(failed?.metadata.name ?? ''));
    await fixture.untilSays('pause', 'completed: desired 1, active 0, succeeded 1, failed 0');
    for (const reason of ['Paused', 'Continue']) await fixture.untilEvent('pause', reason);
  });

  it.each([0, 5])('is deleted with its Pods %d s after its end (9)', async (ttlSecondsAfterFinished) => {
    const name = `ttl${ttlSecondsAfterFinished}`;
    await fixture.apply({ name, script: 'exit 0', spec: { completionPolicy: { type: 'Always', ttlSecondsAfterFinished } } });
    await untilDeleted(name);
    await fixture.eventually(async () => {
      const { items } = await fixture.client.list(pods, { namespace: fixture.namespace, labelSelector: `app=${name}` });
      return items.length === 0;
    }, 'its Pods are gone');
  });

  it('that never completes runs on a node that joins (10)', async () => {
    await label('node2', 'join');
    const spec = { completionPolicy: { type: 'Never' as const } };
    await fixture.apply({ name: 'join', script: 'exit 0', spec, podSpec: { nodeSelector: { [chosen]: 'join' } } });
    await fixture.untilSays('join', 'running: desired 1, active 0, succeeded 1, failed 0');
    await label('node3', 'join');
    await fixture.untilSays('join', 'running: desired 2, active 0, succeeded 2, failed 0');
    expect(await fixture.shown('join')).toEqual(['node2 Succeeded', 'node3 Succeeded']);
  });

  it('that is paused from the start knows its nodes, and starts when it may (11)', async () => {
    await fixture.apply({ name: 'later', script: 'exit 0', spec: { paused: true } });
    await fixture.untilSays('later', 'paused: desired 3, active 0, succeeded 0, failed 0');
    expect(await fixture.pods('later')).toEqual([]);
    await fixture.patch('later', { spec: { paused: false } });
    await fixture.untilSays('later', done);
  });

  it('that cannot work is refused (12)', async () => {
    const refusal = (shape: Partial<BroadcastJobShape>, over: (job: BroadcastJob) => BroadcastJob = (job) => job): Promise<string> =>
      fixture.client.create(broadcastJobs, over(broadcastJobOf(fixture.namespace, { name: 'bad', script: 'exit 0', ...shape }))).then(
        () => 'none',
        (error: Error) => error.message,
      );
    expect(await refusal({ spec: { completionPolicy: { type: 'Never', ttlSecondsAfterFinished: 5 } } })).toContain(
      'ttlSecondsAfterFinished',
    );
    expect(await refusal({ podSpec: { restartPolicy: undefined } })).toContain('pod restartPolicy can only be Never or OnFailure');
    expect(await refusal({ name: 'a.b' })).toContain('metadata.name');
    const labels = { app: 'bad', 'broadcastjob-name': 'other' };
    const preset = (job: BroadcastJob): BroadcastJob => ({
      ...job,
      spec: { ...job.spec, template: { ...job.spec.template, metadata: { labels } } },
    });
    expect(await refusal({}, preset)).toContain('spec.template.metadata.labels');
  });

  it('gets its defaults, the same in both versions (13)', async () => {
    const { spec } = await fixture.get('once');
    expect(spec).toMatchObject({ parallelism: 2_147_483_647, completionPolicy: { type: 'Always' }, failurePolicy: { type: 'FailFast' } });
    expect((await fixture.client.get(broadcastJobsV1Alpha1, key('once'))).spec).toEqual(spec);
  });

  it('counts a Pod that restarts too often as failed (14)', async () => {
    await label('node1', 'restart');
    await fixture.apply({
      name: 'restart',
      script: 'exit 1',
      spec: { failurePolicy: { type: 'Continue', restartLimit: 1 } },
      podSpec: { restartPolicy: 'OnFailure', nodeSelector: { [chosen]: 'restart' } },
    });
    await fixture.untilSays('restart', 'running: desired 1, active 0, succeeded 0, failed 1');
    const [pod] = await fixture.pods('restart');
    expect(pod?.status?.containerStatuses?.[0]?.restartCount).toBeGreaterThan(1);
  });

  it('waits for a node that has room (15)', async () => {
    const containers = [{ name: 'main', image: 'busybox:1.35', resources: { requests: { cpu: '10k' } } }];
    await fixture.apply({ name: 'huge', script: '', podSpec: { containers } });
    const job = await fixture.until('huge', ({ status }) => status?.phase === 'running');
    expect(summaryOf(job)).toBe('running: desired 0, active 0, succeeded 0, failed 0');
  });

  it('counts no Pod of others (16)', async () => {
    await label('node3', 'foreign');
    await fixture.apply({ name: 'own', script: 'sleep 4', podSpec: { nodeSelector: { [chosen]: 'foreign' } } });
    await fixture.eventually(async () => (await fixture.pods('own')).length === 1, 'its Pod is there');
    const [pod] = await fixture.pods('own');
    await fixture.client.create(pods, {
      metadata: { ...key('foreign'), labels: pod?.metadata.labels ?? {} },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox:1.35', command: ['false'] }] },
    });
    await fixture.untilSays('own', 'completed: desired 1, active 0, succeeded 1, failed 0');
  });
});
