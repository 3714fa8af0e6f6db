import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../api-error.ts';
import { requeue, settled } from '../outcome.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import { milliseconds, type Guard, type PlanResult, type Stage } from '@kruise/objects';
import { isCut, outcomeOf, runPlan } from './run-plan.ts';

interface Action {
  readonly kind: 'Create' | 'Update';
  readonly name: string;
  readonly because: string;
}

const create = (name: string): Action => ({ kind: 'Create', name, because: `${name} is missing` });
const update = (name: string): Action => ({ kind: 'Update', name, because: `${name} is old` });
const conflict = new ApiError('somebody wrote first', { kind: 'Conflict' });
const quota = new ApiError('exceeded quota', { kind: 'Forbidden' });
const unreachable = new ApiError('nobody answers', { kind: 'Unreachable', cause: undefined });

interface RunOptions {
  readonly failing?: Readonly<Record<string, unknown>>;
  readonly concernsOneObject?: (error: Error) => boolean;
  readonly signal?: AbortSignal;
}

interface Run {
  readonly result: PlanResult<Action>;
  /** Names in the order in which actions began. */
  readonly begun: readonly string[];
  readonly mostAtOnce: number;
  readonly lines: readonly unknown[];
}

async function run(
  stages: readonly Stage<Action>[],
  { failing = {}, signal = new AbortController().signal, ...asked }: RunOptions = {},
): Promise<Run> {
  const begun: string[] = [];
  let [now, mostAtOnce] = [0, 0];
  const logger = silentLogger();
  const execute = async ({ name }: Action): Promise<void> => {
    begun.push(name);
    mostAtOnce = Math.max(mostAtOnce, ++now);
    await Promise.resolve();
    now--;
    if (Object.hasOwn(failing, name)) throw failing[name];
  };
  const result = await runPlan(stages, { execute, logger, about: { set: 'ns/s' }, ...asked }, signal);
  return { result, begun, mostAtOnce, lines: logger.lines };
}

const stage = (name: string, actions: readonly Action[], more: Partial<Stage<Action>> = {}): Stage<Action> => ({
  name,
  actions,
  onFailure: 'Stop',
  ...more,
});
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `p${i}`);
const doneIn = ({ result }: Run): Readonly<Record<string, number>> =>
  Object.fromEntries([...result.stages].map(([name, { done }]) => [name, done]));

describe('stages', () => {
  it('run in their order, and completed ones are counted', async () => {
    const ran = await run([stage('scale', [create('a'), create('b')]), stage('update', [update('c')])]);
    expect([ran.begun, doneIn(ran), ran.result.error, ran.result.stoppedAt]).toEqual([
      ['a', 'b', 'c'],
      { scale: 2, update: 1 },
      undefined,
      undefined,
    ]);
  });

  it('are skipped once another stage did something', async () => {
    const update1 = stage('update', [update('c')], { unless: ['scale'] });
    expect((await run([stage('scale', [create('a')]), update1])).begun).toEqual(['a']);
    expect((await run([stage('scale', []), update1])).begun).toEqual(['c']);
    const failed = await run([stage('scale', [create('a')], { onFailure: 'EndStage' }), update1], { failing: { a: quota } });
    expect(failed.begun).toEqual(['a', 'c']);
  });

  it('are skipped once an action of one that they need has failed, whatever that stage does about failures', async () => {
    const start = stage('start', [create('c')], { needs: ['replace'] });
    const replace = stage('replace', [create('a'), create('b')], { onFailure: 'Collect' });
    expect((await run([replace, start])).begun).toEqual(['a', 'b', 'c']);
    expect((await run([replace, start], { failing: { a: quota } })).begun).toEqual(['a', 'b']);
    expect((await run([start])).begun).toEqual(['c']);
  });

  it('are skipped once an action of another stage wrote something and then failed', async () => {
    const stages = [stage('scale', [create('a')], { onFailure: 'EndStage' }), stage('update', [update('c')], { unless: ['scale'] })];
    const begun: string[] = [];
    const execute = ({ name }: Action, _signal: AbortSignal, onWrite: () => void): Promise<void> => {
      begun.push(name);
      onWrite();
      return Promise.reject(quota);
    };
    const { stages: ran } = await runPlan(stages, { execute, logger: silentLogger(), about: {} }, new AbortController().signal);
    expect(begun).toEqual(['a']);
    expect(ran.get('scale')).toMatchObject({ done: 0, wrote: 1 });
  });

  it('do not begin once the signal is aborted', async () => {
    const ran = await run([stage('scale', [create('a')])], { signal: AbortSignal.abort() });
    expect([ran.begun, doneIn(ran)]).toEqual([[], {}]);
  });
});

