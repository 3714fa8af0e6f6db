/**
 * Generated runs of one workload controller in which any write may be refused and the process may die between two writes, while users change the
 * specification. A kind joins with a {@link RefusedKind}; the promises that are checked are the same for all kinds:
 *
 * - at every write, no more instances are out of service because of the controller than the specification allows;
 * - the number of refused calls a minute is bounded, as is that of the calls that write one object;
 * - no object is deleted twice, and none without its uid; a name that is in use is not requested in a loop;
 * - instances whose writes are not refused reach the specification, unless the budget is used up;
 * - a workload that makes no progress has a `Blocked` condition or reports the cause in its own way, and its counters are right;
 * - once nothing is refused any more and the user has undone the change, nothing is left over.
 */
import { conditionTypes, type DaemonSet } from '@kruise/api';
import { deathTimes, type Death, type FakeApi, type FakeCall, type FakeWrite } from '@kruise/kube/testing';
import { controllerRevisions, persistentVolumeClaims, pods, type ResourceType } from '@kruise/objects';
import fc from 'fast-check';
import type { ControllerCluster, ClusterOptions } from '../module/controller-cluster.testing.ts';
import { collectGarbage } from '../module/garbage-collector.testing.ts';
import { Observer, type Part, type RefusedCallsPerMinute } from './observer.testing.ts';
import type { Demand } from './outage-oracle.testing.ts';
import { lastingRefusalOf, refusalOf, Refusals, type Refusable, type Refusal } from './refusals.testing.ts';
import { withSeededRandom } from './seeded-random.testing.ts';
import { withoutStacks } from './without-stacks.testing.ts';

/** Of an instance that has no slot yet. */
export const anySlot = -1;
/** Of an instance that is missing, and that needs no other write than its creation. */
export const missing = -2;

/** What runs need of the fixture of any kind. */
export type ObservedCluster = AsyncDisposable &
  Pick<
    ControllerCluster<DaemonSet>,
    'api' | 'clock' | 'managers' | 'timeline' | 'shown' | 'conditions' | 'settle' | 'tick' | 'disturbManager'
  >;

/** One workload with everything around it. */
export interface RefusedFixture<Change> {
  readonly cluster: ObservedCluster;
  /** Called once, for a fixture whose promises depend on what was refused. */
  meet?(refusals: Refusals): void;
  /** A user changes the specification. */
  apply(change: Change): void | Promise<void>;
  /** From now on the programs behind lifecycle hooks answer within a second, and nodes and kubelets do what is theirs. */
  answerHooks?(): void;
  /** The user takes every change back, in the middle of them or at the end. */
  undo(): void;
  readonly demand: Demand;
  /** Instances that are available now. */
  readonly available: number;
  /** Instances that serve, where `available` has others as well that are out of service for another reason than the controller. */
  readonly serving?: number;
  /** Where instances are counted by parts, each with a budget of its own: all of them. */
  readonly parts?: readonly Part[];
  /** Counters of the status that differ from what there is, while nothing changes. */
  readonly miscounted?: readonly string[];
  /**
   * The slot of every instance that does not match the specification; {@link anySlot} for one that may be of any of them, {@link missing} where instances
   * are missing.
   */
  readonly pending: readonly number[];
  /** What is wrong with a workload that must be at rest: instances that do not match, labels, keys and conditions of the controller that are left. */
  readonly leftovers: readonly string[];
  /** Called at every write of the manager and every second. @returns what no longer holds of all that the kind promises besides */
  look?(write?: FakeWrite): readonly string[];
  /** The slot of the object that a call writes; undefined when it belongs to none. */
  slotOf(call: FakeCall): number | undefined;
  readonly owner: ResourceType;
  /** Kinds between the workload and its instances. */
  readonly middle?: readonly ResourceType[];
  /** How many calls may be refused in a minute, where that is not the usual number. */
  readonly refusedCallsPerMinute?: Partial<RefusedCallsPerMinute>;
  /** Slots wait for each other, so that one refused instance may hold back the others. */
  readonly isOrdered: boolean;
  /** An instance that the controller has chosen uses up budget while its update is refused, because it may go out of service at any moment. */
  readonly reservesBudget: boolean;
  /** What a kind without conditions reports of why it makes no progress; its `Blocked` condition when absent. */
  readonly causes?: readonly string[];
  /** Slots that something else than a refused write holds back, such as a budget. */
  readonly heldElsewhere?: ReadonlySet<number>;
}

