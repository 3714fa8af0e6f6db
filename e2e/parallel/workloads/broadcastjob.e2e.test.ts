/** Pods that run once on every node. What closes nodes is in `serial/`. @see docs/spec/broadcastjob.md 9 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { broadcastJobs, broadcastJobsV1Alpha1, type BroadcastJob } from '@kruise/api';
import { unlessGone } from '@kruise/kube';
import { nodes, pods, type Pod } from '@kruise/objects';
import {
  broadcastJobOf,
  summaryOf,
  type BroadcastJobShape,
  type BroadcastJobWorld,
} from '../../../apps/manager/src/int-tests/fixtures/broadcastjob-world.testing.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { closeWorld, openBroadcastJobs } from '../../support/world.ts';

/** A label that only these tests put on nodes. */
const chosen = 'example.com/broadcastjob';
const done = 'completed: desired 3, active 0, succeeded 3, failed 0';
const isActive = ({ status }: Pod): boolean => status?.phase !== 'Succeeded' && status?.phase !== 'Failed';

describe('a BroadcastJob', () => {
  let world: BroadcastJobWorld;
  beforeAll(async () => {
    world = await openBroadcastJobs('broadcastjobs');
  });
  afterAll(async () => {
    for (const name of ['node1', 'node2', 'node3']) await label(name, null);
    await closeWorld(world);
  });

  const key = (name: string) => ({ namespace: world.namespace, name });
  const label = (name: string, value: string | null): Promise<unknown> =>
    world.client.patch(nodes, { namespace: '', name }, { metadata: { labels: { [chosen]: value } } }, { type: 'merge' });
  const conditionsOf = ({ status }: BroadcastJob): readonly string[] =>
    (status?.conditions ?? []).map(({ type, status: value, message = '' }) => `${type} ${value}: ${message}`);
  const untilGone = (name: string): Promise<void> =>
    world.eventually(async () => (await unlessGone(world.get(name))) === undefined, `${name} is gone`);
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
    const made = await world.apply({ name: 'once', script: 'sleep 5' });
    const states = await world.statesSince(made, (one) => summaryOf(one) === done);
    expect(states.map(summaryOf)).toContain('running: desired 3, active 3, succeeded 0, failed 0');
    const job = states.at(-1) as BroadcastJob;
    expect(conditionsOf(job)).toEqual(['Complete True: Job completed, 3 pods succeeded, 0 pods failed']);
    expect(job.status?.completionTime).toEqual(expect.any(String));
    expect(await world.shown('once')).toEqual(['node1 Succeeded', 'node2 Succeeded', 'node3 Succeeded']);
    for (const reason of ['SuccessfulCreate', 'JobComplete']) await world.untilEvent('once', reason);
  });

  it.each<[string, number | string, number]>([
    ['two', 2, 2],
    ['third', '34%', 2],
  ])('%s: with parallelism %p never has more active Pods (2)', async (name, parallelism, most) => {
    await using history = await PodHistory.begin(world.client, world.namespace);
    await world.apply({ name, script: 'sleep 2', spec: { parallelism } });
    await world.untilSays(name, done);
    const own = ({ metadata }: Pod): boolean => metadata.labels?.['app'] === name;
    const observed = await history.untilNow();
    expect(observed.range((pod) => own(pod) && isActive(pod)).highest).toBe(most);
  });

  it('that fails fast stops what runs (5)', async () => {
    await world.apply({ name: 'fast', ...failingOn('node2', 'sleep 3600') });
    const job = await world.untilSays('fast', 'failed: desired 3, active 0, succeeded 0, failed 3');
    expect(conditionsOf(job)).toEqual(['Failed True: failure policy is FailurePolicyTypeFailFast and failed pod is found']);
    await world.eventually(async () => (await world.shown('fast')).join() === 'node2 Failed', 'the others are gone');
    await world.untilEvent('fast', 'failed pod is found');
  });

  it('that continues completes with its failures (6)', async () => {
    await world.apply({ name: 'on', ...failingOn('node2', 'exit 0'), spec: { failurePolicy: { type: 'Continue' } } });
    await world.untilSays('on', 'completed: desired 3, active 0, succeeded 2, failed 1');
  });

  it('that pauses continues when its failed Pod is deleted (7)', async () => {
    const script = 'sleep 1; exit 1';
    await label('node1', 'pause');
    const spec = { failurePolicy: { type: 'Pause' as const } };
    await world.apply({ name: 'pause', script, spec, podSpec: { nodeSelector: { [chosen]: 'pause' } } });
    await world.untilSays('pause', 'paused: desired 1, active 0, succeeded 0, failed 1');
    const { template } = broadcastJobOf(world.namespace, { name: 'pause', script: 'exit 0' }).spec;
    await world.patch('pause', { spec: { template: { spec: { containers: template.spec?.containers } } } });
    const [failed] = await world.pods('pause');
    await world.client.delete(pods, key(failed?.metadata.name ?? ''));
    await world.untilSays('pause', 'completed: desired 1, active 0, succeeded 1, failed 0');
    for (const reason of ['Paused', 'Continue']) await world.untilEvent('pause', reason);
  });

  it.each([0, 5])('is deleted with its Pods %d s after its end (9)', async (ttlSecondsAfterFinished) => {
    const name = `ttl${ttlSecondsAfterFinished}`;
    await world.apply({ name, script: 'exit 0', spec: { completionPolicy: { type: 'Always', ttlSecondsAfterFinished } } });
    await untilGone(name);
    await world.eventually(async () => {
      const { items } = await world.client.list(pods, { namespace: world.namespace, labelSelector: `app=${name}` });
      return items.length === 0;
    }, 'its Pods are gone');
  });

  it('that never completes runs on a node that joins (10)', async () => {
    await label('node2', 'join');
    const spec = { completionPolicy: { type: 'Never' as const } };
    await world.apply({ name: 'join', script: 'exit 0', spec, podSpec: { nodeSelector: { [chosen]: 'join' } } });
    await world.untilSays('join', 'running: desired 1, active 0, succeeded 1, failed 0');
    await label('node3', 'join');
    await world.untilSays('join', 'running: desired 2, active 0, succeeded 2, failed 0');
    expect(await world.shown('join')).toEqual(['node2 Succeeded', 'node3 Succeeded']);
  });

  it('that is paused from the start knows its nodes, and starts when it may (11)', async () => {
    await world.apply({ name: 'later', script: 'exit 0', spec: { paused: true } });
    await world.untilSays('later', 'paused: desired 3, active 0, succeeded 0, failed 0');
    expect(await world.pods('later')).toEqual([]);
    await world.patch('later', { spec: { paused: false } });
    await world.untilSays('later', done);
  });

  it('that cannot work is refused (12)', async () => {
    const refusal = (shape: Partial<BroadcastJobShape>, over: (job: BroadcastJob) => BroadcastJob = (job) => job): Promise<string> =>
      world.client.create(broadcastJobs, over(broadcastJobOf(world.namespace, { name: 'bad', script: 'exit 0', ...shape }))).then(
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
    const { spec } = await world.get('once');
    expect(spec).toMatchObject({ parallelism: 2_147_483_647, completionPolicy: { type: 'Always' }, failurePolicy: { type: 'FailFast' } });
    expect((await world.client.get(broadcastJobsV1Alpha1, key('once'))).spec).toEqual(spec);
  });

  it('counts a Pod that restarts too often as failed (14)', async () => {
    await label('node1', 'restart');
    await world.apply({
      name: 'restart',
      script: 'exit 1',
      spec: { failurePolicy: { type: 'Continue', restartLimit: 1 } },
      podSpec: { restartPolicy: 'OnFailure', nodeSelector: { [chosen]: 'restart' } },
    });
    await world.untilSays('restart', 'running: desired 1, active 0, succeeded 0, failed 1');
    const [pod] = await world.pods('restart');
    expect(pod?.status?.containerStatuses?.[0]?.restartCount).toBeGreaterThan(1);
  });

  it('waits for a node that has room (15)', async () => {
    const containers = [{ name: 'main', image: 'busybox:1.35', resources: { requests: { cpu: '10k' } } }];
    await world.apply({ name: 'huge', script: '', podSpec: { containers } });
    const job = await world.until('huge', ({ status }) => status?.phase === 'running');
    expect(summaryOf(job)).toBe('running: desired 0, active 0, succeeded 0, failed 0');
  });

  it('counts no Pod of others (16)', async () => {
    await label('node3', 'foreign');
    await world.apply({ name: 'own', script: 'sleep 4', podSpec: { nodeSelector: { [chosen]: 'foreign' } } });
    await world.eventually(async () => (await world.pods('own')).length === 1, 'its Pod is there');
    const [pod] = await world.pods('own');
    await world.client.create(pods, {
      metadata: { ...key('foreign'), labels: pod?.metadata.labels ?? {} },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox:1.35', command: ['false'] }] },
    });
    await world.untilSays('own', 'completed: desired 1, active 0, succeeded 1, failed 0');
  });
});
