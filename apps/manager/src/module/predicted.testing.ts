/** Compares what the plan of a change predicts with what a controller does to Pods on an API server in memory. */
import { expect, it } from '@jest/globals';
import { defaultGates, labels, type Gates } from '@kruise/api';
import { actsOfChange, planChange, type Act, type ChangePlan, type PlanFacts } from '@kruise/insight/plan';
import {
  controllerRevisions,
  nodes,
  persistentVolumeClaims,
  pods,
  storageClasses,
  type KubeObject,
  type ObjectKey,
  type Pod,
  type ResourceType,
} from '@kruise/objects';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import type { ControllerCluster } from './controller-cluster.testing.ts';

type AnyObject = Parameters<typeof planChange>[1];

/** What a controller does to Pods while the cluster makes no progress. */
interface Step {
  readonly inPlace: readonly string[];
  readonly deleted: readonly string[];
  readonly created: number;
}

/** A running workload. */
interface Watched {
  readonly cluster: Pick<ControllerCluster<never>, 'api' | 'clock' | 'onTick' | 'tick'>;
  readonly type: ResourceType<KubeObject>;
  readonly key: ObjectKey;
}

const revisionOf = ({ metadata }: Pod): string => metadata.labels?.[labels.controllerRevisionHash] ?? '';
const isUpdated = (before: Pod | undefined, after: Pod): boolean => before !== undefined && revisionOf(before) !== revisionOf(after);
const isTerminating = (pod: Pod | undefined): boolean => pod === undefined || pod.metadata.deletionTimestamp !== undefined;

/** Names of Pods that exist before the change; any other one has a name that depends on uids. */
const namesOf = (list: readonly Pod[], first: ReadonlySet<string>): readonly string[] =>
  list.map(({ metadata }) => (first.has(metadata.name) ? metadata.name : 'a new Pod')).toSorted();

function difference(before: readonly Pod[], after: readonly Pod[], first: ReadonlySet<string>): Step {
  const old = new Map(before.map((pod) => [pod.metadata.uid, pod]));
  const held = new Map(after.map((pod) => [pod.metadata.uid, pod]));
  const updated = after.filter((pod) => isUpdated(old.get(pod.metadata.uid), pod));
  const deleted = before.filter((pod) => !isTerminating(pod) && isTerminating(held.get(pod.metadata.uid)));
  const created = after.filter(({ metadata }) => !old.has(metadata.uid)).length;
  return { inPlace: namesOf(updated, first), deleted: namesOf(deleted, first), created };
}

const isQuiet = ({ inPlace, deleted, created }: Step): boolean => inPlace.length + deleted.length + created === 0;

function stepOf(acts: readonly Act[], first: ReadonlySet<string>): Step {
  const of = (kind: Act['kind']): readonly Pod[] =>
    acts.filter((act) => act.kind === kind).map(({ pod }) => ({ metadata: { name: pod } }) as Pod);
  return { inPlace: namesOf(of('InPlace'), first), deleted: namesOf(of('Delete'), first), created: of('Create').length };
}

const whole = <T extends KubeObject>({ group, version, kind }: ResourceType<T>, object: T | undefined): AnyObject =>
  ({ apiVersion: group === '' ? version : `${group}/${version}`, kind, ...object }) as never;

/** Reads what the plugin reads. */
function factsOf({ cluster: { api, clock }, key: { namespace } }: Watched, gates: Partial<Gates>): PlanFacts {
  const read = <T extends KubeObject>(type: ResourceType<T>, at: string): readonly AnyObject[] =>
    api.peekAll(type, at).map((object) => whole(type, object));
  const objects = [
    ...read(pods, namespace),
    ...read(persistentVolumeClaims, namespace),
    ...read(controllerRevisions, namespace),
    ...read(nodes, ''),
    ...read(storageClasses, ''),
  ];
  return { objects, now: clock.now(), gates: { ...defaultGates, ...gates } };
}

/** The label by which hooks of a test hold Pods. */
const hold = { hold: 'yes' };

interface HeldPods {
  readonly pods: readonly Pod[];
  readonly changePod: (name: string, change: (pod: Pod) => Pod) => void;
}

/** The program behind hooks with the label {@link hold}: it releases every Pod, and holds it again after its update. */
function letHeldPodsGo(cluster: HeldPods): void {
  for (const { metadata } of cluster.pods) {
    const { hold: held, ...others } = metadata.labels ?? {};
    const state = others[labels.lifecycleState] ?? '';
    const isLeaving = held !== undefined && ['PreparingUpdate', 'PreparingDelete'].includes(state);
    if (!isLeaving && !(held === undefined && state === 'Updated')) continue;
    const changed = isLeaving ? others : { ...others, ...hold };
    cluster.changePod(metadata.name, (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: changed } }));
  }
}

/** How the hooks of a workload hold its Pods. */
const hooks = fc.record({
  marksNotReady: fc.boolean(),
  isUpdateHeld: fc.constantFrom(true, true, false),
  isDeletionHeld: fc.boolean(),
});
type Hooks = typeof hooks extends fc.Arbitrary<infer H> ? H : never;