describe('a failure', () => {
  const two = (onFailure: Stage<Action>['onFailure']): readonly Stage<Action>[] => [
    stage('first', [create('a'), create('b'), create('c')], { onFailure }),
    stage('second', [update('d')]),
  ];
  it.each<{ name: string; onFailure: Stage<Action>['onFailure']; begun: readonly string[]; error: Error | undefined; stoppedAt?: string }>([
    { name: 'ends the plan', onFailure: 'Stop', begun: ['a', 'b'], error: quota, stoppedAt: 'first' },
    { name: 'ends its stage', onFailure: 'EndStage', begun: ['a', 'b', 'd'], error: quota },
    { name: 'is collected', onFailure: 'Collect', begun: ['a', 'b', 'c', 'd'], error: quota },
    { name: 'is only logged', onFailure: 'Log', begun: ['a', 'b', 'c', 'd'], error: undefined },
  ])('$name', async ({ onFailure, begun, error, stoppedAt }) => {
    const ran = await run(two(onFailure), { failing: { b: quota } });
    expect([ran.begun, ran.result.error, ran.result.stoppedAt]).toEqual([begun, error, stoppedAt]);
    expect(ran.result.stages.get('first')?.failures).toEqual([{ action: create('b'), error: quota }]);
  });

  it('of a conflict is the least specific, whenever it occurred', async () => {
    const ran = await run(
      [stage('first', [create('a'), create('b')], { onFailure: 'Collect' }), stage('second', [update('c')], { onFailure: 'Collect' })],
      { failing: { a: conflict, c: quota } },
    );
    expect(ran.result.error).toBe(quota);
    expect(ran.result.stages.get('first')?.error).toBe(conflict);
    expect((await run([stage('first', [create('a')])], { failing: { a: conflict } })).result.error).toBe(conflict);
    const both = await run([stage('first', [create('a'), create('b')], { onFailure: 'Collect' })], { failing: { a: conflict, b: quota } });
    expect(both.result.stages.get('first')?.error).toBe(quota);
  });

  it('of a server that does not answer ends its stage in any case', async () => {
    const ran = await run(two('Collect'), { failing: { a: unreachable } });
    expect(ran.begun).toEqual(['a', 'd']);
  });

  it('of a thrown value that is no Error is one', async () => {
    expect((await run([stage('first', [create('a')])], { failing: { a: 'oops' } })).result.error).toEqual(new Error('oops'));
  });
});

describe('a burst', () => {
  const many = names(100).map(create);

  it.each<{ name: string; more: Partial<Stage<Action>> }>([
    { name: 'in turn', more: {} },
    { name: 'by kind', more: { pace: 'ByKind' } },
    { name: 'slowly', more: { pace: 'ByKind', slowly: ['Create'] } },
  ])('leaves the remaining actions to the next pass, $name', async ({ more }) => {
    const ran = await run([stage('first', many, { burst: 70, ...more }), stage('second', [update('z')])]);
    expect([ran.begun.length, doneIn(ran), isCut(ran.result), ran.result.error]).toEqual([71, { first: 70, second: 1 }, true, undefined]);
    expect(ran.result.stages.get('first')?.left).toEqual(many.slice(70));
  });

  it('of as many actions as there are leaves nothing', async () => {
    const ran = await run([stage('first', many, { burst: 100 })]);
    expect([doneIn(ran), isCut(ran.result)]).toEqual([{ first: 100 }, false]);
    expect(ran.result.stages.get('first')).not.toHaveProperty('left');
  });

  it('is not needed to leave actions: those after a server that does not answer are left, too', async () => {
    const ran = await run([stage('first', many, { onFailure: 'Collect' })], { failing: { p2: unreachable } });
    expect(ran.result.stages.get('first')?.left).toEqual(many.slice(3));
  });

  it('is not used up by actions that fail', async () => {
    const ran = await run([stage('first', many, { burst: 70, onFailure: 'Collect' })], {
      failing: Object.fromEntries(names(30).map((name) => [name, quota])),
    });
    expect([ran.begun.length, doneIn(ran), isCut(ran.result)]).toEqual([100, { first: 70 }, false]);
  });

  it('ends the calls to a guard: what it allows is begun', async () => {
    const asked: string[] = [];
    const guard: Guard<Action> = {
      concerns: () => true,
      ask: ({ name }) => {
        asked.push(name);
        return Promise.resolve(undefined);
      },
    };
    const ran = await run([stage('first', many, { burst: 70, guard })]);
    expect([asked, isCut(ran.result)]).toEqual([ran.begun, true]);
    expect(asked).toHaveLength(70);
  });
});

