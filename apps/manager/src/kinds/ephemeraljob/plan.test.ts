import { describe, expect, it } from '@jest/globals';
import type { EphemeralJob } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { plan, containerProgress, podProgress, templateOf } from '@kruise/kinds/ephemeraljob';
import { jobsOfPod } from './triggers.ts';
import { aJob, aTarget, at, debug, reported, timeAt, type JobShape, type State } from '@kruise/kinds/ephemeraljob/testing';

const targets = (...states: readonly State[]): readonly Pod[] => states.map((state, index) => aTarget(`web-${index}`, state));
const names = (pods: readonly Pod[]): readonly string[] => pods.map(({ metadata }) => metadata.name);

const around = { lostNodes: new Set<string>(), refused: new Map<string, number>() };

function goOn(shape: JobShape, pods: readonly Pod[], seconds = 0, surroundings: Partial<typeof around> = {}) {
  const next = plan({ job: aJob(shape), pods, ...around, ...surroundings }, at(seconds));
  const { status } = next;
  if (status === undefined) throw new Error('the plan has no status');
  return { ...next, status, inject: next.inject.flatMap((action) => (action.kind === 'InjectContainers' ? [action.pod] : [])) };
}
const said = (status: EphemeralJob['status']): Readonly<Record<string, string>> =>
  Object.fromEntries((status?.conditions ?? []).map(({ type, message = '' }) => [type, message]));
const reasons = (status: EphemeralJob['status']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (status?.conditions ?? []).filter(({ type }) => type !== 'Initialized').map(({ type, reason = '' }) => [type, reason]),
  );

describe('how far a Pod is', () => {
  const two = templateOf([debug, { ...debug, name: 'trace' }]);
  const with2 = (a: State, b: State): Pod => {
    const pod = aTarget('web');
    return {
      ...pod,
      status: {
        ...pod.status,
        ephemeralContainerStatuses: [...reported(['debug'], a), ...reported(['trace'], b), ...reported(['other'], 'failed')],
      },
    };
  };
  it.each<{ a: State; b: State; then: string }>([
    { a: 'failed', b: 'running', then: 'failed' },
    { a: 'broken', b: 'succeeded', then: 'failed' },
    { a: 'succeeded', b: 'succeeded', then: 'succeeded' },
    { a: 'succeeded', b: 'running', then: 'running' },
    { a: 'waiting', b: 'running', then: 'running' },
    { a: 'succeeded', b: 'waiting', then: 'waiting' },
    { a: 'succeeded', b: 'unreported', then: 'unknown' },
    { a: 'unreported', b: 'unreported', then: 'unknown' },
  ])('$a and $b: $then', ({ a, b, then }) => {
    expect(podProgress(with2(a, b), two)).toBe(then);
  });

  it('a Pod that has no status yet is unknown', () => {
    const { status: _status, ...pod } = aTarget('web');
    expect(podProgress(pod, two)).toBe('unknown');
  });

  it('a container that ended well without a time, or says nothing, is unknown', () => {
    const status = { name: 'debug', image: '', imageID: '', ready: false, restartCount: 0 };
    expect(containerProgress({ ...status, state: { terminated: { exitCode: 0 } } })).toBe('unknown');
    expect(containerProgress({ ...status, state: {} })).toBe('unknown');
    expect(containerProgress(status)).toBe('unknown');
  });
});