export interface RefusedKind<Shape, Change> extends Refusable {
  readonly shapes: fc.Arbitrary<Shape>;
  readonly changes: fc.Arbitrary<Change>;
  /** What may be refused; writes to Pods and `resources` when absent. */
  readonly refusals?: fc.Arbitrary<Refusal>;
  /** Whether the watch of a kind is late after the answer to a write of one of its objects was lost. */
  readonly losesNews?: boolean;
  begin(shape: Shape, options: ClusterOptions): RefusedFixture<Change>;
}

type Step<Change> = { readonly kind: 'Change'; readonly change: Change } | { readonly kind: 'Recover' | 'Kill' | 'Undo' };

interface RunStep<Change> {
  /** In force from right before the step. */
  readonly refusals: readonly Refusal[];
  readonly step: Step<Change>;
  /** Until the next step. */
  readonly seconds: number;
}

export interface RefusedRun<Shape, Change> {
  readonly shape: Shape;
  /** Where the processes die, the first one at the first of these. */
  readonly deaths: readonly Death[];
  readonly steps: readonly RunStep<Change>[];
}

export function refusedRunOf<Shape, Change>(kind: RefusedKind<Shape, Change>): fc.Arbitrary<RefusedRun<Shape, Change>> {
  const step: fc.Arbitrary<Step<Change>> = fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('Change' as const), change: kind.changes }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('Recover' as const, 'Kill' as const, 'Undo' as const) }) },
  );
  const refusals = fc.array(kind.refusals ?? refusalOf(kind), { maxLength: 2 });
  // Most changes come together, so that one pass sees several of them.
  const seconds = fc.oneof(fc.constantFrom(0, 0, 0, 1, 2, 4), fc.nat({ max: 15 }));
  // One object alone is refused, and all others have to change: nothing else hides what it does to them.
  const focus = fc
    .record({ refusal: kind.refusals ?? lastingRefusalOf(kind), change: kind.changes })
    .map(({ refusal, change }): readonly RunStep<Change>[] => [
      { refusals: [], step: { kind: 'Recover' }, seconds: 0 },
      { refusals: [refusal], step: { kind: 'Change', change }, seconds: 0 },
    ]);
  return fc.record({
    shape: kind.shapes,
    deaths: fc.array(fc.record({ at: fc.integer({ min: 1, max: 20 }), when: fc.constantFrom(...deathTimes) }), { maxLength: 3 }),
    steps: fc
      .tuple(fc.array(fc.record({ refusals, step, seconds }), { minLength: 1, maxLength: 8 }), fc.oneof(focus, fc.constant([])))
      .map(([first, last]) => [...first, ...last]),
  });
}

/** How long the specification has to be reached by the instances whose writes pass, and how long a recovery may take with the longest backoff. */
const progressSeconds = 180;
const recoverySeconds = 1200;
const longestStepSeconds = 15;
const longestSettlingSeconds = 200;
const dependents: readonly ResourceType[] = [pods, persistentVolumeClaims, controllerRevisions];

/** What a run came to. */
export interface RefusedRunSummary {
  /** Calls that were refused or whose answer was lost. */
  readonly refusedCalls: number;
  /** Processes that died in the middle of their work. */
  readonly deaths: number;
  /** The user's change could not be carried out everywhere before the recovery. */
  readonly wasHeldBack: boolean;
}

/** Carries out one generated run; the same run always makes the same calls. @throws Error that says which promise was broken */
export function carryOutRefused<Shape, Change>(
  kind: RefusedKind<Shape, Change>,
  run: RefusedRun<Shape, Change>,
): Promise<RefusedRunSummary> {
  return withSeededRandom(() => withoutStacks(() => carryOut(kind, run)));
}

