import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import { FakeClock, silentLogger } from '@kruise/kube/testing';
import type { KubeObject, Stage } from '@kruise/objects';
import { RefusedObjects } from '../refusals/refused-objects.ts';
import { newFailureOf, objectOfAction, runPaced, type PacedResult } from './run-paced.ts';

interface Step {
  readonly kind: string;
  readonly because: string;
  readonly pod: KubeObject;
}

const denied = (name: string): ApiError => new ApiError(`${name} denied`, { kind: 'Forbidden' });
const step = (name: string, kind = 'DeletePod'): Step => ({ kind, because: 'asked', pod: { metadata: { name, uid: name } } });
const owner = { metadata: { name: 'set', uid: 'set', generation: 1 } };

function fixture() {
  const clock = new FakeClock();
  const refusals = new RefusedObjects(clock);
  const refused = new Set<string>();
  let tried: string[] = [];
  const execute = ({ pod: { metadata } }: Step): Promise<void> => {
    tried.push(metadata.name);
    return refused.has(metadata.name) ? Promise.reject(denied(metadata.name)) : Promise.resolve();
  };
  const run = async (...stages: readonly Stage<Step>[]): Promise<PacedResult<Step> & { readonly tried: readonly string[] }> => {
    tried = [];
    const paced = { refusals, owner, subjectsOf: ({ pod }: Step) => [pod.metadata.name] };
    const result = await runPaced(stages, { execute, logger: silentLogger(), about: {} }, paced, new AbortController().signal);
    return { ...result, tried };
  };
  return { clock, refusals, refused, run };
}

const collect = (name: string, ...actions: readonly Step[]): Stage<Step> => ({ name, actions, onFailure: 'Collect' });

describe('an action that waits', () => {
  it('is not begun and counts as a failure of its stage, with the error that it was refused with', async () => {
    const { refused, run, refusals } = fixture();
    refused.add('a');
    const first = await run(collect('delete', step('a'), step('b')));
    expect([first.tried, first.fresh?.message, first.held.size]).toEqual([['a', 'b'], 'a denied', 0]);
    const second = await run(collect('delete', step('a'), step('b')));
    expect([second.tried, second.fresh, second.error?.message]).toEqual([['b'], undefined, 'a denied']);
    expect(second.stages.get('delete')?.failures).toEqual([{ action: step('a'), error: first.error }]);
    expect([...second.held]).toEqual([first.error]);
    expect(refusals.isRefused('set', 'a')).toBe(true);
  });

  it('is begun once its wait has ended', async () => {
    const { refused, run, clock } = fixture();
    refused.add('a');
    await run(collect('delete', step('a')));
    await clock.step(1000);
    expect((await run(collect('delete', step('a')))).tried).toEqual(['a']);
  });

  it('ends a plan whose later stages depend on it', async () => {
    const { refused, run } = fixture();
    refused.add('a');
    const stages: readonly Stage<Step>[] = [
      { name: 'first', actions: [step('a'), step('b')], onFailure: 'Stop' },
      collect('later', step('c')),
    ];
    await run(...stages);
    const { tried, stoppedAt, error } = await run(...stages);
    expect([tried, stoppedAt, error?.message]).toEqual([['b'], 'first', 'a denied']);
  });

  it('keeps back the stages that need its own, and no others', async () => {
    const { refused, run } = fixture();
    refused.add('a');
    const start: Stage<Step> = { ...collect('start', step('c')), needs: ['replace'] };
    const stages = [collect('replace', step('a'), step('b')), start, collect('tidy', step('d'))];
    expect((await run(...stages)).tried).toEqual(['a', 'b', 'd']);
    expect((await run(...stages)).tried).toEqual(['b', 'd']);
  });

  it('is no error of the plan in a stage that only logs', async () => {
    const { refused, run } = fixture();
    refused.add('a');
    const tidy: Stage<Step> = { name: 'tidy', actions: [step('a')], onFailure: 'Log' };
    await run(tidy);
    const { tried, error, stages } = await run(tidy);
    expect([tried, error, stages.get('tidy')?.failures.length]).toEqual([[], undefined, 1]);
  });

  it('calls no guard', async () => {
    const { refused, run } = fixture();
    refused.add('a');
    const asked: string[] = [];
    const ask = ({ pod }: Step): Promise<undefined> => {
      asked.push(pod.metadata.name);
      return Promise.resolve(undefined);
    };
    const guarded: Stage<Step> = { ...collect('delete', step('a'), step('b')), guard: { concerns: () => true, ask } };
    await run(guarded);
    await run(guarded);
    expect(asked).toEqual(['a', 'b', 'b']);
  });
});

it('what has been refused for the longest time comes first', async () => {
  const { refused, run, clock } = fixture();
  refused.add('b');
  await run(collect('delete', step('a'), step('b')));
  await clock.step(500);
  refused.add('a');
  const { error, fresh } = await run(collect('delete', step('a'), step('b')));
  expect([error?.message, fresh?.message]).toEqual(['b denied', 'a denied']);
});

it('what a guard refuses comes after the others in the next pass, in the order of the refusals, until it is written', async () => {
  const { refusals, run } = fixture();
  const guarding = (...names: readonly string[]): Stage<Step> => {
    const ask = ({ pod }: Step) => Promise.resolve(names.includes(pod.metadata.name) ? 'not now' : undefined);
    return { ...collect('update', step('a'), step('b'), step('c')), guard: { concerns: () => true, ask } };
  };
  await run(guarding('a', 'b'));
  await run(guarding('b'));
  expect(['a', 'b', 'c'].map((name) => refusals.of('set').get(name))).toEqual([undefined, 3, undefined]);
});

it('what keeps a guard from answering comes before what waits', async () => {
  const { refused, run } = fixture();
  refused.add('a');
  await run(collect('delete', step('a')));
  const ask = (): Promise<undefined> => Promise.reject(denied('budget'));
  const { error } = await run({ ...collect('delete', step('a'), step('b')), guard: { concerns: () => true, ask } });
  expect(error?.message).toBe('budget denied');
});

describe('an action is done to', () => {
  const object = (name: string, uid?: string): KubeObject => ({ metadata: { name, ...(uid === undefined ? {} : { uid }) } });
  const action = { kind: 'Any', because: 'asked' };
  it.each([
    ['its Pod, whatever else it names', { ...action, pod: object('a', 'uid-a'), claim: object('c') }, 'uid-a'],
    ['its claim, by name while it does not exist', { ...action, claim: object('c') }, 'c'],
    ['its job', { ...action, job: object('j') }, 'j'],
    ['its child', { ...action, child: object('web', 'uid-web') }, 'uid-web'],
    ['the revision that it creates', { ...action, attempt: { revision: object('r') } }, 'r'],
    ['its revision', { ...action, revision: object('r', 'uid-r') }, 'uid-r'],
    ['the revision of its name', { ...action, revision: 'r' }, 'r'],
    ['the owner otherwise', action, ''],
  ])('%s', (_name, given, expected) => {
    expect(objectOfAction(given)).toBe(expected);
  });
});

describe('the new failure of a stage', () => {
  it('is the one that was met in this pass, and that is no conflict', async () => {
    const { refused, run, clock } = fixture();
    refused.add('a');
    const failureOf = async (): Promise<string | undefined> => newFailureOf(await run(collect('delete', step('a'))), 'delete')?.message;
    expect([await failureOf(), await failureOf()]).toEqual(['a denied', undefined]);
    await clock.step(1000);
    expect(await failureOf()).toBe('a denied');
    expect(newFailureOf(await run(collect('delete', step('a'))), 'other')).toBeUndefined();
  });
});