describe('phase and numbers', () => {
  it.each<{ name: string; states: readonly State[]; spec?: Partial<EphemeralJob['spec']>; then: object; why?: object }>([
    { name: 'no Pod', states: [], then: { phase: 'Waiting', match: 0 }, why: { MatchedEmpty: 'MatchEmpty' } },
    {
      name: 'no replicas',
      states: ['absent'],
      spec: { replicas: 0 },
      then: { phase: 'Waiting', match: 0 },
      why: { MatchedEmpty: 'MatchEmpty' },
    },
    {
      name: 'nothing yet',
      states: ['absent', 'absent'],
      then: { phase: 'Unknown', match: 2, running: 0, waiting: 0, succeeded: 0, failed: 0 },
    },
    { name: 'all waiting', states: ['waiting', 'waiting'], then: { phase: 'Waiting', waiting: 2 } },
    { name: 'some waiting', states: ['waiting', 'absent'], then: { phase: 'Unknown', waiting: 1 } },
    { name: 'some running', states: ['running', 'waiting', 'succeeded'], then: { phase: 'Running', running: 1, waiting: 1, succeeded: 1 } },
    {
      name: 'all succeeded',
      states: ['succeeded', 'succeeded'],
      then: { phase: 'Succeeded', succeeded: 2, completionTime: timeAt(0) },
      why: { JobSucceeded: 'JobSucceeded' },
    },
    {
      name: 'all failed',
      states: ['failed', 'broken'],
      then: { phase: 'Failed', failed: 2, completionTime: timeAt(0) },
      why: { JobFailed: 'CreateFailed' },
    },
    {
      name: 'a failure while others run',
      states: ['failed', 'running'],
      then: { phase: 'Running', failed: 1 },
      why: { JobFailed: 'CreateFailed' },
    },
    {
      name: 'a mixture that is over',
      states: ['failed', 'succeeded'],
      then: { phase: 'Failed', completionTime: timeAt(0) },
      why: { JobFailed: 'JobFailed' },
    },
    {
      name: 'more replicas than Pods',
      states: ['succeeded'],
      spec: { replicas: 5 },
      then: { phase: 'Succeeded', match: 1 },
      why: { JobSucceeded: 'JobSucceeded' },
    },
    {
      name: 'fewer replicas than Pods',
      states: ['succeeded', 'absent'],
      spec: { replicas: 1 },
      then: { phase: 'Succeeded', match: 1 },
      why: { JobSucceeded: 'JobSucceeded' },
    },
    { name: 'paused', states: ['running'], spec: { paused: true }, then: { phase: 'Paused', running: 1 } },
    {
      name: 'paused, but over',
      states: ['succeeded'],
      spec: { paused: true },
      then: { phase: 'Succeeded', completionTime: timeAt(0) },
      why: { JobSucceeded: 'JobSucceeded' },
    },
  ])('$name', ({ states, spec = {}, then, why = {} }) => {
    const { status } = goOn({ spec }, targets(...states));
    expect(status).toMatchObject({ startTime: timeAt(0), ...then });
    expect(reasons(status)).toEqual(why);
    if (!('completionTime' in then) && status.phase !== 'Succeeded') expect(status.completionTime).toBeUndefined();
  });

  it.each<{ name: string; states: readonly State[]; seconds: number; paused?: boolean; phase: string; wait: number | undefined }>([
    { name: 'before the deadline', states: ['running'], seconds: 19, phase: 'Running', wait: 1000 },
    { name: 'at the deadline', states: ['running'], seconds: 20, phase: 'Failed', wait: 1_800_000 },
    { name: 'after it, nothing begun', states: ['absent'], seconds: 99, phase: 'Failed', wait: 1_800_000 },
    { name: 'after it, but done', states: ['succeeded'], seconds: 99, phase: 'Succeeded', wait: 1_800_000 },
    { name: 'after it, but paused', states: ['running'], seconds: 99, paused: true, phase: 'Paused', wait: undefined },
  ])('$name', ({ states, seconds, paused = false, phase, wait }) => {
    const next = goOn({ spec: { activeDeadlineSeconds: 20, paused }, status: { startTime: timeAt(0) } }, targets(...states), seconds);
    expect([next.status.phase, next.requeueAfter]).toEqual([phase, wait]);
    if (phase === 'Failed') expect(reasons(next.status)).toEqual({ JobFailed: 'DeadlineExceeded' });
  });

  it.each<{ name: string; containers: unknown }>([
    { name: 'none', containers: [] },
    { name: 'null', containers: null },
    { name: 'a text', containers: 'debug' },
    { name: 'a list of nulls', containers: [null] },
    { name: 'nameless', containers: [{ image: 'a' }] },
    { name: 'of a broken environment', containers: [{ name: 'a', env: ['A=b'] }] },
    { name: 'of an environment that is broken in part', containers: [{ name: 'a', env: [{ name: 'A' }, 'A=b'] }] },
    { name: 'of an empty name', containers: [{ ...debug, name: '' }] },
    { name: 'good but for one', containers: [debug, null] },
  ])('a job whose containers are $name is in Error, with Pods and without, and injects nothing', ({ containers }) => {
    for (const pods of [[], targets('absent')]) {
      const { status, inject } = goOn({ containers }, pods);
      expect([status.phase, reasons(status), inject]).toEqual(['Error', { JobError: 'Error' }, []]);
      expect(status).toMatchObject({ match: 0, running: 0, succeeded: 0, waiting: 0, failed: 0 });
      expect(said(status)['JobError']).toBe('job spec invalid fields.');
      expect(status.completionTime).toBeUndefined();
    }
  });

  it('so is one without a spec, which matches nothing', () => {
    const { spec: _spec, ...job } = aJob();
    const next = plan({ job: job as EphemeralJob, pods: [], ...around }, at(0));
    expect(next.status?.phase).toBe('Error');
    const event = { kind: 'Added', object: aTarget('web'), initial: false } as const;
    const jobs = { size: 2, list: () => [job as EphemeralJob, aJob({ name: 'good' })] } as unknown as Parameters<typeof jobsOfPod>[1];
    expect(jobsOfPod(event, jobs)).toEqual([{ namespace: 'default', name: 'good' }]);
  });

  it('so is one whose selector cannot be read', () => {
    const next = plan({ job: aJob(), pods: { illegal: 'operator' }, ...around }, at(0));
    expect([next.status?.phase, next.status?.conditions?.at(-1)?.message]).toEqual(['Error', 'job spec invalid fields: operator']);
    expect(next).toMatchObject({ inject: [] });
  });

  it('a job in Error says what is wrong now, not what was', () => {
    const first = plan({ job: aJob(), pods: { illegal: 'operator' }, ...around }, at(0));
    const next = goOn({ containers: [], status: first.status }, [], 9);
    expect(said(next.status)['JobError']).toBe('job spec invalid fields.');
  });

  it.each<{ name: string; states: readonly State[]; status?: EphemeralJob['status']; then: Record<string, string> }>([
    { name: 'nothing matches', states: [], then: { MatchedEmpty: 'job match no pods' } },
    { name: 'all succeeded', states: ['succeeded'], then: { JobSucceeded: 'job success to run all tasks' } },
    { name: 'all failed', states: ['failed'], then: { JobFailed: 'job failed to run all tasks' } },
    { name: 'some failed', states: ['failed', 'succeeded', 'failed'], then: { JobFailed: 'job failed in 2 of 3 pods' } },
    {
      name: 'the deadline has come',
      states: ['running'],
      status: { startTime: timeAt(-20) },
      then: { JobFailed: 'job was active longer than specified deadline' },
    },
  ])('the conditions say that the job is initialized and that $name', ({ states, status, then }) => {
    const next = goOn({ spec: { activeDeadlineSeconds: 20 }, ...(status === undefined ? {} : { status }) }, targets(...states));
    expect(said(next.status)).toEqual({ Initialized: 'job is initialized', ...then });
    expect((next.status.conditions ?? []).map((one) => one.status)).toEqual(['True', 'True']);
  });

  it('Initialized is said once, and what another controller said stays', () => {
    const initialized = {
      type: 'Initialized',
      status: 'True',
      reason: 'Initialized',
      message: 'in other words',
      lastTransitionTime: timeAt(-9),
    };
    const failed = { type: 'JobFailed', status: 'True', reason: 'CreateFailed', message: 'job failed to run all tasks' };
    const conditionsAfter = (...conditions: readonly object[]) =>
      goOn({ status: { conditions: conditions as never } }, targets('failed', 'running')).status.conditions;
    expect(conditionsAfter(failed, initialized)).toEqual([failed, initialized]);
    expect(conditionsAfter(failed)).toEqual([failed, expect.objectContaining({ type: 'Initialized', status: 'True' })]);
  });

  it('without a deadline, a job at work is looked at only when something changes', () => {
    expect(goOn({}, targets('running')).requeueAfter).toBeUndefined();
    expect(goOn({}, targets('absent')).requeueAfter).toBeUndefined();
  });

  it('an equal state is an equal status later on, times included, and a new word gets a new time', () => {
    const first = goOn({}, targets('failed', 'running'), 5).status;
    expect(goOn({ status: first }, targets('failed', 'running'), 50).status).toEqual(first);
    const empty = goOn({}, [], 5).status;
    expect(goOn({ status: empty }, [], 50).status).toEqual(empty);
    const later = goOn({ status: first }, targets('failed', 'succeeded'), 60).status;
    expect(later.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
      ['Initialized', timeAt(5)],
      ['JobFailed', timeAt(60)],
    ]);
  });

  it('says no longer that nothing matches once something does', () => {
    const empty = goOn({}, []).status;
    expect(reasons(goOn({ status: empty }, targets('running')).status)).toEqual({});
  });
});

