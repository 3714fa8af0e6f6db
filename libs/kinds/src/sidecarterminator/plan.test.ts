import { describe, expect, it } from '@jest/globals';
import type { ContainerRecreateRequest } from '@kruise/api';
import { instant, type Pod } from '@kruise/objects';
import { epoch, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { plan, retryWait, type Action, type Snapshot } from './plan.ts';
import { aJobPod, aRequest, byImage, byRequest, ended, failed, ignored, running, starting, type Part, type State } from './testing.ts';

const at = (seconds: number) => instant(epoch + seconds * 1000);
const main = (state: State = ended): Part => ({ name: 'main', state });
const log = (state: State = running, name = 'log'): Part => ({ name, state, env: byRequest });
const quiet = (state: State = running, name = 'quiet'): Part => ({ name, state, env: ignored });
const virtual = (state: State = running, name = 'agent', env: Part['env'] = byImage): Part => ({ name, state, env: env ?? {} });
const pod = (...parts: readonly Part[]): Pod => aJobPod(parts);

const short = (action: Action): string => {
  switch (action.kind) {
    case 'ReplaceImages':
      return `images ${Object.entries(action.images)
        .map(([name, image]) => `${name}=${image}`)
        .join(' ')}`;
    case 'MarkPod':
      return `mark ${action.phase}`;
    case 'CountRepeat':
      return `count ${action.repeats}`;
    case 'DeleteRequest':
      return `delete ${action.uid}`;
    case 'CreateRequest':
      return `create ${action.containers.join(' ')} #${action.repeats}`;
  }
};
interface Outline {
  readonly actions: readonly string[];
  readonly warnings: readonly string[];
  readonly requeueAfter: number | undefined;
}
const planned = (seen: Partial<Snapshot> & { readonly pod: Pod }, seconds = 0): Outline => {
  const { actions, warnings, requeueAfter } = plan({ isVirtualNode: false, request: undefined, ...seen }, at(seconds));
  return { actions: actions.map(short), warnings: warnings.map(({ topic }) => topic), requeueAfter };
};
const only = (...actions: readonly string[]): Outline => ({ actions, warnings: [], requeueAfter: undefined });

/** The status of the container `log` under another name. */
const misnamed = (seen: Pod): Pod => ({
  ...seen,
  status: {
    ...seen.status,
    containerStatuses: (seen.status?.containerStatuses ?? []).map((one) => (one.name === 'log' ? { ...one, name: 'other' } : one)),
  },
});

describe('on a real node', () => {
  it.each<{ name: string; pod: Pod; actions: readonly string[] }>([
    {
      name: 'a request ends the sidecars, in the order of the Pod',
      pod: pod(log(running, 'z'), main(), log(running, 'a')),
      actions: ['create z a #0'],
    },
    { name: 'those that have ended are left out', pod: pod(main(), log(ended), log(running, 'b')), actions: ['create b #0'] },
    { name: 'nothing is done while main containers run', pod: pod(main(running), log()), actions: [] },
    { name: 'one that has no container yet is waited for', pod: pod(main(), log(starting)), actions: [] },
    { name: 'so is one whose status is that of no container', pod: misnamed(pod(main(), log())), actions: [] },
    { name: 'but does not keep others', pod: pod(main(), log(starting), log(running, 'b')), actions: ['create b #0'] },
    {
      name: 'one that waits for its restart has had one',
      pod: pod(main(), log({ kind: 'waiting', ranBefore: true })),
      actions: ['create log #0'],
    },
    { name: 'with ignored exit codes the Pod is marked first', pod: pod(main(), quiet()), actions: ['mark Succeeded', 'create quiet #0'] },
    {
      name: 'and marked Failed when a main container failed',
      pod: pod(main(failed), quiet()),
      actions: ['mark Failed', 'create quiet #0'],
    },
    { name: 'a normal one has to end before', pod: pod(main(), log(), quiet()), actions: ['create log #0'] },
    { name: 'and then the ignored ones follow', pod: pod(main(), log(failed), quiet()), actions: ['mark Succeeded', 'create quiet #0'] },
    { name: 'an ignored one that is starting needs no request', pod: pod(main(), quiet(starting)), actions: ['mark Succeeded'] },
    {
      name: 'both marks: the image is not used',
      pod: pod(main(), virtual(running, 'agent', { ...byRequest, ...byImage })),
      actions: ['create agent #0'],
    },
  ])('$name', ({ pod: seen, actions }) => {
    expect(planned({ pod: seen })).toStrictEqual(only(...actions));
  });

  it('a finished Pod is not marked again, and its request is made only when we finished it', () => {
    const finished = aJobPod([main(), quiet()], { phase: 'Failed' });
    expect(planned({ pod: finished })).toStrictEqual(only());
    const conditions = [{ type: 'SidecarTerminated', status: 'True' }];
    expect(planned({ pod: { ...finished, status: { ...finished.status, conditions } } })).toStrictEqual(only('create quiet #0'));
  });

  it('a sidecar that only has an image is never ended, and that is said', () => {
    const seen = plan({ pod: pod(main(), virtual()), isVirtualNode: false, request: undefined }, at(0));
    expect(seen.actions).toEqual([]);
    expect(seen.warnings).toEqual([
      {
        topic: 'unsupported',
        message: 'sidecars on this node are not stopped without the environment entry KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT: agent',
      },
    ]);
  });
});

describe('on a virtual node', () => {
  it.each<{ name: string; pod: Pod; actions: readonly string[]; warnings?: readonly string[] }>([
    {
      name: 'images are replaced in one write',
      pod: pod(main(), virtual(), virtual(running, 'b')),
      actions: ['images agent=exit:1 b=exit:1'],
    },
    { name: 'those that have ended keep theirs', pod: pod(main(), virtual(ended), virtual(running, 'b')), actions: ['images b=exit:1'] },
    { name: 'nothing is written twice', pod: pod(main(), { ...virtual(), image: 'exit:1' }), actions: [] },
    { name: 'a sidecar without an image is left alone, and that is said', pod: pod(main(), log()), actions: [], warnings: ['unsupported'] },
    {
      name: 'both marks: the image',
      pod: pod(main(), virtual(running, 'agent', { ...byRequest, ...byImage })),
      actions: ['images agent=exit:1'],
    },
    { name: 'ignored exit codes mean nothing here', pod: pod(main(), quiet()), actions: [], warnings: ['unsupported'] },
  ])('$name', ({ pod: seen, actions, warnings = [] }) => {
    expect(planned({ pod: seen, isVirtualNode: true })).toStrictEqual({ actions, warnings, requeueAfter: undefined });
  });

  it('the sidecars that still run are named, those whose image is replaced already among them', () => {
    const seen = pod(main(), virtual(), { ...virtual(running, 'b'), image: 'exit:1' }, virtual(ended, 'c'));
    expect(plan({ pod: seen, isVirtualNode: true, request: undefined }, at(0))).toMatchObject({
      actions: [{ kind: 'ReplaceImages', images: { agent: 'exit:1' }, sidecars: ['agent', 'b'] }],
      warnings: [],
    });
  });

  it('sidecars without an image are named, but for those that have ended', () => {
    const seen = pod(main(), log(), quiet(), log(ended, 'done'));
    expect(plan({ pod: seen, isVirtualNode: true, request: undefined }, at(0)).warnings).toEqual([
      {
        topic: 'unsupported',
        message:
          'sidecars on a virtual node are not stopped without the environment entry KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT_WITH_IMAGE: log, quiet',
      },
    ]);
  });
});

describe('a request that is there', () => {
  const killed = (name: string): ContainerRecreateRequest['status'] => ({
    phase: 'Recreating',
    containerRecreateStates: [{ name, phase: 'Recreating', isKilled: true }],
  });
  const over = (
    message = '',
    states: NonNullable<ContainerRecreateRequest['status']>['containerRecreateStates'] = [],
  ): ContainerRecreateRequest['status'] => ({
    phase: 'Completed',
    completionTime: '2026-01-01T00:01:00Z',
    message,
    containerRecreateStates: states,
  });
  const counted = (seen: Pod, repeats: number): Pod => ({
    ...seen,
    metadata: { ...seen.metadata, annotations: { 'apps.kruise.io/sidecar-termination-repeats': String(repeats) } },
  });
  const restarted = aJobPod([main(), log({ kind: 'running', since: 5 })], { restartPolicy: 'OnFailure' });

  it.each<{ name: string; pod: Pod; request: ContainerRecreateRequest; seconds?: number; then: Outline }>([
    { name: 'is given time', pod: pod(main(), log()), request: aRequest(pod(), ['log']), then: only() },
    {
      name: 'that was obeyed is enough while the status lags',
      pod: pod(main(), log()),
      request: aRequest(pod(), ['log'], { madeAt: 1, status: killed('log') }),
      seconds: 600,
      then: only(),
    },
    {
      name: 'that is being deleted is waited for',
      pod: pod(main(), log()),
      request: aRequest(pod(), ['log'], { deletionTimestamp: '2026-01-01T00:00:00Z', status: over() }),
      then: only(),
    },
    {
      name: 'is repeated 10 s after it was made when the kubelet restarts a stopped sidecar',
      pod: restarted,
      request: aRequest(restarted, ['log'], { madeAt: 1, status: killed('log') }),
      seconds: 6,
      then: { ...only(), requeueAfter: 5000 },
    },
    {
      name: 'is counted, deleted and recreated',
      pod: restarted,
      request: aRequest(restarted, ['log'], { madeAt: 1, status: killed('log') }),
      seconds: 11,
      then: only('count 1', 'delete request-uid', 'create log #1'),
    },
    {
      name: 'waits twice as long before the next time',
      pod: counted(restarted, 1),
      request: aRequest(restarted, ['log'], { madeAt: 1, repeats: 1, status: killed('log') }),
      seconds: 11,
      then: { ...only(), requeueAfter: 10_000 },
    },
    {
      name: 'that was counted but not deleted is deleted immediately',
      pod: counted(restarted, 2),
      request: aRequest(restarted, ['log'], { madeAt: 1, repeats: 1, status: killed('log') }),
      seconds: 6,
      then: only('delete request-uid', 'create log #2'),
    },
    {
      name: 'is given up after five repetitions',
      pod: counted(restarted, 5),
      request: aRequest(restarted, ['log'], { madeAt: 1, repeats: 5, status: killed('log') }),
      seconds: 9999,
      then: { ...only(), warnings: ['gave up'] },
    },
    {
      name: 'that the node did not answer is repeated, with a warning',
      pod: pod(main(), log()),
      request: aRequest(pod(), ['log'], { status: over('daemon has not responded for a long time') }),
      seconds: 60,
      then: { ...only('count 1', 'delete request-uid', 'create log #1'), warnings: ['unanswered'] },
    },
    {
      name: 'about others that have ended gives way at once',
      pod: pod(main(), log(ended), quiet()),
      request: aRequest(pod(), ['log'], { status: killed('log') }),
      then: only('mark Succeeded', 'count 1', 'delete request-uid', 'create quiet #1'),
    },
    {
      name: 'about others that still run does not',
      pod: pod(main(), log(), log(running, 'late')),
      request: aRequest(pod(), ['log']),
      then: only(),
    },
  ])('$name', ({ pod: seen, request, seconds = 0, then }) => {
    expect(planned({ pod: seen, request }, seconds)).toStrictEqual(then);
  });

  it('that vanished is made again with its number', () => {
    expect(planned({ pod: counted(restarted, 3) })).toStrictEqual(only('create log #3'));
    expect(
      planned({
        pod: { ...restarted, metadata: { ...restarted.metadata, annotations: { 'apps.kruise.io/sidecar-termination-repeats': 'x' } } },
      }),
    ).toEqual(only('create log #0'));
  });

  it.each<{ name: string; seen: Pod; request: ContainerRecreateRequest; words: string }>([
    {
      name: 'restarted',
      seen: restarted,
      request: aRequest(restarted, ['log'], { madeAt: 1, repeats: 5, status: killed('log') }),
      words: 'started again after they were stopped: log',
    },
    {
      name: 'not listed',
      seen: pod(main(), log(ended), log(running, 'b'), log(running, 'c')),
      request: aRequest(pod(), ['log'], { repeats: 5 }),
      words: 'not in the request that is there: b, c',
    },
    {
      name: 'still running',
      seen: pod(main(), log()),
      request: aRequest(pod(), ['log'], { repeats: 5, status: over('no answer') }),
      words: 'still running after the request: log',
    },
  ])('says of sidecars that are $name that it gave up, why, and the way out', ({ seen, request, words }) => {
    const next = plan({ pod: counted(seen, 5), isVirtualNode: false, request }, at(9999));
    expect(next).toEqual({
      actions: [],
      warnings: [
        {
          topic: 'gave up',
          message: `gave up after 6 requests, ${words}; set the environment entry KRUISE_TERMINATE_SIDECAR_IGNORE_EXIT_CODE=true to end the Pod without them`,
        },
      ],
    });
  });

  it('waits for the repetition of a request for ignored sidecars after the Pod was marked', () => {
    const seen = counted(pod(main(), quiet()), 1);
    const request = aRequest(seen, ['quiet'], { repeats: 1, status: over() });
    expect(planned({ pod: seen, request }, 5)).toStrictEqual({ ...only('mark Succeeded'), requeueAfter: 15_000 });
    expect(planned({ pod: seen, request }, 20)).toStrictEqual({
      ...only('mark Succeeded', 'count 2', 'delete request-uid', 'create quiet #2'),
      warnings: ['unanswered'],
    });
  });

  it('names no reason that the node did not give', () => {
    const request = aRequest(pod(), ['log'], { status: over() });
    expect(plan({ pod: pod(main(), log()), isVirtualNode: false, request }, at(60)).warnings).toEqual([
      { topic: 'unanswered', message: 'the request to end sidecars had no effect on node node1; the request is repeated' },
    ]);
  });

  it('names the node, the reason and the way out in its warnings', () => {
    const silent = plan(
      { pod: pod(main(), log()), isVirtualNode: false, request: aRequest(pod(), ['log'], { status: over('no answer') }) },
      at(60),
    );
    expect(silent.warnings[0]?.message).toBe(
      'the request to end sidecars had no effect on node node1 (no answer); the request is repeated',
    );
    const request = aRequest(restarted, ['log'], { madeAt: 1, repeats: 5, status: killed('log') });
    expect(plan({ pod: counted(restarted, 5), isVirtualNode: false, request }, at(9999)).warnings[0]?.message).toBe(
      'gave up after 6 requests, started again after they were stopped: log; set the environment entry KRUISE_TERMINATE_SIDECAR_IGNORE_EXIT_CODE=true to end the Pod without them',
    );
  });
});

describe('always', () => {
  const states = fc.constantFrom<State>(running, ended, failed, starting, { kind: 'waiting', ranBefore: true }, { kind: 'unknown' });
  const mostlyEnded = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(ended, failed) }, states);
  const envs = fc.constantFrom<NonNullable<Part['env']>>(byRequest, ignored, byImage, { ...byRequest, ...byImage });
  const sidecars = fc.array(fc.record({ state: fc.oneof(states, mostlyEnded), env: envs }), { maxLength: 4 });
  const mains = fc.array(fc.record({ state: mostlyEnded }), { minLength: 1, maxLength: 2 });
  const parts = fc
    .tuple(mains, sidecars)
    .chain(([some, more]) => fc.shuffledSubarray<Omit<Part, 'name'>>([...some, ...more], { minLength: some.length + more.length }))
    .map((list) => list.map((part, index): Part => ({ name: `c${index}`, ...part })));

  it('only sidecars that run are ended, never a main container; a Pod is marked only after its normal sidecars', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(parts, fc.boolean(), fc.constantFrom('Never', 'Never', 'OnFailure', 'Always'), (given, isVirtualNode, restartPolicy) => {
        const jobPod = aJobPod(given, { restartPolicy });
        const { actions } = plan({ pod: jobPod, isVirtualNode, request: undefined }, at(0));
        if (restartPolicy === 'Always') expect(actions).toEqual([]);
        const stateOf = new Map(given.map(({ name, state }) => [name, state.kind]));
        const isMain = ({ env }: Part): boolean => env === undefined;
        if (actions.length > 0) expect(given.filter(isMain).every(({ state }) => state.kind === 'ended')).toBe(true);
        for (const action of actions) {
          seen.note(action.kind);
          const ending =
            action.kind === 'CreateRequest' ? action.containers : action.kind === 'ReplaceImages' ? Object.keys(action.images) : [];
          for (const name of ending) {
            expect(stateOf.get(name)).not.toBe('ended');
            expect(given.find((part) => part.name === name)?.env).toBeDefined();
          }
          if (action.kind === 'MarkPod') {
            const normal = given.filter(
              ({ env }) => env !== undefined && 'KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT' in env && env !== ignored,
            );
            expect(normal.every(({ state }) => state.kind === 'ended')).toBe(true);
            seen.note('a Pod is marked after normal sidecars', normal.length > 0);
          }
        }
      }),
      { numRuns: 1000 },
    );
    seen.expectAtLeast({ CreateRequest: 15, ReplaceImages: 15, MarkPod: 10, 'a Pod is marked after normal sidecars': 3 });
  });
});

it('the wait after a refused request is the longest for a Pod that says nothing of its end', () => {
  const { status: _status, ...bare } = pod(main(), log());
  expect(retryWait(bare, at(100))).toBe(10_000);
});

describe('the wait after a refused request', () => {
  it.each([
    { ago: 0, wait: 1000 },
    { ago: 3, wait: 1500 },
    { ago: 12, wait: 6000 },
    { ago: 3600, wait: 10_000 },
  ])('is $wait ms when the main containers ended $ago s ago', ({ ago, wait }) => {
    expect(retryWait(pod(main({ kind: 'ended', at: 100 }), log()), at(100 + ago))).toBe(wait);
  });
});
