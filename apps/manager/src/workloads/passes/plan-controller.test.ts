/** A kind that keeps one ConfigMap for each object, run by the shared controller. */
import { describe, expect, it } from '@jest/globals';
import { ApiError, isFailure, watchInformer, type EventRecorder, type Outcome } from '@kruise/kube';
import { apiFailures, isWrite, silentLogger, type FakeApi, type FakeCall, type FakeClock } from '@kruise/kube/testing';
import { configMaps, keyOf, milliseconds, type KubeObject, type ResourceType, type PlannedAction } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { type ControllerProcess, newClock } from '../../module/controller-process.testing.ts';
import { InMemoryCluster } from '../../module/in-memory-cluster.testing.ts';
import type { ControllerModule } from '../../module/kind-module.ts';
import { planController } from './plan-controller.ts';
import type { ObjectPlan, PlanDefinition } from './plan-definition.ts';

interface Notice extends KubeObject {
  readonly spec: { readonly message?: string };
  readonly status?: { readonly phase?: string; readonly opened?: string };
}

const notices: ResourceType<Notice> = { group: 'example.com', version: 'v1', kind: 'Notice', plural: 'notices', namespaced: true };

interface Action extends PlannedAction {
  readonly kind: 'Publish' | 'Tidy';
}

interface Types {
  readonly object: Notice;
  readonly known: { readonly isHeld: (notice: Notice) => boolean };
  readonly snapshot: { readonly notice: Notice; readonly isHeld: boolean };
  readonly action: Action;
  readonly plan: ObjectPlan<Notice> & { readonly publish: readonly Action[] };
  readonly note: string;
}

const key = { namespace: 'default', name: 'door' };

interface Given {
  readonly message?: string;
  readonly isRefused?: (call: FakeCall) => boolean;
  /** Runs before each call of the manager. */
  readonly before?: (call: FakeCall, api: FakeApi) => void | Promise<void>;
  readonly kind?: Partial<Omit<PlanDefinition<Types>, 'rules'>> & { readonly rules?: Partial<PlanDefinition<Types>['rules']> };
}

const aKind = (kind: Given['kind'] = {}): PlanDefinition<Types> => ({
  name: 'notice-controller',
  workers: 1,
  type: notices,
  sources: ({ caches }) => {
    const held = caches.of(configMaps);
    return {
      objects: caches.of(notices),
      known: { isHeld: (notice) => held.store.get(keyOf(notice)) !== undefined },
      watches: [watchInformer(held, ({ object }) => [keyOf(object)])],
    };
  },
  malformed: {
    announce: ({ recorder, object }, why) => recorder.event(object, 'Warning', 'Invalid', why),
    status: () => ({ phase: 'Invalid' }),
  },
  status: 'Replace',
  stages: ({ publish }) => ({
    before: [{ name: 'publish', actions: publish, onFailure: 'Stop' }],
    after: [{ name: 'tidy', actions: [{ kind: 'Tidy', because: 'the status is written' }], onFailure: 'Log' }],
  }),
  execute: async ({ kind: action }, { client, object, recorder, note }, signal) => {
    note(action);
    if (action === 'Publish') await client.create(configMaps, { metadata: { ...keyOf(object) } }, { signal });
    else recorder.event(object, 'Normal', 'Tidied', '');
  },
  announce: ({ recorder, object }, { isShown, notes }) => recorder.event(object, 'Normal', 'Ended', `${String(isShown)} ${notes.join()}`),
  ...kind,
  rules: {
    examine: ({ spec }) => (spec.message === undefined ? 'spec.message: Required value' : undefined),
    observe: ({ isHeld }, notice) => ({ notice, isHeld: isHeld(notice) }),
    plan: ({ isHeld }) => ({
      status: { phase: 'Published' },
      publish: isHeld ? [] : [{ kind: 'Publish', because: 'there is no ConfigMap' }],
    }),
    ...kind.rules,
  },
});

