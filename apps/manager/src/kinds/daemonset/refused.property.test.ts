/**
 * Runs in which the API server may refuse any write about Pods (to one node, or to all; permanently, for five seconds, or once), processes die between two
 * writes, templates change, users delete Pods and hooks answer or do not. What the DaemonSet may never do is counted from the Pods, by rules that share no
 * code with the planner.
 */
import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import { deathTimes, type Death, type FakeCall, type FakeWrite } from '@kruise/kube/testing';
import { pods, type Pod } from '@kruise/objects';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import type { SetShape } from './testing.ts';
import { World } from './world.testing.ts';

/** More with FC_RUNS=100000; each run is about five minutes of the fixture's time. */
const numRuns = casesOf(60);
const names = ['n1', 'n2', 'n3', 'n4'];
const hookLabel = 'example.com/guarded';

interface Refusal {
  readonly kind: 'Refuse';
  readonly verb: 'create' | 'patch' | 'delete';
  readonly subresource: '' | 'status';
  /** Counts round the nodes; absent: all nodes. */
  readonly node: number | undefined;
  readonly lasts: 'Permanently' | 'FiveSeconds' | 'Once';
  readonly by: 'Policy' | 'Webhook' | 'BusyServer';
}
type Disturbance =
  | Refusal
  | { readonly kind: 'Image'; readonly image: number }
  | { readonly kind: 'Delete'; readonly node: number }
  | { readonly kind: 'Kill' };
interface Run {
  readonly way: 'Standard' | 'InPlaceIfPossible' | 'Surge';
  readonly limit: number;
  readonly minReadySeconds: number;
  readonly hook: 'None' | 'Answers' | 'Silent';
  readonly deaths: readonly Death[];
  readonly steps: readonly { readonly disturbance: Disturbance; readonly ticks: number }[];
}

const node = fc.nat({ max: names.length - 1 });
const refusal: fc.Arbitrary<Refusal> = fc.record({
  kind: fc.constant('Refuse' as const),
  verb: fc.constantFrom('create' as const, 'patch' as const, 'patch' as const, 'delete' as const),
  subresource: fc.constantFrom('' as const, '' as const, 'status' as const),
  node: fc.option(node, { nil: undefined, freq: 2 }),
  lasts: fc.constantFrom('Permanently' as const, 'FiveSeconds' as const, 'Once' as const),
  by: fc.constantFrom('Policy' as const, 'Policy' as const, 'Webhook' as const, 'BusyServer' as const),
});
const image: fc.Arbitrary<Disturbance> = fc.record({ kind: fc.constant('Image' as const), image: fc.integer({ min: 1, max: 3 }) });
const disturbance: fc.Arbitrary<Disturbance> = fc.oneof(
  { weight: 4, arbitrary: refusal },
  { weight: 4, arbitrary: image },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('Delete' as const), node }) },
  { weight: 1, arbitrary: fc.constant<Disturbance>({ kind: 'Kill' }) },
);
/** It happens, and so much time goes by. */
const after = (happens: fc.Arbitrary<Disturbance>): fc.Arbitrary<Run['steps'][number]> =>
  fc.record({ disturbance: happens, ticks: fc.nat({ max: 6 }) });

const runs: fc.Arbitrary<Run> = fc.record({
  way: fc.constantFrom('Standard' as const, 'InPlaceIfPossible' as const, 'InPlaceIfPossible' as const, 'Surge' as const),
  limit: fc.integer({ min: 1, max: 2 }),
  minReadySeconds: fc.constantFrom(0, 0, 3),
  hook: fc.constantFrom('None' as const, 'Answers' as const, 'Silent' as const),
  deaths: fc.array(fc.record({ at: fc.integer({ min: 5, max: 40 }), when: fc.constantFrom(...deathTimes) }), { maxLength: 2 }),
  steps: fc
    .tuple(after(refusal), after(image), fc.array(after(disturbance), { maxLength: 5, size: 'max' }))
    .map(([refused, changed, others]) => [refused, changed, ...others]),
});

const conditionOf = (pod: Pod, type: string) => (pod.status?.conditions ?? []).find((one) => one.type === type);
const imageOf = (pod: Pod): string => pod.spec.containers[0]?.image ?? '';
const isLeaving = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/** The node that a Pod is on, or is for. */
function placeOf({ spec }: Pod): string {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return spec.nodeName ?? terms[0]?.matchFields?.[0]?.values?.[0] ?? '';
}

const errors: Readonly<Record<Refusal['by'], () => ApiError>> = {
  Policy: () =>
    new ApiError("ValidatingAdmissionPolicy 'frozen' with binding 'frozen' denied request", { kind: 'Forbidden' }, { code: 403 }),
  Webhook: () => new ApiError('Internal error occurred: failed calling webhook "a"', { kind: 'ServerError', status: 500 }, { code: 500 }),
  BusyServer: () => new ApiError('too many requests', { kind: 'TooManyRequests', retryAfter: 1000 as never }, { code: 429 }),
};

