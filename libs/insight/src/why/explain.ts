/** Why an object makes no progress: the rules in order, and what is said when none finds a cause. */
import { isPodFinished, isPodReady, podCondition, stringAt, type Pod } from '@kruise/objects';
import { kindOf, Seen, selects, type AnyObject, type Snapshot } from '../seen.ts';
import { isObserved, podNumbers, sayObject } from '../tree/object-state.ts';
import { blockedCause } from './blocked.ts';
import { nameOf, type Cause, type Verdict } from './cause.ts';
import { kindRules } from './kind-rules.ts';
import type { ObjectRule } from './object-rule.ts';
import { objectRules, specTime } from './object-rules.ts';
import { isLongAgo } from './pod-rule.ts';
import { podCauses } from './pod-rules.ts';
import { preciseCause } from './precise-cause.ts';

/** Causes after these repeat what the first ones say. */
const mostCauses = 5;

/** A workload that nothing changes for so long makes no progress. */
const stalledMs = 10 * 60_000;

const workloads = new Set([
  'apps/Deployment',
  'apps/ReplicaSet',
  'apps/StatefulSet',
  'apps/DaemonSet',
  '/ReplicationController',
  'apps.kruise.io/CloneSet',
  'apps.kruise.io/StatefulSet',
  'apps.kruise.io/DaemonSet',
  'apps.kruise.io/UnitedDeployment',
]);

/** Returns whether every Pod that the object wants exists, is up to date and ready. */
function isComplete(root: AnyObject): boolean {
  const { wanted, pods, ready, updated, available } = podNumbers(root);
  return isObserved(root) && pods === wanted && ready >= wanted && (updated ?? wanted) >= wanted && (available ?? wanted) >= wanted;
}

const apply = (rules: readonly ObjectRule[], root: AnyObject, seen: Seen): readonly Cause[] =>
  rules.flatMap((rule) => rule(root, seen) ?? []);

/** The Pods that the object controls, or only selects. */
const podsOf = (root: AnyObject, seen: Seen): readonly Pod[] => {
  const below = seen.podsBelow(root);
  return below.length > 0 || workloads.has(kindOf(root)) ? below : seen.pods.filter((pod) => selects(root, pod.metadata.labels));
};

const finished = new Set(['Completed', 'Succeeded']);

/** Kinds whose Pods are a cause while the object is not over. */
const runsPods = new Set([
  'batch/Job',
  'apps.kruise.io/BroadcastJob',
  'policy.kruise.io/PodUnavailableBudget',
  'policy/PodDisruptionBudget',
  'apps.kruise.io/WorkloadSpread',
]);

function causesOf(root: AnyObject, seen: Seen): readonly Cause[] {
  const kind = kindOf(root);
  const blocked = blockedCause(root);
  const own = apply(kindRules(root), root, seen);
  const isOver = workloads.has(kind) ? isComplete(root) : finished.has(sayObject(root).state);
  if (root.kind === 'Pod') return podCauses([root as unknown as Pod], seen);
  const faultsAfter = !isOver && (workloads.has(kind) || (runsPods.has(kind) && own.length > 0) || kind.endsWith('Job'));
  const pods = podsOf(root, seen);
  // The same cause from a Pod has the better evidence and next step.
  const precise = blocked && preciseCause(blocked, pods, seen);
  const reported = precise?.cause ?? blocked;
  const others = pods.filter((pod) => pod !== precise?.pod);
  const detail = faultsAfter
    ? [...apply(objectRules.first, root, seen), ...podCauses(others, seen), ...apply(objectRules.last, root, seen)]
    : [];
  return [
    ...apply(objectRules.beforeBlocked, root, seen),
    ...(reported === undefined ? [] : [reported]),
    ...apply(objectRules.always, root, seen),
    ...own,
    ...detail,
  ];
}

function distinct(causes: readonly Cause[]): readonly Cause[] {
  const seen = new Set<string>();
  return causes.filter(({ reason }) => !seen.has(reason) && seen.add(reason));
}

function podVerdict(pod: Pod): Verdict {
  const name = nameOf({ ...pod, kind: 'Pod' });
  if (isPodFinished(pod)) return { kind: 'Sound', message: `${name} has ended` };
  if (isPodReady(pod)) return { kind: 'Sound', message: `${name} is ready` };
  return {
    kind: 'Progressing',
    message: `${name} is not ready yet: ${podCondition(pod, 'Ready')?.message ?? pod.status?.phase ?? 'Pending'}`,
  };
}

/** When the object last changed, as far as its status says. */
const lastChange = (root: AnyObject, seen: Seen): boolean =>
  seen
    .podsBelow(root)
    .every((pod) => isLongAgo(podCondition(pod, 'Ready')?.lastTransitionTime ?? pod.metadata.creationTimestamp, seen, stalledMs));

function workloadVerdict(root: AnyObject, seen: Seen): Verdict {
  const name = nameOf(root);
  const { wanted, pods, ready, updated = wanted } = podNumbers(root);
  const numbers = `${pods} of ${wanted} Pods exist, ${updated} are up to date, ${ready} are ready`;
  if (isComplete(root)) return { kind: 'Sound', message: `${name} is complete: ${numbers}` };
  return lastChange(root, seen) && isLongAgo(specTime(root), seen, stalledMs)
    ? { kind: 'Unknown', message: `${name} is not complete (${numbers}), and nothing has changed for ${stalledMs / 60_000} minutes` }
    : { kind: 'Progressing', message: `${name} makes progress: ${numbers}` };
}

/** Returns the verdict on the root. @remarks Every time is compared with `now`; the order of the objects does not matter. */
export function explain(snapshot: Snapshot): Verdict {
  const { root } = snapshot;
  const seen = new Seen(snapshot);
  const [first, ...rest] = distinct(causesOf(root, seen)).slice(0, mostCauses);
  if (first !== undefined) return { kind: 'Stuck', causes: [first, ...rest] };
  if (root.kind === 'Pod') return podVerdict(root as unknown as Pod);
  if (workloads.has(kindOf(root))) return workloadVerdict(root, seen);
  const { state, health } = sayObject(root);
  const phase = state === '' ? (stringAt(root, 'status', 'phase') ?? 'nothing blocks it') : state;
  return { kind: health === 'Busy' ? 'Progressing' : 'Sound', message: `${nameOf(root)}: ${phase}` };
}