describe('which Pods get the containers', () => {
  it.each<{ name: string; spec?: Partial<EphemeralJob['spec']>; states: readonly State[]; then: readonly string[] }>([
    { name: 'one at a time', states: ['absent', 'absent'], then: ['web-0'] },
    { name: 'as many as parallelism says', spec: { parallelism: 2 }, states: ['absent', 'absent', 'absent'], then: ['web-0', 'web-1'] },
    { name: 'running ones count', spec: { parallelism: 2 }, states: ['running', 'absent', 'absent'], then: ['web-1'] },
    { name: 'waiting ones count', states: ['waiting', 'absent'], then: [] },
    { name: 'ones not reported yet count', states: ['unreported', 'absent'], then: [] },
    { name: 'ended ones do not', states: ['succeeded', 'failed', 'absent'], then: ['web-2'] },
    {
      name: 'no more than replicas',
      spec: { parallelism: 9, replicas: 2 },
      states: ['absent', 'absent', 'absent'],
      then: ['web-0', 'web-1'],
    },
    { name: 'none while paused', spec: { paused: true }, states: ['absent'], then: [] },
    { name: 'none without parallelism', spec: { parallelism: 0 }, states: ['absent'], then: [] },
  ])('$name', ({ spec = {}, states, then }) => {
    expect(names(goOn({ spec }, targets(...states)).inject)).toEqual(then);
  });

  it('past a Pod that no kubelet has taken', () => {
    const pods = [aTarget('homeless', 'unreported', undefined, { phase: 'Pending' }), aTarget('web')];
    expect(names(goOn({}, pods).inject)).toEqual(['web']);
  });

  it.each<State>(['unreported', 'waiting', 'running'])('past a Pod with %s containers on a node that is lost', (state) => {
    const pods = [aTarget('stuck', state, undefined, { node: 'dead' }), aTarget('web', 'absent', undefined, { node: 'well' })];
    expect(names(goOn({}, pods, 0, { lostNodes: new Set(['dead']) }).inject)).toEqual(['web']);
    expect(names(goOn({}, pods).inject)).toEqual([]);
  });

  it('past a Pod without containers on a node that is lost, until the node is back', () => {
    const pods = [aTarget('a', 'absent', undefined, { node: 'dead' }), aTarget('b', 'absent', undefined, { node: 'well' })];
    const many = { spec: { parallelism: 9 } };
    expect(names(goOn(many, pods, 0, { lostNodes: new Set(['dead']) }).inject)).toEqual(['b']);
    expect(names(goOn(many, pods).inject)).toEqual(['a', 'b']);
  });

  it('last those that were refused, the one that was refused last at the end', () => {
    const pods = targets('absent', 'absent', 'absent');
    const refused = new Map([
      [pods[0]?.metadata.uid ?? '', 2],
      [pods[1]?.metadata.uid ?? '', 1],
    ]);
    expect(names(goOn({ spec: { parallelism: 9 } }, pods, 0, { refused }).inject)).toEqual(['web-2', 'web-1', 'web-0']);
  });

  it('past a Pod that has no status yet', () => {
    const { status: _status, ...unseen } = aTarget('unseen', 'unreported');
    expect(names(goOn({}, [unseen, aTarget('web')]).inject)).toEqual(['web']);
  });

  it('the oldest first, then by name', () => {
    const pods = [
      aTarget('c', 'absent', undefined, { createdAt: at(1) }),
      aTarget('b', 'absent', undefined, { createdAt: at(2) }),
      aTarget('a', 'absent', undefined, { createdAt: at(2) }),
    ];
    expect(names(goOn({ spec: { parallelism: 9 } }, pods).inject)).toEqual(['c', 'a', 'b']);
  });

  it('none that is finished, terminating, or has a container of the name from elsewhere', () => {
    const other = aJob({ name: 'other' });
    const pods = [
      aTarget('done', 'absent', undefined, { phase: 'Succeeded' }),
      aTarget('going', 'absent', undefined, { terminating: true }),
      aTarget('taken', 'succeeded', other),
    ];
    expect(goOn({}, pods)).toMatchObject({ inject: [], status: { phase: 'Waiting', match: 0 } });
  });

  it.each<[string, object, string]>([
    ['a container of that name', {}, 'debug'],
    ['a container less than is to be looked into', { targetContainerName: 'app' }, 'main'],
  ])('last one with %s, which will be refused', (_name, over, container) => {
    const containers = [{ ...debug, ...over }];
    const pods = ['old', 'young'].map((name, index) => {
      const pod = aTarget(name, 'absent', undefined, { createdAt: at(index) });
      const own = { name: index === 0 ? container : 'app', image: 'app:1' };
      return { ...pod, spec: { ...pod.spec, containers: [own] } };
    });
    expect(names(goOn({ containers }, pods).inject)).toEqual(['young']);
    expect(names(goOn({ containers, spec: { parallelism: 2 } }, pods).inject)).toEqual(['young', 'old']);
    expect(goOn({ containers }, pods).status.match).toBe(2);
  });

  it('also one with a container of another name from another job', () => {
    const other = aJob({ name: 'other', containers: [{ ...debug, name: 'trace' }] });
    expect(names(goOn({}, [aTarget('web', 'running', other)]).inject)).toEqual(['web']);
  });

  it('none after the deadline', () => {
    const shape = { spec: { activeDeadlineSeconds: 5 }, status: { startTime: timeAt(0) } };
    expect(goOn(shape, targets('absent'), 6).inject).toEqual([]);
  });
});

