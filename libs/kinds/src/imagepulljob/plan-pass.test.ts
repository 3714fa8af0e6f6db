/** @see spec/image-pulling.md 5.4, 5.5 */
import { describe, expect, it } from '@jest/globals';
import { milliseconds } from '@kruise/objects';
import { aJob, aNodeImage, aTag, at, type JobShape } from '../images/builders.testing.ts';
import { concludeTasks, faultOf, planPass, type Over, type SecretsAwaited } from './plan-pass.ts';
import { contextAt, snapshot } from './testing.ts';

const wait = { again: milliseconds(5000) };

describe('a job that is over', () => {
  const done: JobShape['status'] = { desired: 1, completionTime: at(0) };
  const always = { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 100 } } as const;

  it.each<{ name: string; job?: JobShape; more?: Partial<Over>; then: readonly string[]; again?: number }>([
    {
      name: 'keeps its finalizer while its secrets linger',
      more: { lingering: milliseconds(3000), hasCopies: true },
      then: [],
      again: 3000,
    },
    { name: 'releases its secrets before its finalizer', more: { hasCopies: true }, then: ['ReleaseSecrets', 'RemoveFinalizer'] },
    { name: 'has nothing to release without copies', then: ['RemoveFinalizer'] },
    { name: 'waits for its time to live', job: { metadata: { finalizers: [] }, spec: always }, then: [], again: 90_000 },
    {
      name: 'is requeued when its secrets are released, although it is kept longer',
      job: { spec: always },
      more: { lingering: milliseconds(3000) },
      then: [],
      again: 3000,
    },
    {
      name: 'is deleted after its time to live',
      job: { metadata: { finalizers: [] }, spec: { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 5 } } },
      then: ['DeleteJob'],
    },
    {
      name: 'stays while its list would create it again',
      job: { metadata: { finalizers: [] }, spec: { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 5 } } },
      more: { isAwaited: true },
      then: [],
    },
    {
      name: 'is not deleted twice',
      job: {
        metadata: { finalizers: ['other'], deletionTimestamp: at(6) },
        spec: { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 5 } },
      },
      then: [],
    },
  ])('$name', ({ job, more, then, again }) => {
    const over: Over = {
      kind: 'Over',
      job: aJob({ status: done, ...job }),
      lingering: undefined,
      hasCopies: false,
      isAwaited: false,
      ...more,
    };
    const planned = planPass(over, contextAt(10));
    expect([planned.job.map(({ kind }) => kind), planned.tasks, planned.requeueAfter]).toEqual([then, [], again]);
  });
});

describe('a job that waits for its secrets', () => {
  const plan = (secrets: SecretsAwaited, spec: JobShape['spec'] = {}, second = 10) =>
    planPass(
      { kind: 'Waiting', secrets, snapshot: snapshot(aJob({ spec, status: { desired: 1, startTime: at(0) } }), [aNodeImage()]) },
      contextAt(second),
    );

  it('says nothing while their first lists may still come', () => {
    expect(plan(wait)).toEqual({ job: [], tasks: [], requeueAfter: 5000 });
  });

  it('says what it waits for, and asks no node', () => {
    const failure = new Error('denied');
    const planned = plan({ ...wait, why: 'denied', failure });
    expect(planned).toMatchObject({
      tasks: [],
      failure,
      requeueAfter: 5000,
      status: { message: 'job waits for its pull secrets: denied' },
    });
  });

  it('is looked at again at its deadline, and ends then', () => {
    const spec = { completionPolicy: { type: 'Always', activeDeadlineSeconds: 1200 } } as const;
    expect(plan({ ...wait, why: 'x' }, spec, 1198).requeueAfter).toBe(2000);
    const { status, failure, requeueAfter } = plan({ ...wait, why: 'x', failure: new Error('x') }, spec, 1200);
    expect([status?.message, failure, requeueAfter]).toEqual(['job exceeds activeDeadlineSeconds', undefined, undefined]);
  });
});

describe('a job that runs', () => {
  it('has its first status written before the first task, and other ones after the tasks', () => {
    const first = planPass({ kind: 'Ready', snapshot: snapshot(aJob(), [aNodeImage()]) }, contextAt(0));
    expect([first.opening?.startTime, first.status, first.tasks.length]).toEqual([at(0), undefined, 1]);
    const begun = aJob({ status: { desired: 1, startTime: at(0) } });
    const second = planPass({ kind: 'Ready', snapshot: snapshot(begun, [aNodeImage()]) }, contextAt(5));
    expect([second.opening, second.status, second.tasks.length]).toEqual([undefined, undefined, 1]);
    const asked = aNodeImage({ images: { nginx: { tags: [aTag()] } } });
    const idle = planPass({ kind: 'Ready', snapshot: snapshot(begun, [asked]) }, contextAt(5));
    expect([idle.status?.active, idle.tasks]).toEqual([1, []]);
  });

  it('gets its finalizer before anything else', () => {
    expect(planPass({ kind: 'Unheld' }, contextAt(0)).job.map(({ kind }) => kind)).toEqual(['AddFinalizer']);
  });

  const plan = { job: [], tasks: [], note: 'node n1 is full' };
  const none = { failure: undefined, refusals: new Map<string, Error>() };
  const denied = new Error('denied');

  it.each<{ name: string; results: { failure: Error | undefined; refusals: ReadonlyMap<string, Error> }; again?: number }>([
    { name: 'is left to its plan when all nodes took their task', results: none },
    { name: 'asks other nodes at once when one refused its task', results: { ...none, refusals: new Map([['n1', denied]]) }, again: 0 },
    {
      name: 'asks other nodes a second later when that may concern them all',
      results: { failure: denied, refusals: new Map([['n1', denied]]) },
      again: 1000,
    },
    { name: 'is left to the backoff after another failure', results: { ...none, failure: denied } },
  ])('$name', ({ results, again }) => {
    const seen = snapshot(aJob({ status: { desired: 1, startTime: at(0) } }), [aNodeImage()]);
    const { status, failure, requeueAfter } = concludeTasks(seen, plan, results, contextAt(5));
    expect([status?.message, failure, requeueAfter]).toEqual(['job is running, progress 0.0%; node n1 is full', results.failure, again]);
  });

  it('has no status written after its end', () => {
    expect(concludeTasks(undefined, plan, none, contextAt(5))).toEqual({});
    const over = snapshot(aJob({ status: { desired: 0, startTime: at(0) } }), []);
    expect(concludeTasks(over, plan, none, contextAt(5))).toEqual({});
  });
});

describe('a job that bypassed admission', () => {
  const spec = { image: '' };

  it('has a fault while it is active, and none once it is over', () => {
    expect(faultOf(aJob({}))).toBeUndefined();
    expect(faultOf(aJob({ spec }))).toMatch(/image/);
    expect(faultOf(aJob({ spec, status: { desired: 1, completionTime: at(0) } }))).toBeUndefined();
    expect(faultOf(aJob({ spec, metadata: { deletionTimestamp: at(0) } }))).toBeUndefined();
  });
});