describe('the pace', () => {
  const many = names(40).map(create);

  it.each<{ name: string; more: Partial<Stage<Action>>; mostAtOnce: number }>([
    { name: 'one after the other', more: {}, mostAtOnce: 1 },
    { name: 'neighbours of a kind together', more: { pace: 'ByKind' }, mostAtOnce: 32 },
    { name: 'all at the same time', more: { pace: 'AtOnce' }, mostAtOnce: 32 },
  ])('$name', async ({ more, mostAtOnce }) => {
    const ran = await run([stage('scale', many, more)]);
    expect([ran.begun, ran.mostAtOnce]).toEqual([names(40), mostAtOnce]);
  });

  it('of another kind waits for the first', async () => {
    const mixed = [create('a'), create('b'), update('c'), create('d')];
    expect((await run([stage('s', mixed, { pace: 'ByKind' })])).mostAtOnce).toBe(2);
    expect((await run([stage('s', mixed, { pace: 'AtOnce' })])).mostAtOnce).toBe(4);
    const failed = await run([stage('s', mixed, { pace: 'ByKind' })], { failing: { a: quota } });
    expect(failed.begun).toEqual(['a', 'b']);
  });

  it('lets the actions beside a conflict continue, and ends after them', async () => {
    const list = [...names(40).map(create), update('z')];
    const ran = await run([stage('s', list, { pace: 'ByKind' })], { failing: { p0: conflict } });
    expect([ran.begun.length, doneIn(ran), ran.result.error]).toEqual([40, { s: 39 }, conflict]);
  });

  it('is slow at first on request', async () => {
    const slow = stage('s', many, { pace: 'ByKind', slowly: ['Create'] });
    expect((await run([slow], { failing: { p1: quota } })).begun).toEqual(names(3));
    expect((await run([slow])).begun).toEqual(names(40));
    const other = stage('s', names(3).map(update), { pace: 'ByKind', slowly: ['Create'] });
    expect((await run([other], { failing: { p0: quota } })).begun).toEqual(names(3));
  });

  it.each([
    { what: 'a conflict', error: conflict },
    { what: 'a name that is taken', error: new ApiError('taken', { kind: 'AlreadyExists' }) },
  ])('that is slow at first is not slowed down by $what', async ({ error }) => {
    const slow = stage('s', many, { pace: 'ByKind', slowly: ['Create'] });
    const ran = await run([slow], { failing: { p0: error, p5: error } });
    expect([ran.begun, doneIn(ran), ran.result.error]).toEqual([names(40), { s: 38 }, error]);
  });

  const policy = new ApiError('a policy says no', { kind: 'Forbidden' });
  const asked = { concernsOneObject: (error: Error) => error === policy };

  it.each(['EndStage', 'Collect'] as const)('that is slow at first tries the others of a refused object, with %s', async (onFailure) => {
    const slow = stage('s', many, { pace: 'ByKind', slowly: ['Create'], onFailure });
    const ran = await run([slow], { ...asked, failing: { p0: policy, p5: policy } });
    expect([ran.begun, doneIn(ran), ran.result.error]).toEqual([names(40), { s: 38 }, policy]);
    expect((await run([slow], { ...asked, failing: { p1: quota } })).begun).toEqual(names(3));
  });

  it.each([
    { what: 'refused', error: policy },
    { what: 'taken', error: new ApiError('taken', { kind: 'AlreadyExists' }) },
  ])('that is slow at first ends with the batch of the eleventh object that is $what', async ({ error }) => {
    const slow = stage('s', many, { pace: 'ByKind', slowly: ['Create'], onFailure: 'Collect' });
    const failing = (count: number) => Object.fromEntries(names(count).map((name) => [name, error]));
    expect((await run([slow], { ...asked, failing: failing(10) })).begun).toHaveLength(40);
    expect((await run([slow], { ...asked, failing: failing(40) })).begun).toHaveLength(15);
  });
});