it('a pass reads the containers of the template once, however many Pods there are', () => {
  let reads = 0;
  const containers = Array.from({ length: 50 }, (_, index) => ({
    ...debug,
    get name(): string {
      reads += 1;
      return `debug-${index}`;
    },
  }));
  const readsWith = (count: number): number => {
    reads = 0;
    goOn(
      { containers, spec: { parallelism: count } },
      Array.from({ length: count }, (_, index) => aTarget(`web-${index}`, 'absent')),
    );
    return reads;
  };
  expect(readsWith(100)).toBe(readsWith(1));
});

describe('the end of a job', () => {
  const done = { status: { completionTime: timeAt(0), phase: 'Succeeded' } };
  it.each<{ name: string; shape: JobShape; seconds: number; then: object }>([
    { name: 'it waits half an hour', shape: done, seconds: 1799, then: { requeueAfter: 1000 } },
    { name: 'and is deleted', shape: done, seconds: 1800, then: { job: [{ kind: 'DeleteJob', because: '1800 s after its end' }] } },
    {
      name: 'at once with 0',
      shape: { ...done, spec: { ttlSecondsAfterFinished: 0 } },
      seconds: 0,
      then: { job: [{ kind: 'DeleteJob', because: '0 s after its end' }] },
    },
    {
      name: 'long waits are cut',
      shape: { ...done, spec: { ttlSecondsAfterFinished: 99999 } },
      seconds: 0,
      then: { requeueAfter: 3_600_000 },
    },
    {
      name: 'a deleted one loses its finalizer',
      shape: { terminating: true },
      seconds: 0,
      then: { job: [{ kind: 'RemoveFinalizer', because: 'the job is being deleted' }] },
    },
    { name: 'once', shape: { terminating: true, finalized: false }, seconds: 0, then: {} },
  ])('$name', ({ shape, seconds, then }) => {
    expect(plan({ job: aJob(shape), pods: targets('absent'), ...around }, at(seconds))).toEqual({ job: [], inject: [], ...then });
  });

  it('a new job gets its finalizer first', () => {
    expect(goOn({ finalized: false }, []).job.map(({ kind }) => kind)).toEqual(['AddFinalizer']);
    expect(goOn({}, []).job).toEqual([]);
  });
});

