/** A guard that is asked before each update: what it refuses does not begin, is said while it is so, and not a pass longer. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { cloneSets } from '@kruise/api';
import { runPlan } from '@kruise/kube';
import { silentLogger } from '@kruise/kube/testing';
import { instant, pods, type Pod, type Stage } from '@kruise/objects';
import { causeOfRefusal, type UpdateGuard } from '@kruise/workloads';
import type { Action } from '@kruise/kinds/cloneset';
import { guardOfUpdates } from '../../../workloads/admit-updates.ts';
import { CloneSetPasses, type PassOptions } from '../passes.testing.ts';
import { kubeletStep } from '../../../module/fixtures/kubelet-step.testing.ts';

let opened: AsyncDisposableStack | undefined;
afterEach(() => opened?.disposeAsync());

const podsOf = (passes: CloneSetPasses): readonly Pod[] => passes.api.peekAll(pods, 'default');
const updatedIn = (passes: CloneSetPasses): readonly Pod[] => podsOf(passes).filter(({ spec }) => spec.containers[0]?.image === 'app:2');
const kubelets = (passes: CloneSetPasses): void => {
  for (const pod of podsOf(passes)) passes.api.seed(pods, kubeletStep(pod, instant(Date.now())));
};
const blocked = (passes: CloneSetPasses): readonly string[] => passes.conditions.filter((text) => text.startsWith('Blocked'));

/** A guard that lets as many Pods go as `left` says; a Pod that it has let go costs nothing more. */
class Budget implements UpdateGuard {
  left: number;
  readonly asked: string[] = [];
  readonly #granted = new Set<string>();
  failure: Error | undefined;

  constructor(left: number) {
    this.left = left;
  }