/** Returns the spec with these hooks, and with the label by which they hold Pods. @param podLabels those that select them */
function withHooks<S extends { readonly template?: object }>(
  { marksNotReady, isUpdateHeld, isDeletionHeld }: Hooks,
  spec: S,
  podLabels: Readonly<Record<string, string>>,
): S {
  const hook = { labelsHandler: hold, ...(marksNotReady ? { markPodNotReady: true } : {}) };
  const lifecycle = { ...(isUpdateHeld ? { inPlaceUpdate: hook } : {}), ...(isDeletionHeld ? { preDelete: hook } : {}) };
  return { ...spec, lifecycle, template: { ...spec.template, metadata: { labels: { ...podLabels, ...hold } } } };
}

/** Returns steps as one: which Pods, and how many. */
const inTotal = (steps: readonly Step[]): Step => ({
  inPlace: steps.flatMap(({ inPlace }) => inPlace).toSorted(),
  deleted: steps.flatMap(({ deleted }) => deleted).toSorted(),
  created: steps.reduce((sum, { created }) => sum + created, 0),
});

/** What was predicted, and what happened until nothing does for `quiet` seconds. */
interface Comparison {
  readonly plan: ChangePlan;
  readonly predicted: readonly Step[];
  readonly happened: readonly Step[];
}

interface CompareOptions {
  readonly gates?: Partial<Gates>;
  /** Seconds without an action after which the change is over. */
  readonly quiet?: number;
  /** In seconds. */
  readonly limit?: number;
  /** What programs of users do in every second, such as those behind hooks. */
  readonly runPrograms?: () => void;
}

/** Predicts a change, makes it, and follows the controller. */
export async function compare(
  watched: Watched,
  change: () => void,
  { gates = {}, quiet = 4, limit = 300, runPrograms = () => undefined }: CompareOptions = {},
): Promise<Comparison> {
  const { cluster, type, key } = watched;
  const list = (): readonly Pod[] => cluster.api.peekAll(pods, key.namespace);
  const object = (): AnyObject => whole(type, cluster.api.peek(type, key));
  const facts = factsOf(watched, gates);
  const before = object();
  change();
  const plan = planChange(before, object(), facts);
  const first = new Set(list().map(({ metadata }) => metadata.name));
  const happened: Step[] = [];
  let held = list();
  let since = 0;
  const look = (): void => {
    const step = difference(held, list(), first);
    held = list();
    if (isQuiet(step)) return;
    happened.push(step);
    since = 0;
  };
  cluster.onTick = look;
  for (let tick = 0; since < quiet && tick < limit; tick++) {
    since++;
    runPrograms();
    await cluster.tick();
    look();
  }
  const predicted = actsOfChange(before, object(), facts).map((acts) => stepOf(acts, first));
  return { plan, predicted, happened };
}

type WithTemplate = { readonly template?: object };

/** A workload of a kind that has hooks. */
interface HookedWorkload<G, S extends WithTemplate> extends Omit<Watched, 'cluster'> {
  readonly given: fc.Arbitrary<G>;
  /** Labels of its Pods. */
  readonly podLabels: Readonly<Record<string, string>>;
  /** Starts the workload before its change. @param withHold adds the hooks to a spec */
  readonly start: (one: G, withHold: <P extends S>(spec: P) => P) => Watched['cluster'] & HookedCluster<S>;
  /** Returns the changed spec. */
  readonly specOf: (one: G) => S;
}

type HookedCluster<S> = HeldPods & AsyncDisposable & Pick<ControllerCluster<never>, 'settle'> & { change(spec: S): void };

/** Tests that a plan predicts in total what happens to Pods that hooks hold. */
export function itPredictsHeldPods<G, S extends WithTemplate>(workload: HookedWorkload<G, S>): void {
  const { given, podLabels, start, specOf, ...watched } = workload;
  it('predicts what happens to every Pod that hooks hold, once their program lets it go', async () => {
    const seen = new Occurrences();
    await fc.assert(
      fc.asyncProperty(given, hooks, async (one, held) => {
        const withHold = <P extends S>(spec: P): P => withHooks(held, spec, podLabels);
        await using cluster = start(one, withHold);
        await cluster.settle();
        const runPrograms = (): void => letHeldPodsGo(cluster);
        const change = (): void => cluster.change(withHold(specOf(one)));
        const { predicted, happened, plan } = await compare({ cluster, ...watched }, change, { runPrograms });
        expect(inTotal(predicted)).toEqual(inTotal(happened));
        const { inPlace, recreated, deleted } = plan.workloads[0]!.counts;
        seen.note('held updates', held.isUpdateHeld && inPlace > 0);
        seen.note('held deletions', held.isDeletionHeld && recreated + deleted > 0);
      }),
      { numRuns: casesOf(30, 500) },
    );
    seen.expectAtLeast({ 'held updates': 2, 'held deletions': 2 });
  });
}

/** Counts what the plan of a change does, and compares the steps of it. @param hasWait whether `minReadySeconds` is positive */
export function expectSteps({ plan, predicted, happened }: Comparison, hasWait: boolean, seen: Occurrences): void {
  expect(inTotal(predicted)).toEqual(inTotal(happened));
  // Ready times have whole seconds: with minReadySeconds the fixture's clock decides which steps coincide.
  if (seen.note('without minReadySeconds', !hasWait)) expect(predicted).toEqual(happened);
  for (const [what, count] of Object.entries(plan.workloads[0]!.counts)) seen.note(what, count > 0);
}