/** The refusals that are in force. */
class RefusedObjects {
  readonly #held = new Map<Refusal, number>();
  readonly #clock: { readonly now: () => number };
  /** Calls that were refused. */
  count = 0;

  constructor(clock: { readonly now: () => number }) {
    this.#clock = clock;
  }

  add(refusal: Refusal): void {
    this.#held.set(refusal, refusal.lasts === 'FiveSeconds' ? this.#clock.now() + 5000 : Number.POSITIVE_INFINITY);
  }

  clear(): void {
    this.#held.clear();
  }

  /** Nodes for which a write is refused permanently; undefined when that is all of them. */
  get nodes(): ReadonlySet<string> | undefined {
    const permanent = [...this.#held.keys()].filter(({ lasts }) => lasts === 'Permanently');
    return permanent.some((one) => one.node === undefined) ? undefined : new Set(permanent.map((one) => names[one.node ?? 0] ?? ''));
  }

  /** Whether a node may be without a Pod that works for good: none may be created, or put back into service. */
  mayLack(name: string): boolean {
    return [...this.#held.keys()].some(
      ({ verb, subresource, node: at, lasts }) =>
        lasts === 'Permanently' &&
        (verb === 'create' || (verb === 'patch' && subresource === 'status')) &&
        (names[at ?? -1] ?? name) === name,
    );
  }

  check({ verb, subresource }: FakeCall, place: string): void {
    for (const [refusal, until] of this.#held) {
      if (this.#clock.now() >= until) this.#held.delete(refusal);
      else if (
        refusal.verb === verb &&
        (verb !== 'patch' || refusal.subresource === subresource) &&
        (names[refusal.node ?? -1] ?? place) === place
      ) {
        if (refusal.lasts === 'Once') this.#held.delete(refusal);
        this.count++;
        throw errors[refusal.by]();
      }
    }
  }
}

const limitsOf = ({ way, limit }: Run) =>
  way === 'Surge'
    ? { rollingUpdateType: 'Standard' as const, maxSurge: limit, maxUnavailable: 0 }
    : { rollingUpdateType: way, maxUnavailable: limit, maxSurge: 0 };

const templateOf = (image: string) => ({
  metadata: { labels: { app: 'agent', [hookLabel]: 'yes' } },
  spec: { containers: [{ name: 'main', image }], readinessGates: [{ conditionType: 'KruisePodReady' }] },
});

const shapeOf = (run: Run): SetShape => ({
  rollingUpdate: limitsOf(run),
  spec: {
    minReadySeconds: run.minReadySeconds,
    template: templateOf('app:1'),
    ...(run.hook === 'None' ? {} : { lifecycle: { preDelete: { labelsHandler: { [hookLabel]: 'yes' }, markPodNotReady: true } } }),
  },
});

/** The fixture, and the oracle: how many nodes are without a Pod that works because of the manager. */
class Observed {
  readonly broken: string[] = [];
  readonly refusals: RefusedObjects;
  readonly world: World;
  readonly run: Run;
  hookAnswers: boolean;
  /** Nodes whose Pod worked until the manager took it out of service or deleted it. */
  readonly #taken = new Set<string>();

  constructor(run: Run) {
    this.run = run;
    this.hookAnswers = run.hook === 'Answers';
    let refusals: RefusedObjects | undefined;
    const before = (call: FakeCall): void => {
      if (call.type !== pods || !['create', 'patch', 'delete'].includes(call.verb)) return;
      const pod = call.verb === 'create' ? (call.body as Pod) : this.world.api.peek(pods, call.key);
      if (pod !== undefined) refusals?.check(call, placeOf(pod));
    };
    this.world = new World(shapeOf(run), { nodes: names, before, nextDeath: (life) => run.deaths[life] });
    this.refusals = refusals = new RefusedObjects(this.world.clock);
    this.world.onTick = () => this.#answerHooks();
    this.world.api.onWrite((write) => this.#look(write));
  }

  /** Ready for longer than `minReadySeconds`, and it stays. */
  works(pod: Pod): boolean {
    const ready = conditionOf(pod, 'Ready');
    const since = Date.parse(ready?.lastTransitionTime ?? '');
    const { minReadySeconds } = this.run;
    return (
      !isLeaving(pod) && ready?.status === 'True' && (minReadySeconds === 0 || since + minReadySeconds * 1000 < this.world.clock.now())
    );
  }

  lacks(name: string, besides?: Pod): boolean {
    return !this.world.pods.some((pod) => pod.metadata.uid !== besides?.metadata.uid && placeOf(pod) === name && this.works(pod));
  }

  #look({ call, before, after, refused }: FakeWrite): void {
    if (call.from !== 'manager' || refused !== undefined || call.type !== pods || before === undefined) return;
    const [was, is] = [before as Pod, after as Pod | undefined];
    for (const name of this.#taken) if (!this.lacks(name, was)) this.#taken.delete(name);
    if (!this.works(was) || (is !== undefined && call.verb !== 'delete' && this.works(is)) || !this.lacks(placeOf(was), was)) return;
    this.#taken.add(placeOf(was));
    const most = this.run.way === 'Surge' ? 0 : this.run.limit;
    if (this.#taken.size > most)
      this.broken.push(`${call.verb} of ${was.metadata.name}: ${[...this.#taken].join()} are without a Pod that works`);
  }

  /** Whoever guards the Pods lets those go whose deletion is prepared. */
  #answerHooks(): void {
    if (!this.hookAnswers) return;
    for (const pod of this.world.pods) {
      const { [hookLabel]: guarded, ...labels } = pod.metadata.labels ?? {};
      const isPrepared = labels['lifecycle.apps.kruise.io/state'] === 'PreparingDelete';
      if (guarded !== undefined && isPrepared) this.world.setPod(pod, (held) => ({ ...held, metadata: { ...held.metadata, labels } }));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
  }
}

async function disturb({ world, refusals }: Observed, next: Disturbance): Promise<void> {
  switch (next.kind) {
    case 'Refuse':
      return refusals.add(next);
    case 'Image':
      return world.change({ template: templateOf(`app:${next.image}`) });
    case 'Delete': {
      const name = names[next.node] ?? '';
      return world.podsOn(name).length === 0 ? undefined : world.deletePod(name);
    }
    default:
      await world.life.stop();
      return world.begin();
  }
}

/** Two minutes later nothing has changed any more but what is refused: the other nodes have what they should, or it is said why not. */
async function waitAndCheck(observed: Observed): Promise<void> {
  const { world, refusals, run } = observed;
  const lacks = (name: string): boolean => observed.lacks(name);
  await world.ticks(120);
  const calls = refusals.count;
  await world.ticks(60);
  const refusedNodes = refusals.nodes;
  expect(refusals.count - calls).toBeLessThanOrEqual(12 * names.length);
  const wanted = world.set.spec.template.spec?.containers[0]?.image ?? '';
  const behind = names.filter((name) => !world.pods.some((pod) => placeOf(pod) === name && imageOf(pod) === wanted && !lacks(name)));
  if (behind.length > 0) expect(world.conditions).toEqual([expect.stringMatching(/^Blocked /)]);
  if (run.hook === 'None') expect(names.filter((name) => lacks(name) && !refusals.mayLack(name))).toEqual([]);
  const isUsed = (name: string): boolean => lacks(name) || (run.way === 'Surge' && world.podsOn(name).length > 1);
  const hasBudget = names.filter(isUsed).length < run.limit;
  const waitsForHook = run.hook === 'Silent' && run.way !== 'InPlaceIfPossible';
  if (refusedNodes !== undefined && hasBudget && !waitsForHook) expect(behind.filter((name) => !refusedNodes.has(name))).toEqual([]);
}

async function live(run: Run, seen: Occurrences): Promise<void> {
  await using observed = new Observed(run);
  const { world, refusals } = observed;
  await world.ticks(12);
  for (const { disturbance: next, ticks } of run.steps) {
    await disturb(observed, next);
    await world.ticks(ticks);
  }
  await waitAndCheck(observed);
  seen.note('writes were refused', refusals.count > 0);
  seen.note('a process died', world.lives.length > 1);
  seen.note('some nodes were refused permanently', (refusals.nodes?.size ?? 0) > 0);
  refusals.clear();
  observed.hookAnswers = true;
  // The backoff has become minutes by now: a change of the DaemonSet is looked at immediately.
  world.change({ template: templateOf('app:1'), revisionHistoryLimit: 9 });
  await world.settle(600, 10);
  expect(observed.broken).toEqual([]);
  expect(world.shown).toEqual(names.map((name) => `${name} app:1`));
  expect(world.pods.map((pod) => conditionOf(pod, 'KruisePodReady')?.status)).toEqual(names.map(() => 'True'));
  expect(world.conditions).toEqual([]);
}

describe('a DaemonSet whose writes are refused', () => {
  it('keeps to its budget, lets no refused node hold up the others, and heals', async () => {
    const seen = new Occurrences();
    await fc.assert(
      fc.asyncProperty(runs, (run) => live(run, seen)),
      { numRuns },
    );
    seen.expectAtLeast({
      'writes were refused': numRuns / 3,
      'a process died': numRuns / 4,
      'some nodes were refused permanently': numRuns / 10,
    });
  }, 600_000);
});
