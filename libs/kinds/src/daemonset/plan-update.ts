/** Rolling update: which Pods of the chosen nodes are updated now, and how. Pure. @see spec/daemonset.md 5.6 */
import { podConditions, type DaemonSet } from '@kruise/api';
import { hasReadinessGate, type ControllerRevision, type Instant, type Pod } from '@kruise/objects';
import { type PodUpdate, podUpdater, type RefusedBefore, refusedLast, type UpdateAction, type Workload } from '@kruise/workloads';
import type { ChosenNodes } from './nodes/chosen-nodes.ts';
import type { UpdateSite, ViewedPod } from './nodes/site-facts.ts';
import { isOutForUpdate, isViewAvailable } from './pods/pod-facts.ts';
import type { Creation, Removal } from './nodes/plan-placement.ts';
import { isInPlace, updateLimitsOf } from './snapshot/strategy.ts';

export interface UpdatePlan {
  readonly inPlace: readonly UpdateAction[];
  readonly removals: readonly Removal[];
  readonly creations: readonly Creation[];
}

export interface UpdateInput {
  readonly set: DaemonSet;
  readonly nodes: Pick<ChosenNodes, 'chosen' | 'left'>;
  /** Pods that something else is done about in this pass, or that cannot be looked after: they are not updated in place. */
  readonly busy: ReadonlySet<Pod>;
  /** By node: they come after the others. */
  readonly refused: RefusedBefore;
  /** How many nodes are to run the Pod. */
  readonly desired: number;
  readonly update: ControllerRevision;
  readonly workload: Workload;
  /** Pods that a pass updates in place at most. */
  readonly burst: number;
}

/** Old Pods by whether they cost the budget anything. */
interface Replaceable<T> {
  /** Not available anyway: replaced at once, whatever the budget. Those that an update has taken out of service use it up all the same. */
  readonly broken: readonly T[];
  readonly working: readonly T[];
  /** What of the budget is used up. */
  readonly used: number;
}

const isStaying = (one: ViewedPod | undefined): one is ViewedPod => one !== undefined && one.view.state !== 'PreparingDelete';

/** How many Pods a node lacks now: those that the update does not replace itself, or whose old Pod an update has taken out of service. */
function lackOf(set: DaemonSet, { fresh, old, isCrowded }: UpdateSite, now: Instant): number {
  if (isCrowded || isStaying(fresh) === isStaying(old)) return 1;
  if (fresh === undefined) return old !== undefined && !isViewAvailable(set, old.view, now) && isOutForUpdate(set, old.pod, now) ? 1 : 0;
  return (isViewAvailable(set, fresh.view, now) ? 0 : 1) + (isStaying(fresh) ? 0 : 1);
}

/** The old Pod that is the only one of its node. */
const loneOld = ({ fresh, old, isCrowded }: UpdateSite): ViewedPod | undefined =>
  !isCrowded && fresh === undefined && isStaying(old) ? old : undefined;

function sortOut({ set, nodes, busy, refused, workload }: UpdateInput, used: number): Replaceable<UpdateSite> {
  const broken: UpdateSite[] = [];
  const working: UpdateSite[] = [];
  for (const site of nodes.chosen) {
    const old = loneOld(site);
    const isHeldBack = old !== undefined && busy.size > 0 && busy.has(old.pod) && isInPlace(set);
    if (old !== undefined && !isHeldBack) (isViewAvailable(set, old.view, workload.now) ? working : broken).push(site);
  }
  const behind = (sites: readonly UpdateSite[]): readonly UpdateSite[] => refusedLast(sites, ({ site }) => site.name, refused);
  return { broken: behind(broken), working: behind(working), used };
}

const sumOf = (sites: readonly UpdateSite[], countOf: (site: UpdateSite) => number): number =>
  sites.reduce((sum, site) => sum + countOf(site), 0);

const within = <T>({ broken, working, used }: Replaceable<T>, limit: number): readonly T[] => [
  ...broken,
  ...working.slice(0, Math.max(limit - used, 0)),
];