async function carryOut<Shape, Change>(kind: RefusedKind<Shape, Change>, run: RefusedRun<Shape, Change>): Promise<RefusedRunSummary> {
  // The refusals need the clock of the fixture, which takes the faults of its connections first.
  const later: { refusals?: Refusals } = {};
  const fixture = kind.begin(run.shape, {
    before: (call) => later.refusals?.before(call),
    after: (call) => later.refusals?.after(call),
    nextDeath: (index) => (index === 0 ? undefined : run.deaths[index - 1]),
  });
  const { cluster } = fixture;
  await using _world = cluster;
  // Nothing is refused yet, and the first process is replaced right after: one quiet second shows that it has done its work.
  await cluster.settle(longestSettlingSeconds, 1);
  const connection = { hold: (type: ResourceType) => cluster.api.holdWatches(type), release: () => cluster.api.releaseWatches() };
  const inForce = new Refusals(cluster.clock, (call) => fixture.slotOf(call), kind.losesNews === true ? connection : undefined);
  later.refusals = inForce;
  fixture.meet?.(inForce);
  const observer = new Observer(fixture, inForce);
  const tick = async (seconds = 1): Promise<void> => {
    await cluster.tick(seconds);
    inForce.passOnNews();
    await collectGarbage(cluster.api, dependents, [fixture.owner, ...(fixture.middle ?? [])]);
    observer.check();
  };
  // The first process settles undisturbed; each further one has its death.
  await cluster.disturbManager({ kind: 'Kill' });
  for (const { refusals: added, step, seconds } of run.steps) {
    for (const refusal of added) inForce.add(refusal);
    if (step.kind === 'Change') await fixture.apply(step.change);
    else if (step.kind === 'Recover') inForce.clear();
    else if (step.kind === 'Undo') fixture.undo();
    else await cluster.disturbManager({ kind: 'Kill' });
    observer.look();
    for (let second = 0; second < seconds; second++) await tick();
  }
  fixture.answerHooks?.();
  observer.settle();
  const isDone = (): boolean => fixture.pending.length === 0 && (fixture.miscounted ?? []).length === 0;
  await waitUntil(isDone, progressSeconds, { api: cluster.api, tick });
  checkProgress(fixture, inForce, observer);
  const wasHeldBack = fixture.pending.length > 0;
  inForce.clear();
  fixture.undo();
  observer.look();
  await waitUntil(() => fixture.leftovers.length === 0, recoverySeconds, { api: cluster.api, tick });
  if (fixture.leftovers.length > 0) observer.fail(`left after the recovery: ${fixture.leftovers.join(', ')}`);
  const deaths = cluster.managers.filter(({ dead }) => dead).length;
  return { refusedCalls: inForce.count, deaths, wasHeldBack };
}

interface Passing {
  readonly api: FakeApi;
  readonly tick: (seconds: number) => Promise<void>;
}

/** Lets at most `limit` seconds pass until `holds`. Steps grow while nothing calls the API server: a backoff is passed in a few of them. */
async function waitUntil(holds: () => boolean, limit: number, { api, tick }: Passing): Promise<void> {
  let step = 1;
  for (let passed = 0; passed < limit && !holds(); passed += step) {
    const calls = api.calls.length;
    await tick(step);
    step = api.calls.length === calls ? Math.min(step * 2, longestStepSeconds) : 1;
  }
}

function checkProgress<Change>(fixture: RefusedFixture<Change>, refusals: Refusals, observer: Observer<Change>): void {
  const { pending, owner, middle = [], cluster } = fixture;
  // A status that may not be written says nothing.
  const isMute = [owner, ...middle].some(({ plural }) => refusals.isLasting({ verb: 'change', resource: plural, subresource: 'status' }));
  if (isMute) return;
  const causes = fixture.causes ?? cluster.conditions.filter((condition) => condition.startsWith(conditionTypes.blocked));
  if (pending.length > 0 && causes.length === 0)
    observer.fail(`the instances of slots ${pending.join()} are not updated, and nothing says why`);
  const { miscounted = [] } = fixture;
  if (miscounted.length > 0) observer.fail(miscounted.join(', '));
  const held = heldBack(fixture, refusals);
  if (held.length > 0) observer.fail(`refusals of other instances hold back slots ${held.join()}`);
}

/** Slots that do not match although nothing of theirs is refused, none waits for another and the budget is not used up. */
function heldBack<Change>(
  { pending, demand, available, serving, isOrdered, reservesBudget, heldElsewhere = new Set() }: RefusedFixture<Change>,
  refusals: Refusals,
): readonly number[] {
  const kept = new Set([...refusals.lasting, ...heldElsewhere]);
  const isUnrefused = (slot: number): boolean => (slot === anySlot ? kept.size === 0 : !kept.has(slot));
  // A missing instance needs no budget, and is counted as out of service already.
  if (pending.includes(missing) && !isOrdered && !refusals.isCreationRefused) return [missing];
  const others = pending.filter((slot) => slot !== missing);
  const held = others.filter(isUnrefused);
  const reserved = reservesBudget ? others.length - held.length : 0;
  const isBudgetLeft = demand.wanted - (serving ?? available) + reserved < demand.budget;
  return !isOrdered && isBudgetLeft ? held : [];
}