describe('whatever happens to the containers', () => {
  it('no more than parallelism are under way, no more than replicas are begun, and the job ends', () => {
    const settings = fc.record({
      pods: fc.integer({ min: 1, max: 6 }),
      parallelism: fc.integer({ min: 1, max: 4 }),
      replicas: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
      ends: fc.array(fc.constantFrom<State>('succeeded', 'failed', 'broken'), { minLength: 6, maxLength: 6 }),
      seed: fc.infiniteStream(fc.nat(5)),
    });
    const seen = new Occurrences();
    fc.assert(
      fc.property(settings, ({ pods, parallelism, replicas, ends, seed }) => {
        const spec = { parallelism, ...(replicas === undefined ? {} : { replicas }) };
        const states = Array.from({ length: pods }, (): State => 'absent');
        let status: EphemeralJob['status'];
        for (let round = 0; round < 100 && status?.completionTime === undefined; round++) {
          const shape: JobShape = { spec, ...(status === undefined ? {} : { status }) };
          const next = goOn(shape, targets(...states), round);
          status = next.status;
          for (const pod of next.inject) states[Number(pod.metadata.name.replace('web-', ''))] = 'unreported';
          const underWay = states.filter((state) => ['unreported', 'waiting', 'running'].includes(state)).length;
          expect(underWay).toBeLessThanOrEqual(parallelism);
          seen.note('as many as may be are under way, of more', underWay === parallelism && underWay < pods);
          expect(states.filter((state) => state !== 'absent').length).toBeLessThanOrEqual(replicas ?? pods);
          // One container makes a step.
          const moving = states.flatMap((state, index) => (['unreported', 'waiting', 'running'].includes(state) ? [index] : []));
          const chosen = moving[(seed.next().value as number) % Math.max(1, moving.length)];
          if (chosen === undefined) continue;
          const steps: Partial<Record<State, State>> = { unreported: 'waiting', waiting: 'running' };
          states[chosen] = steps[states[chosen] ?? 'absent'] ?? ends[chosen] ?? 'succeeded';
        }
        expect(status?.completionTime).toBeDefined();
        const all = states.filter((state) => state !== 'absent');
        expect(all).toHaveLength(Math.min(pods, replicas ?? pods));
        const isSuccess = all.every((state) => state === 'succeeded');
        expect(status?.phase).toBe(isSuccess ? 'Succeeded' : 'Failed');
        seen.note(isSuccess ? 'it succeeds' : 'it fails');
        seen.note('some Pods are left out', all.length < pods);
      }),
      { numRuns: 200 },
    );
    seen.expectAtLeast({ 'as many as may be are under way, of more': 50, 'it succeeds': 3, 'it fails': 20, 'some Pods are left out': 5 });
  });
});