/** Why old Pods go, with the numbers: those that work, and those that do not. */
function reasonsFor({ update }: UpdateInput, { used, working }: Replaceable<UpdateSite>, limit: number) {
  const target = `it must be updated to revision ${update.metadata.name}`;
  return {
    working: `${target}: of ${working.length} Pods that wait for it, ${Math.max(limit - used, 0)} may be replaced now`,
    broken: `${target}, and is not available anyway, so that the limit on unavailable Pods does not keep it`,
  };
}

/** A Pod without the gate cannot be taken out of service while its containers change. */
const canStay = (pod: Pod): boolean => hasReadinessGate(pod, podConditions.inPlaceUpdateReady);

function replace(input: UpdateInput): UpdatePlan {
  const { set, nodes, desired, update, workload, burst } = input;
  const { maxUnavailable } = updateLimitsOf(set, desired);
  const lacking = sumOf([...nodes.chosen, ...nodes.left], (site) => lackOf(set, site, workload.now));
  const sorted = sortOut(input, lacking);
  const reasons = reasonsFor(input, sorted, maxUnavailable);
  const updater = (because: string): ((pod: Pod) => PodUpdate) => {
    const decide = podUpdater({ revision: update, limit: maxUnavailable, because }, workload);
    return (pod) =>
      canStay(pod) || !isInPlace(set)
        ? decide(pod)
        : { kind: 'Recreate', because: `${because}; not in place: it lacks the readiness gate` };
  };
  const [updateWorking, updateBroken] = [updater(reasons.working), updater(reasons.broken)];
  const broken = new Set(sorted.broken);
  const inPlace: UpdateAction[] = [];
  const removals: Removal[] = [];
  let updated = 0;
  for (const site of within(sorted, maxUnavailable)) {
    const pod = loneOld(site)?.pod;
    if (pod === undefined) continue;
    const next = broken.has(site) ? updateBroken(pod) : updateWorking(pod);
    if (next.kind === 'InPlace') inPlace.push(...(updated++ < burst ? next.actions : []));
    else removals.push({ pod, because: next.kind === 'Recreate' ? next.because : next.why });
  }
  return { inPlace, removals, creations: [] };
}

/** New Pods come first, and old ones go once those are available. */
function surge(input: UpdateInput): UpdatePlan {
  const { set, nodes, desired, workload } = input;
  const { maxSurge } = updateLimitsOf(set, desired);
  const isReplaced = ({ fresh, old }: UpdateSite): boolean =>
    isStaying(old) && isStaying(fresh) && isViewAvailable(set, fresh.view, workload.now);
  const takes = (site: UpdateSite): number => (site.isCrowded || (isStaying(site.old) && !isReplaced(site)) ? 1 : 0);
  // A node that only keeps what it has gets no new Pod.
  const eligible = nodes.chosen.filter(({ site }) => site.fit.shouldRun);
  const taken = sumOf(eligible, (site) => (loneOld(site) === undefined ? takes(site) : 0));
  const sorted = sortOut({ ...input, nodes: { ...nodes, chosen: eligible } }, taken);
  const removals = nodes.chosen.flatMap((site): readonly Removal[] =>
    !site.isCrowded && isReplaced(site) && site.old !== undefined
      ? [{ pod: site.old.pod, because: `Pod ${site.fresh?.pod.metadata.name ?? ''} has taken its place` }]
      : [],
  );
  const reasons = reasonsFor(input, sorted, maxSurge);
  const broken = new Set(sorted.broken);
  const creations = within(sorted, maxSurge).map((site): Creation => {
    const because = broken.has(site) ? reasons.broken : reasons.working;
    return { node: site.site.name, because: `takes the place of Pod ${site.old?.pod.metadata.name ?? ''}: ${because}` };
  });
  return { inPlace: [], removals, creations };
}

/** Nothing once the chosen nodes have the update revision. */
export const planUpdate = (input: UpdateInput): UpdatePlan =>
  updateLimitsOf(input.set, input.desired).maxSurge > 0 ? surge(input) : replace(input);
