/** How many Pods a workload has in all, and how many each subset takes of them. Pure. @see spec/workloadspread.md 2.1, 4.3 */
import type { WorkloadSpread } from '@kruise/api';
import { isJsonObject, ownMember, scaleIntOrPercentOr, type KubeObject } from '@kruise/objects';

type Subset = WorkloadSpread['spec']['subsets'][number];

/** As a limit, and as what is missing: there is none. */
export const unlimited = -1;

/** More Pods than any workload has. */
export const unlimitedRoom = 2 ** 31 - 1;

const isPercent = (value: unknown): boolean => typeof value === 'string';

/** Whether the number of the workload's Pods matters. */
export const usesPercent = ({ spec }: Pick<WorkloadSpread, 'spec'>): boolean =>
  spec.subsets.some(({ maxReplicas }) => isPercent(maxReplicas));

/**
 * How many Pods the subset takes, percentages rounded up; {@link unlimited} without a limit.
 *
 * @param total Pods of the workload; undefined if unknown, which counts as 0
 */
export function limitOf({ maxReplicas }: Pick<Subset, 'maxReplicas'>, total: number | undefined): number {
  if (maxReplicas === undefined || maxReplicas === null) return unlimited;
  return Math.max(0, scaleIntOrPercentOr(0, maxReplicas, Math.max(0, total ?? 0), 'up'));
}

export type Count = { readonly kind: 'Count'; readonly value: number } | { readonly kind: 'Faulty'; readonly why: string };

/** One step of a path: a member, or the place in a list. */
function stepInto(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return /^\d{1,9}$/.test(step) ? (value[Number(step)] as unknown) : undefined;
  return isJsonObject(value) ? ownMember(value, step) : undefined;
}

/**
 * The whole number at a path such as `spec.subsets.1.replicas`; an empty path is 0.
 *
 * @see spec/workloadspread.md 5.2
 */
export function replicasAt(object: KubeObject, path: string): Count {
  if (path === '') return { kind: 'Count', value: 0 };
  const value = path.split('.').reduce<unknown>(stepInto, object);
  const isCount = typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 31;
  if (isCount) return { kind: 'Count', value };
  const found = value === undefined ? 'nothing' : JSON.stringify(value);
  return { kind: 'Faulty', why: `there is no 32-bit integer at ${path} of ${object.metadata.name}, but ${found}` };
}

/** The sum of the values at all paths. */
export function replicasAtAll(object: KubeObject, paths: readonly string[]): Count {
  let sum = 0;
  for (const path of paths) {
    const count = replicasAt(object, path);
    if (count.kind === 'Faulty') return count;
    sum += count.value;
  }
  return { kind: 'Count', value: sum };
}
