/** Predicts what a SidecarSet does to the Pods that it was injected into. */
import { memberAt, type Pod } from '@kruise/objects';
import type { AnyObject } from '../seen.ts';
import type { BatchEnd, ChangePlan, PlanFacts, WorkloadPlan } from './change-plan.ts';
import { countsText, pods } from './counts-text.ts';
import { runSidecarSet, type SidecarRollout } from './sidecarset-run.ts';

const valueText = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '0');

function endOf({ outdated, notUpgradable, refusedBy }: SidecarRollout, strategy: unknown): BatchEnd {
  if (outdated === 0) return { kind: 'Done' };
  if (memberAt(strategy, 'paused') === true) return { kind: 'Paused' };
  if (memberAt(strategy, 'type') === 'NotUpdate') return { kind: 'Blocked', limit: 'the type of the update strategy is NotUpdate' };
  if (refusedBy !== undefined) return { kind: 'Budget', limit: refusedBy };
  if (notUpgradable > 0)
    return { kind: 'Blocked', limit: `${pods(notUpgradable)} would need more than other images, which only new Pods get` };
  return { kind: 'Partition', limit: `partition ${valueText(memberAt(strategy, 'partition'))}` };
}

/** Images that updated Pods have now, and their nodes did not have for a Pod that was seen. */
function sidecarImages({ objects }: PlanFacts, after: readonly Pod[], updated: ReadonlySet<string>): WorkloadPlan['images'] {
  const held = objects.filter(({ kind }) => kind === 'Pod') as unknown as readonly Pod[];
  const at = ({ spec }: Pod): readonly string[] => spec.containers.map(({ image = '' }) => `${spec.nodeName ?? ''} ${image}`);
  const present = new Set(held.flatMap(at));
  const own = after.filter(({ metadata: { namespace = '', name } }) => updated.has(`${namespace}/${name}`));
  const pulled = [...new Set(own.flatMap(at))].filter((pair) => !present.has(pair)).map((pair) => pair.slice(pair.indexOf(' ') + 1));
  return [...Map.groupBy(pulled, (image) => image)].map(([image, all]) => ({ image, nodes: all.length, isExact: true }));
}

/** Carries out the rollout of a SidecarSet. New Pods get the change in any case, by injection. */
export function planSidecarSet(
  before: AnyObject | undefined,
  after: AnyObject,
  facts: PlanFacts,
): Pick<ChangePlan, 'summary' | 'workloads'> {
  if (before === undefined) return { summary: 'new Pods get the sidecars; Pods that exist are not changed', workloads: [] };
  const rollout = runSidecarSet(after, facts);
  const { steps, matched, outdated, pods: own } = rollout;
  const updated = new Set(steps.flatMap((step) => step.updated));
  const strategy = memberAt(after, 'spec', 'updateStrategy');
  const endedBy = endOf(rollout, strategy);
  const between: BatchEnd = { kind: 'MaxUnavailable', limit: `maxUnavailable ${valueText(memberAt(strategy, 'maxUnavailable') ?? 1)}` };
  const workload: WorkloadPlan = {
    kind: after.kind ?? '',
    name: after.metadata.name,
    operation: 'Update',
    counts: { inPlace: updated.size, recreated: 0, created: 0, deleted: 0, untouched: matched - updated.size, outdated },
    batches: steps.map((step, index) => ({
      inPlace: [...step.updated, ...step.flipped.filter((pod) => !step.updated.includes(pod))],
      recreated: [],
      deleted: [],
      created: 0,
      endedBy: index === steps.length - 1 ? endedBy : step.refusedBy === undefined ? between : { kind: 'Budget', limit: step.refusedBy },
    })),
    endedBy,
    wantsInPlace: false,
    recreations: [],
    claims: [],
    images: sidecarImages(facts, own, updated),
    assumptions: steps.some(({ flipped }) => flipped.length > 0)
      ? ['a hot upgrade changes a Pod twice: the new container, then the old one']
      : [],
  };
  return { summary: countsText(workload.counts), workloads: [workload] };
}