  async mayUpdate({ metadata: { name } }: Pod): ReturnType<UpdateGuard['mayUpdate']> {
    this.asked.push(name);
    if (this.failure !== undefined) throw this.failure;
    if (this.#granted.has(name)) return { kind: 'Allowed' };
    if (this.left <= 0) return { kind: 'Refused', why: 'pub unavailable allowed is negative' };
    this.left--;
    this.#granted.add(name);
    return { kind: 'Allowed' };
  }
}

/** Four available Pods whose template has just got another image. */
async function rollingOut(podUpdatePolicy: 'InPlaceIfPossible' | 'ReCreate', options: PassOptions): Promise<CloneSetPasses> {
  opened = new AsyncDisposableStack();
  const passes = opened.use(new CloneSetPasses({ replicas: 4, rollingUpdate: { podUpdatePolicy, maxUnavailable: 3 } }, options));
  for (let i = 0; i < 4; i++) {
    await passes.pass();
    kubelets(passes);
  }
  const { cloneSet } = passes;
  passes.api.seed(cloneSets, {
    ...cloneSet,
    metadata: { ...cloneSet.metadata, generation: 2 },
    spec: { ...cloneSet.spec, template: { ...cloneSet.spec.template, spec: { containers: [{ name: 'main', image: 'app:2' }] } } },
  });
  await passes.pass(); // the revision
  return passes;
}

const gates = { PodUnavailableBudgetUpdateGate: true };
const refusal = /^Blocked BudgetRefuses: Pod sample-\w{5} may not be updated now: pub unavailable allowed is negative$/;

describe('which actions are requested', () => {
  const { signal } = new AbortController();
  const pod = (name: string): Pod => ({ metadata: { name }, spec: { containers: [] } });
  const step = (name: string, to: 'PreparingUpdate' | 'Normal'): Action => ({
    kind: 'SetLifecycle',
    pod: pod(name),
    transition: { to, because: '' },
    because: '',
  });
  const inPlace = (name: string): Action => ({ kind: 'UpdatePodInPlace', pod: pod(name), spec: { revision: 'r' }, because: '' });
  const recreate = (name: string): Action => ({ kind: 'RecreatePod', pod: pod(name), revision: 'r', because: '' });
  const label = (name: string): Action => ({ kind: 'LabelPod', pod: pod(name), labels: {}, because: '' });

  it.each<{ name: string; left: number; given: readonly Action[]; asked: readonly string[]; then: readonly number[]; refused?: string }>([
    { name: 'none where there is nothing to do', left: 0, given: [], asked: [], then: [] },
    { name: 'none of what is under way', left: 0, given: [label('a'), step('b', 'Normal')], asked: [], then: [0, 1] },
    {
      name: 'each that begins an update, whichever way, in order',
      left: 3,
      given: [step('a', 'PreparingUpdate'), label('x'), inPlace('b'), recreate('c')],
      asked: ['a', 'b', 'c'],
      then: [0, 1, 2, 3],
    },
    {
      name: 'those after one that is refused as well, as they may be of another budget, and what is refused does not begin',
      left: 1,
      given: [inPlace('a'), inPlace('b'), label('x'), recreate('c')],
      asked: ['a', 'b', 'c'],
      then: [0, 2],
      refused: 'b',
    },
    {
      name: 'a step to PreparingUpdate that is refused is not taken',
      left: 0,
      given: [step('a', 'PreparingUpdate'), step('b', 'Normal')],
      asked: ['a'],
      then: [1],
      refused: 'a',
    },
  ])('$name', async ({ left, given, asked, then, refused }) => {
    const budget = new Budget(left);
    const begun: Action[] = [];
    const execute = (action: Action): Promise<number> => Promise.resolve(begun.push(action));
    const stage: Stage<Action> = { name: 'update', actions: given, onFailure: 'EndStage', guard: guardOfUpdates(budget) };
    const { stages } = await runPlan([stage], { execute, logger: silentLogger(), about: {} }, signal);
    expect(begun).toEqual(then.map((index) => given[index]));
    expect(budget.asked).toEqual(asked);
    const answer = stages.get('update')?.refused;
    expect(answer && causeOfRefusal(answer)).toEqual(
      refused === undefined
        ? undefined
        : { reason: 'BudgetRefuses', message: `Pod ${refused} may not be updated now: pub unavailable allowed is negative` },
    );
  });
});

describe('guarded updates', () => {
  it('begin as far as the guard lets them, the pass is no failure, and the guard is asked again within a second', async () => {
    const updateGuard = new Budget(1);
    const passes = await rollingOut('InPlaceIfPossible', { gates, updateGuard });
    expect(await passes.pass()).toEqual({ kind: 'Requeue', after: 1000 });
    expect(updatedIn(passes)).toHaveLength(1);
    expect(updateGuard.asked).toHaveLength(3);
    expect(passes.conditions).toEqual([]);
  });

  it('say so once the guard has refused for two seconds, in the words of the first refusal, also while other Pods are deleted', async () => {
    const passes = await rollingOut('InPlaceIfPossible', { gates, updateGuard: new Budget(0) });
    await passes.pass();
    await passes.clock.step(900);
    await passes.pass();
    expect(blocked(passes)).toEqual([]);
    await passes.pass();
    const [reported] = blocked(passes);
    expect(reported).toMatch(refusal);
    const last = podsOf(passes).at(-1) as Pod;
    const marked = { ...last.metadata.labels, 'apps.kruise.io/specified-delete': 'true' };
    passes.api.seed(pods, { ...last, metadata: { ...last.metadata, labels: marked } });
    for (let i = 0; i < 4; i++) {
      await passes.pass();
      expect(blocked(passes)).toEqual([reported]);
    }
  });

  it('go on as soon as it lets them, and nothing is said of it any more two seconds later', async () => {
    const updateGuard = new Budget(0);
    const passes = await rollingOut('InPlaceIfPossible', { gates, updateGuard });
    await passes.pass();
    expect(updatedIn(passes)).toHaveLength(0);
    await passes.clock.step(2000);
    await passes.pass();
    expect(blocked(passes)).toEqual([expect.stringMatching(refusal)]);
    const { resourceVersion } = passes.cloneSet.metadata;
    await passes.pass();
    expect(passes.cloneSet.metadata.resourceVersion).toBe(resourceVersion);

    updateGuard.left = 4;
    await passes.pass();
    expect(updatedIn(passes)).toHaveLength(3);
    await passes.pass();
    await passes.pass();
    expect(blocked(passes)).toEqual([]);
  });

  it('are not marked for recreation either', async () => {
    const passes = await rollingOut('ReCreate', { gates, updateGuard: new Budget(1) });
    await passes.pass();
    const marked = podsOf(passes).filter(({ metadata }) => metadata.labels?.['apps.kruise.io/specified-delete'] !== undefined);
    expect(marked).toHaveLength(1);
  });

  it('that are under way are finished although the guard refuses others', async () => {
    const updateGuard = new Budget(1);
    const passes = await rollingOut('InPlaceIfPossible', { gates, updateGuard });
    await passes.pass();
    kubelets(passes);
    await passes.pass();
    expect(updatedIn(passes).map(({ metadata }) => metadata.labels?.['lifecycle.apps.kruise.io/state'])).toEqual(['Normal']);
  });

  it('that are under way are finished although the guard has no answer for others', async () => {
    const updateGuard = new Budget(1);
    const passes = await rollingOut('InPlaceIfPossible', { gates, updateGuard });
    await passes.pass();
    kubelets(passes);
    updateGuard.failure = new Error('the budget cannot be read');
    await passes.pass();
    expect(updatedIn(passes).map(({ metadata }) => metadata.labels?.['lifecycle.apps.kruise.io/state'])).toEqual(['Normal']);
  });

  it('wait when the guard has no answer, which is reported as a failure of the update', async () => {
    const updateGuard = new Budget(4);
    const passes = await rollingOut('InPlaceIfPossible', { gates, updateGuard });
    updateGuard.failure = new Error('the budget cannot be read');
    expect((await passes.pass()).kind).toBe('Retry');
    expect(updatedIn(passes)).toHaveLength(0);
    expect(passes.conditions[0]).toBe('FailedUpdate : the budget cannot be read');
    updateGuard.failure = undefined;
    await passes.pass();
    expect(updatedIn(passes)).toHaveLength(3);
    expect(passes.conditions).toEqual([]);
  });

  it('are not requested while the feature gate is off', async () => {
    const updateGuard = new Budget(0);
    const passes = await rollingOut('InPlaceIfPossible', { updateGuard });
    await passes.pass();
    expect(updateGuard.asked).toEqual([]);
    expect(updatedIn(passes)).toHaveLength(3);
  });
});
