/** Predicts what a change of an object does. Pure: equal facts give an equal plan. */
import { inHub } from '@kruise/api';
import { deepEqual, memberAt, numberAt } from '@kruise/objects';
import { kindOf, type AnyObject } from '../seen.ts';
import type { ChangePlan, PlanFacts } from './change-plan.ts';
import { countsText, pods } from './counts-text.ts';
import { fieldChanges } from './field-changes.ts';
import type { Act } from './run/simulated-pods.ts';
import { sentences } from './other-kinds.ts';
import { planSidecarSet } from './plan-sidecarset.ts';
import { planChildren } from './plan-united.ts';
import { changed, planWorkload, predictActs, runKinds } from './plan-workload.ts';

/** Plans the workloads of a kind that is not carried out itself. */
type Planned = Pick<ChangePlan, 'summary' | 'workloads'>;
type Planner = (before: AnyObject | undefined, after: AnyObject, facts: PlanFacts) => Planned;

/** Plans each child of a UnitedDeployment whose controller is one of Kruise. */
function planUnited(_before: AnyObject | undefined, after: AnyObject, facts: PlanFacts): Planned {
  const found = planChildren(after, facts);
  if (found.kind === 'Impossible') return { summary: `no allocation is possible: ${found.why}`, workloads: [] };
  const children = found.children.flatMap(({ after: child, before: held }) => (child === undefined ? [] : [{ child, held }]));
  const workloads = children.flatMap(({ child, held }) => planChange(held, child, facts).workloads);
  const others = found.children.map(({ subset, before: held, after: child }) => childText(subset, held, child));
  return { summary: others.length === 0 ? 'no child changes' : others.join('; '), workloads };
}

const replicasOf = (object: AnyObject): number => numberAt(object, 'spec', 'replicas') ?? 1;

function childText(subset: string, before: AnyObject | undefined, after: AnyObject | undefined): string {
  if (after === undefined) return `subset ${subset} is deleted with ${pods(before === undefined ? 0 : replicasOf(before))}`;
  if (before === undefined) return `subset ${subset} is created with ${pods(replicasOf(after))}`;
  const [from, to] = [replicasOf(before), replicasOf(after)];
  return from === to ? `subset ${subset} changes` : `subset ${subset} changes from ${from} to ${pods(to)}`;
}

const planners: Readonly<Record<string, Planner>> = {
  'apps.kruise.io/UnitedDeployment': planUnited,
  'apps.kruise.io/SidecarSet': planSidecarSet,
};

interface Change {
  readonly old: AnyObject | undefined;
  readonly object: AnyObject;
  readonly operation: ChangePlan['operation'];
}

function changeOf(before: AnyObject | undefined, after: AnyObject): Change {
  const [old, wanted] = [before === undefined ? undefined : inHub(before), inHub(after)];
  const isChange = old === undefined || !deepEqual(memberAt(old, 'spec'), memberAt(wanted, 'spec'));
  return { old, object: changed(old, wanted, isChange), operation: old === undefined ? 'Create' : isChange ? 'Update' : 'None' };
}

/** Returns what the controller of a workload does to Pods, a list for each time that it waits for the cluster; empty for other kinds. */
export function actsOfChange(before: AnyObject | undefined, after: AnyObject, facts: PlanFacts): readonly (readonly Act[])[] {
  const { old, object } = changeOf(before, after);
  const runKind = runKinds[kindOf(object)];
  return runKind === undefined ? [] : predictActs(old, object, facts, runKind);
}

/**
 * Predicts a change.
 *
 * @param before as the API server has it; undefined when the object is created
 * @param after with its defaults, in any version; its metadata and status need not be those of the API server
 */
export function planChange(before: AnyObject | undefined, after: AnyObject, facts: PlanFacts): ChangePlan {
  const { old, object, operation } = changeOf(before, after);
  const base = { kind: object.kind ?? '', name: object.metadata.name, operation, fields: fieldChanges(old, object) };
  const runKind = runKinds[kindOf(object)];
  if (runKind !== undefined) {
    const workload = { ...planWorkload(old, object, facts, runKind), operation };
    return { ...base, summary: countsText(workload.counts), workloads: [workload] };
  }
  const planner = operation === 'None' ? undefined : planners[kindOf(object)];
  const sentence = operation === 'None' ? '' : (sentences[kindOf(object)] ?? 'the plan does not know what this kind does to Pods');
  return { ...base, ...(planner?.(old, object, facts) ?? { summary: sentence, workloads: [] }) };
}
