/** Counters and the six conditions. Pure. @see spec/resourcedistribution.md 3, 5.2 */
import {
  distributionConditions,
  distributionReasons,
  type DistributionCondition,
  type ResourceDistribution,
  type ResourceDistributionCondition,
  type ResourceDistributionStatus,
} from '@kruise/api';
import { formatTime, type Instant } from '@kruise/objects';

/** Why one namespace is not as it should be. */
export interface Problem {
  /** '' for what concerns all. */
  readonly namespace: string;
  readonly condition: DistributionCondition;
  /** In the words of the API server, or of the contract. */
  readonly reason: string;
}

/** What came of one pass. */
export interface Outcomes {
  readonly desired: number;
  /** Of namespaces that should have a copy; each counts as failed. */
  readonly problems: readonly Problem[];
  /** Of namespaces that should have no copy; only conditions report them. */
  readonly leftovers: readonly Problem[];
}

/** Some words for a reader, not a list of thousands. */
const mostReason = 1024;

function conditionOf(
  type: DistributionCondition,
  problems: readonly Problem[],
  held: ResourceDistributionCondition | undefined,
  now: Instant,
): ResourceDistributionCondition {
  const failed = problems.filter(({ condition }) => condition === type).toSorted((a, b) => (a.namespace < b.namespace ? -1 : 1));
  const names = [...new Set(failed.map(({ namespace }) => namespace))].filter((name) => name !== '');
  const status = failed.length === 0 ? 'False' : 'True';
  const isSame = held?.type === type && held.status === status && held.lastTransitionTime !== undefined;
  return {
    type,
    status,
    // The last in the order of names: the same failures give the same text, in whatever order they came.
    reason: failed.at(-1)?.reason.slice(0, mostReason) ?? distributionReasons.succeeded,
    lastTransitionTime: isSame ? held.lastTransitionTime : formatTime(now),
    ...(names.length === 0 ? {} : { failedNamespaces: names }),
  };
}

/** 0 is omitted. */
const counter = <Name extends string>(name: Name, value: number): Partial<Record<Name, number>> =>
  (value === 0 ? {} : { [name]: value }) as Partial<Record<Name, number>>;

export function computeStatus(
  { metadata, status }: Pick<ResourceDistribution, 'metadata' | 'status'>,
  { desired, problems, leftovers }: Outcomes,
  now: Instant,
): ResourceDistributionStatus {
  const failed = new Set(problems.map(({ namespace }) => namespace)).size;
  const all = [...problems, ...leftovers];
  return {
    ...counter('desired', desired),
    ...counter('succeeded', desired - failed),
    ...counter('failed', failed),
    observedGeneration: metadata.generation ?? 0,
    conditions: distributionConditions.map((type, index) => conditionOf(type, all, status?.conditions?.[index], now)),
  };
}

/** Conditions that say something is wrong and did not say so before. */
export const newlyFailed = (
  before: ResourceDistributionStatus | undefined,
  { conditions = [] }: ResourceDistributionStatus,
): readonly ResourceDistributionCondition[] =>
  conditions.filter(({ type, status }) => status === 'True' && before?.conditions?.find((one) => one.type === type)?.status !== 'True');

/** Problems that may end without an event here: a namespace is created again, an object of another owner is deleted. */
export const waitsForOthers = ({ problems }: Pick<Outcomes, 'problems'>): boolean =>
  problems.some(({ condition }) => condition === 'ConflictOccurred' || condition === 'NamespaceNotExists');