interface Run {
  readonly api: FakeApi;
  readonly clock: FakeClock;
  readonly manager: ControllerProcess;
  readonly phase: () => string | undefined;
  readonly reportOf: () => readonly string[];
  /** Of all passes so far. */
  readonly outcomes: readonly Outcome[];
  /** What is refused until then is let through. */
  readonly lift: () => void;
  /** Refused writes. */
  readonly refused: () => number;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The controller, and the outcomes of its passes. */
function observed(controller: ControllerModule): readonly [ControllerModule, readonly Outcome[]] {
  const outcomes: Outcome[] = [];
  const define: ControllerModule['define'] = (dependencies) => {
    const work = controller.define(dependencies);
    const reconcile: typeof work.reconcile = async (name, signal) => {
      const outcome = await work.reconcile(name, signal);
      outcomes.push(outcome);
      return outcome;
    };
    return { ...work, reconcile };
  };
  return [{ ...controller, define }, outcomes];
}

async function run({ message, isRefused = () => false, before: interfere, kind }: Given): Promise<Run> {
  const [controller, outcomes] = observed(planController(aKind(kind)));
  const cluster = new InMemoryCluster(controller);
  const { api, clock } = cluster;
  api.seed(notices, { metadata: key, spec: message === undefined ? {} : { message } });
  let [isLifted, refused] = [false, 0];
  const before = async (call: FakeCall): Promise<void> => {
    await interfere?.(call, api);
    if (isLifted || !isRefused(call)) return;
    refused += 1;
    throw apiFailures.badRequest('refused by a policy');
  };
  const manager = cluster.begin({ before });
  await manager.settle();
  return {
    api,
    clock,
    manager,
    phase: () => api.peek(notices, key)?.status?.phase,
    reportOf: () => manager.events.map(({ reason, message: text }) => `${reason} ${text}`.trim()),
    outcomes,
    lift: () => (isLifted = true),
    refused: () => refused,
    [Symbol.asyncDispose]: () => manager.stop(),
  };
}

const isStatus = ({ subresource }: FakeCall): boolean => subresource === 'status';
const isCreation = (call: FakeCall): boolean => isWrite(call) && call.type?.plural === 'configmaps';

describe('the controller of a kind that owns no Pods', () => {
  it('runs the stages, writes the status, runs what comes after it, and announces the pass', async () => {
    await using one = await run({ message: 'wet paint' });
    expect(one.phase()).toBe('Published');
    expect(one.reportOf().slice(0, 2)).toEqual(['Tidied', 'Ended true Publish,Tidy']);
  });

  it('says of an object that it cannot work with why, and does nothing until the object changes', async () => {
    await using one = await run({});
    await one.clock.step(3_600_000);
    expect([one.phase(), one.reportOf(), one.api.peek(configMaps, key)]).toEqual([
      'Invalid',
      ['Invalid spec.message: Required value'],
      undefined,
    ]);
    await one.api.patch(notices, key, { spec: { message: 'mended' } }, { type: 'merge' });
    await one.manager.settle();
    expect(one.phase()).toBe('Published');
  });

  it('writes no status where a stage stopped the pass', async () => {
    await using one = await run({ message: 'wet paint', isRefused: isCreation });
    expect([one.phase(), one.reportOf()[0]]).toEqual([undefined, 'Ended false Publish']);
  });

  it.each<{ name: string; isRefused: (call: FakeCall) => boolean }>([
    { name: 'an action', isRefused: isCreation },
    { name: 'the status', isRefused: isStatus },
  ])('makes $name again within a minute, however long it was refused, and seldom meanwhile', async ({ isRefused }) => {
    await using one = await run({ message: 'wet paint', isRefused });
    await one.clock.step(3_600_000);
    expect(one.refused()).toBeLessThan(75);
    one.lift();
    await one.clock.step(60_000);
    expect(one.phase()).toBe('Published');
  });

  it('repeats a pass immediately while a stage leaves actions that only its burst keeps back', async () => {
    let left = 3;
    const publish = (): readonly Action[] => Array.from({ length: left }, () => ({ kind: 'Publish', because: 'x' }));
    const stages: PlanDefinition<Types>['stages'] = (plan) => ({
      before: [{ name: 'publish', actions: plan.publish, onFailure: 'Collect', burst: 1 }],
    });
    const execute = async (): Promise<void> => void (left -= 1);
    await using one = await run({ message: 'wet paint', kind: { stages, execute, rules: { plan: () => ({ publish: publish() }) } } });
    await one.manager.settle();
    expect(left).toBe(0);
  });

  it('repeats such a pass immediately even if another action waits after a refusal', async () => {
    const names = ['refused', 'b', 'c', 'd'];
    const done = new Set<string>();
    const plan = () => ({
      publish: names.filter((name) => !done.has(name)).map((name) => ({ kind: 'Publish' as const, because: name })),
    });
    const stages: PlanDefinition<Types>['stages'] = ({ publish }) => ({
      before: [{ name: 'publish', actions: publish, onFailure: 'Collect', burst: 1 }],
    });
    const execute: PlanDefinition<Types>['execute'] = async ({ because }) => {
      if (because === 'refused') throw apiFailures.badRequest('refused by a policy');
      done.add(because);
    };
    const objectOf: PlanDefinition<Types>['objectOf'] = ({ because }) => because;
    await using one = await run({ message: 'wet paint', kind: { stages, execute, objectOf, rules: { plan } } });
    await one.clock.step(800);
    expect([...done]).toEqual(['b', 'c', 'd']);
  });

  it('repeats a pass that could not observe within a minute, however long that failed', async () => {
    let [isAway, looks] = [true, 0];
    const observe: PlanDefinition<Types>['rules']['observe'] = ({ isHeld }, notice) => {
      looks += 1;
      if (isAway) throw new Error('no answer');
      return { notice, isHeld: isHeld(notice) };
    };
    await using one = await run({ message: 'wet paint', kind: { rules: { observe } } });
    await one.clock.step(3_600_000);
    expect(looks).toBeLessThan(90);
    isAway = false;
    await one.clock.step(60_000);
    expect(one.phase()).toBe('Published');
  });

  it('leaves a mistake of the program to the runner, which counts it, and returns any other error with the time of the next pass', async () => {
    const store = { get: () => ({ metadata: key, spec: { message: 'x' } }) };
    const [clock, logger, recorderFor] = [newClock(), silentLogger(), () => ({ event: () => undefined })];
    const dependencies = { clock, logger, recorderFor, caches: { of: () => ({ store }) } } as unknown as ControllerDependencies;
    const failWith = (error: Error) => {
      const observe = () => Promise.reject(error);
      return planController(aKind({ rules: { observe } }))
        .define(dependencies)
        .reconcile(key, new AbortController().signal);
    };
    await expect(failWith(new TypeError('x is undefined'))).rejects.toThrow('x is undefined');
    const error = new Error('no answer');
    expect(await failWith(error)).toEqual({ kind: 'Retry', error, within: 60_000 });
  });

  it('takes a write to an object that no longer exists for done', async () => {
    const before = { isDeleted: false };
    const execute: PlanDefinition<Types>['execute'] = async (_action, { client, object }, signal) => {
      before.isDeleted = true;
      await client.delete(notices, keyOf(object), { signal });
      await client.patch(notices, keyOf(object), {}, { type: 'merge', signal });
    };
    await using one = await run({ message: 'wet paint', kind: { execute } });
    const writes = (): number => one.api.calls.filter(isWrite).length;
    const first = writes();
    await one.clock.step(3_600_000);
    expect([before.isDeleted, writes()]).toEqual([true, first]);
  });

  it('does nothing where the opening status is refused', async () => {
    const plan = () => ({ opening: { opened: 'now' }, publish: [{ kind: 'Publish', because: 'x' } as const] });
    await using one = await run({ message: 'wet paint', isRefused: isStatus, kind: { rules: { plan } } });
    expect([one.api.peek(configMaps, key), one.refused()]).toEqual([undefined, 1]);
    one.lift();
    await one.clock.step(1_000);
    expect([one.api.peek(configMaps, key) === undefined, one.api.peek(notices, key)?.status?.opened]).toEqual([false, 'now']);
  });

  it('leaves what comes after the status to the next pass where the pass is over', async () => {
    const conclude: PlanDefinition<Types>['rules']['conclude'] = ({ snapshot, plan }) =>
      snapshot.isHeld ? { status: plan.status ?? {} } : { isOver: true, requeueAfter: milliseconds(0) };
    await using one = await run({ message: 'wet paint', kind: { rules: { conclude } } });
    expect(one.reportOf().slice(0, 3)).toEqual(['Ended true Publish', 'Tidied', 'Ended true Tidy']);
  });

  it('leaves alone what the kind leaves, and does what is left for a key without an object', async () => {
    const absent: string[] = [];
    const whenAbsent = async ({ key: { name } }: { readonly key: { readonly name: string }; readonly recorder: EventRecorder }) =>
      absent.push(name);
    await using one = await run({ message: 'wet paint', kind: { whenAbsent, leaves: ({ spec }) => spec.message === 'wet paint' } });
    expect([one.phase(), one.api.peek(configMaps, key)]).toEqual([undefined, undefined]);
    await one.api.delete(notices, key);
    await one.manager.settle();
    expect(absent).toEqual(['door']);
  });

  it('has the memories of the kind forget an object that is deleted', async () => {
    const forgotten: string[] = [];
    const sources = aKind().sources;
    const withMemory: PlanDefinition<Types>['sources'] = (dependencies) => ({
      ...sources(dependencies),
      memories: [{ forget: (uid) => void forgotten.push(uid) }],
    });
    await using one = await run({ message: 'wet paint', kind: { sources: withMemory } });
    const uid = one.api.peek(notices, key)?.metadata.uid;
    await one.api.delete(notices, key);
    await one.manager.settle();
    expect(forgotten).toEqual([uid]);
  });
});

describe('an opening status that some stages do not need', () => {
  const plan: PlanDefinition<Types>['rules']['plan'] = ({ notice, isHeld }) => ({
    ...(notice.status?.opened === undefined ? { opening: { opened: 'now' } } : {}),
    publish: isHeld ? [] : [{ kind: 'Publish', because: 'there is no ConfigMap' }],
  });
  const tidy = [{ kind: 'Tidy', because: 'x' }] as const;
  const stages: PlanDefinition<Types>['stages'] = ({ publish }) => ({
    before: [
      { name: 'publish', actions: publish, onFailure: 'Collect' },
      { name: 'tidy', actions: tidy, onFailure: 'Collect' },
    ],
  });
  const runsUnopened = (stage: string, error: Error): boolean => stage === 'publish' && !isFailure(error, 'Conflict');
  const refusal = 'refused by a policy';
  const begin = (kind: Given['kind'], given: Omit<Given, 'kind'> = { isRefused: isStatus }): Promise<Run> =>
    run({ message: 'wet paint', ...given, kind: { stages, runsUnopened, ...kind, rules: { plan, ...kind?.rules } } });
  const isPublished = ({ api }: Run): boolean => api.peek(configMaps, key) !== undefined;

  it('delays only the others while it is refused, and is written when the refusal has ended', async () => {
    await using one = await begin({});
    expect([isPublished(one), one.reportOf()[0]]).toEqual([true, 'Ended true Publish']);
    expect(one.outcomes[0]).toMatchObject({ kind: 'Retry', error: { message: refusal }, within: 1000 });
    one.lift();
    await one.clock.step(1000);
    expect([one.api.peek(notices, key)?.status?.opened, one.reportOf().includes('Tidied')]).toEqual(['now', true]);
  });

  it('is no failure of a pass in which its write still waits', async () => {
    await using one = await begin({});
    await one.api.patch(notices, key, { metadata: { annotations: { a: 'b' } } }, { type: 'merge' });
    await one.manager.settle();
    expect([one.refused(), one.outcomes.at(-1)?.kind, one.reportOf().includes('Tidied')]).toEqual([1, 'Requeue', false]);
  });

  it('is written again as soon as the rest of the pass is repeated', async () => {
    const conclude = () => ({ requeueAfter: milliseconds(300) });
    await using one = await begin({ rules: { conclude } });
    expect(one.outcomes[0]).toMatchObject({ kind: 'Retry', error: { message: refusal }, within: 300 });
  });

  it('is repeated immediately with a stage that its burst has cut', async () => {
    const publish = [1, 2].map((number) => ({ kind: 'Publish' as const, because: String(number) }));
    await using one = await begin({
      stages: () => ({ before: [{ name: 'publish', actions: publish, onFailure: 'Collect', burst: 1 }] }),
      execute: () => Promise.resolve(),
    });
    expect(one.outcomes[0]).toMatchObject({ kind: 'Retry', error: { message: refusal }, within: 0 });
  });

  it('is not the error of a pass in which another write failed', async () => {
    const execute = (): Promise<never> => Promise.reject(new Error('the action failed'));
    await using one = await begin({ execute });
    expect(one.outcomes[0]).toMatchObject({ kind: 'Retry', error: { message: 'the action failed' } });
  });

  it('delays the stages that need it after such an error, and the pass is repeated soon after a conflict', async () => {
    let conflicts = 0;
    const before: Given['before'] = (call) => {
      if (isStatus(call) && conflicts++ === 0) throw new ApiError('changed', { kind: 'Conflict' });
    };
    await using one = await begin({}, { before });
    expect([one.reportOf()[0], one.outcomes[0]]).toEqual(['Ended true', { kind: 'Requeue', after: 20 }]);
    expect([isPublished(one), one.api.peek(notices, key)?.status?.opened]).toEqual([true, 'now']);
  });

  it('is announced before any action, with the reason if it could not be written', async () => {
    const announceOpening: PlanDefinition<Types>['announceOpening'] = ({ recorder, object }, error) =>
      recorder.event(object, 'Normal', 'Opened', `${object.status?.opened ?? 'never'} ${error?.message ?? ''}`);
    await using one = await begin({ announceOpening }, {});
    expect(one.reportOf().slice(0, 3)).toEqual(['Opened now', 'Tidied', 'Ended true Publish,Tidy']);
    await using other = await begin({ announceOpening });
    expect(other.reportOf().slice(0, 2)).toEqual([`Opened never ${refusal}`, 'Ended true Publish']);
  });
});

describe('a status that other processes also write', () => {
  const rivalWrites = (api: FakeApi): void => {
    const held = api.peek(notices, key);
    if (held !== undefined) api.seed(notices, { ...held, status: { ...held.status, opened: 'by a rival' } });
  };
  const conclude: PlanDefinition<Types>['rules']['conclude'] = ({ object }) => ({ status: { ...object.status, phase: 'Published' } });
  const both = { opened: 'by a rival', phase: 'Published' };
  const decideAgain = { onConflict: 'DecideAgain' } as const;
  const requeueAfter = { onConflict: { requeueAfter: milliseconds(200) } } as const;
  const statusOf = ({ api }: Run) => api.peek(notices, key)?.status;
  const statusWrites = ({ api }: Run): number => api.calls.filter((call) => isWrite(call) && isStatus(call)).length;

  it('is decided on the newest copy, which contains what was written during the pass', async () => {
    const before: Given['before'] = (call, api) => {
      if (isCreation(call)) rivalWrites(api);
    };
    await using one = await run({ message: 'wet paint', before, kind: { status: decideAgain, rules: { conclude } } });
    expect([statusOf(one), statusWrites(one)]).toEqual([both, 1]);
  });

  const conflictOnce = (): NonNullable<Given['before']> => {
    let isFirst = true;
    return (call, api) => {
      if (!isStatus(call) || !isFirst) return;
      isFirst = false;
      rivalWrites(api);
    };
  };

  it('is decided again in the same pass after a conflict', async () => {
    await using one = await run({ message: 'wet paint', before: conflictOnce(), kind: { status: decideAgain, rules: { conclude } } });
    await one.clock.step(50);
    expect([statusOf(one), one.reportOf().slice(0, 2)]).toEqual([both, ['Tidied', 'Ended true Publish,Tidy']]);
  });

  it('ends the pass at a conflict if the kind declares that, and is decided by the next pass', async () => {
    let conflicts = 0;
    const before: Given['before'] = (call) => {
      if (isStatus(call) && conflicts++ === 0) throw new ApiError('changed', { kind: 'Conflict' });
    };
    const kind = { status: requeueAfter, rules: { plan: () => ({ publish: [] }), conclude } };
    await using one = await run({ message: 'wet paint', before, kind });
    await one.clock.step(99);
    expect([one.phase(), one.reportOf()]).toEqual([undefined, ['Ended false']]);
    await one.clock.step(1);
    expect(one.phase()).toBe('Published');
  });

  it('that was refused is decided in each pass, but written only after a wait', async () => {
    let decided = 0;
    const counting: typeof conclude = (...args) => {
      decided += 1;
      return { ...conclude(...args), requeueAfter: milliseconds(100) };
    };
    const kind = { status: decideAgain, rules: { conclude: counting } };
    await using one = await run({ message: 'wet paint', isRefused: isStatus, kind });
    await one.clock.step(850);
    expect([one.refused(), decided > 5, one.reportOf()[0]]).toEqual([1, true, 'Ended false Publish']);
    one.lift();
    await one.clock.step(100);
    expect(one.phase()).toBe('Published');
  });

  it('of an object that was deleted during the pass is not written', async () => {
    const before: Given['before'] = async (call, api) => {
      if (isCreation(call)) await api.delete(notices, key);
    };
    await using one = await run({ message: 'wet paint', before, kind: { status: decideAgain, rules: { conclude } } });
    expect([statusWrites(one), one.reportOf()]).toEqual([0, ['Ended true Publish']]);
  });

  it('does not hide a mistake of the program', async () => {
    const mistaken: typeof conclude = () => {
      throw new TypeError('x is undefined');
    };
    const held = { metadata: key, spec: { message: 'x' } };
    const [clock, logger, recorderFor] = [newClock(), silentLogger(), () => ({ event: () => undefined })];
    const caches = { of: () => ({ store: { get: () => held } }) };
    const dependencies = { clock, logger, recorderFor, caches } as unknown as ControllerDependencies;
    const rules = { plan: () => ({ publish: [] }), conclude: mistaken };
    const { reconcile } = planController(aKind({ status: decideAgain, rules })).define(dependencies);
    await expect(reconcile(key, new AbortController().signal)).rejects.toThrow('x is undefined');
  });

  it('replaces the status that is written before the stages, and that of an object that the rules cannot work with', async () => {
    const plan = ({ notice }: Types['snapshot']) => ({ opening: { opened: 'now', ...notice.status }, publish: [] });
    await using one = await run({ message: 'wet paint', kind: { status: decideAgain, rules: { plan, conclude } } });
    expect([statusOf(one), statusWrites(one)]).toEqual([{ opened: 'now', phase: 'Published' }, 2]);
    await using other = await run({ kind: { status: decideAgain } });
    expect(other.phase()).toBe('Invalid');
  });
});

describe('a conclusion', () => {
  const conclude: PlanDefinition<Types>['rules']['conclude'] = () => ({
    status: { phase: 'Published' },
    notes: ['concluded'],
    after: [{ name: 'more', actions: [{ kind: 'Publish', because: 'the conclusion requests it' }], onFailure: 'Log' }],
  });
  const stages: PlanDefinition<Types>['stages'] = () => ({
    after: [{ name: 'tidy', actions: [{ kind: 'Tidy', because: 'the status is written' }], onFailure: 'Log' }],
  });

  it('adds notes for the events, and replaces the stages that follow the status', async () => {
    await using one = await run({ message: 'wet paint', kind: { stages, rules: { conclude } } });
    expect([one.reportOf()[0], one.api.peek(configMaps, key) === undefined]).toEqual(['Ended true Publish,concluded', false]);
  });

  it('has no effect if its status is refused', async () => {
    await using one = await run({ message: 'wet paint', isRefused: isStatus, kind: { stages, rules: { conclude } } });
    expect([one.reportOf()[0], one.api.peek(configMaps, key)]).toEqual(['Ended false', undefined]);
  });
});