describe('a guard', () => {
  const guard = (allowed: number, asked: string[]): Guard<Action> => ({
    concerns: ({ kind }) => kind === 'Update',
    ask: ({ name }) => Promise.resolve(asked.push(name) <= allowed ? undefined : `no more than ${allowed}`),
  });

  it('is asked in order about all that concerns it, and only what it refuses does not begin', async () => {
    const asked: string[] = [];
    const actions = [update('a'), create('b'), update('c'), update('d'), create('e')];
    const some: Guard<Action> = {
      concerns: ({ kind }) => kind === 'Update',
      ask: ({ name }) => Promise.resolve(asked.push(name) === 2 ? 'not this one' : undefined),
    };
    const ran = await run([stage('s', actions, { guard: some })]);
    expect([asked, ran.begun]).toEqual([
      ['a', 'c', 'd'],
      ['a', 'b', 'd', 'e'],
    ]);
    expect(ran.result.stages.get('s')).toMatchObject({ refused: { action: update('c'), why: 'not this one' }, allRefused: [update('c')] });
  });

  it('is no longer asked after ten refusals', async () => {
    const asked: string[] = [];
    const ran = await run([stage('s', [...names(15).map(update), create('z')], { guard: guard(1, asked) })]);
    expect([asked, ran.begun]).toEqual([names(11), ['p0', 'z']]);
    expect(ran.result.stages.get('s')?.allRefused).toEqual(names(11).slice(1).map(update));
  });

  it('that allows everything has no effect on the result', async () => {
    const ran = await run([stage('s', [update('a')], { guard: guard(5, []) })]);
    expect([ran.begun, ran.result.stages.get('s')]).toEqual([['a'], { done: 1, wrote: 1, failures: [], allRefused: [] }]);
  });

  it('that cannot answer is asked once, nothing that concerns it begins, and the others continue', async () => {
    let asked = 0;
    const dead: Guard<Action> = { concerns: ({ kind }) => kind === 'Update', ask: () => Promise.reject((asked++, quota)) };
    const actions = [update('a'), create('b'), update('c')];
    const ran = await run([stage('s', actions, { guard: dead, onFailure: 'EndStage' }), stage('t', [create('d')])]);
    expect([asked, ran.begun, ran.result.error]).toEqual([1, ['b', 'd'], quota]);
  });
});

describe('the log', () => {
  it('contains each action with its reason, and a failure that is only logged', async () => {
    const ran = await run([stage('s', [create('a')], { onFailure: 'Log' })], { failing: { a: quota } });
    const fields = { set: 'ns/s', stage: 's', action: 'Create' };
    expect(ran.lines).toEqual([
      { level: 'info', fields: { ...fields, because: 'a is missing' }, message: 'Carrying out the plan' },
      { level: 'warn', fields: { ...fields, error: quota }, message: 'Best-effort action failed' },
    ]);
    const quiet = await run([stage('s', [create('a')], { onFailure: 'Log' })], { failing: { a: conflict } });
    expect(quiet.lines).toMatchObject([{ level: 'info' }]);
  });
});

it('the outcome is the failure, or the outcome of the plan', () => {
  expect(outcomeOf({})).toBe(settled);
  expect(outcomeOf({}, requeue(milliseconds(5)))).toEqual({ kind: 'Requeue', after: 5 });
  expect(outcomeOf({ error: quota })).toEqual({ kind: 'Retry', error: quota });
});
