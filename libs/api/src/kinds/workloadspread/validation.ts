/** What a WorkloadSpread must fulfil beyond its schema, in v1beta1. Objects may have any shape; nothing here throws. */
import {
  fieldDuplicate,
  fieldForbidden,
  fieldInternal,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  fieldTooMany,
  isJsonObject,
  isUnset,
  memberAt,
  textAt,
  validateLabelSelector,
  workloadLimits,
  type FieldError,
  type JsonObject,
  type LabelSelector,
} from '@kruise/objects';
import {
  emptyTargetFaults,
  isSameTarget,
  rivalOf,
  targetPath,
  targetReferenceOf,
  unservableTargetFaults,
  type TargetReference,
} from '../../validation/target-reference.ts';
import { limitFaults } from './validation-limits.ts';
import { PatchJudge, placementFaults, type SpreadTemplate } from './validation-subset.ts';

/** Whether workloads of a kind can be spread, or why that is unknown. */
export type SpreadSupport =
  { readonly kind: 'Supported' } | { readonly kind: 'Unsupported' } | { readonly kind: 'Unknown'; readonly why: string };

/** What the rules need besides the object. */
export interface WorkloadSpreadRules {
  /** Returns whether the administrator lists a kind that is not always supported. */
  readonly listed: (workload: { readonly group: string; readonly kind: string }) => SpreadSupport;
  /** The stored object; undefined on create. */
  readonly oldObject: JsonObject | undefined;
  /** The WorkloadSpreads of the namespace; the object itself may be among them. */
  readonly others: readonly JsonObject[];
  /** The template of the workload, when it exists and its template is known: patches are tried on it. */
  readonly template: SpreadTemplate | undefined;
}

/** The groups in which a kind is supported without being listed. */
const supportedGroups: ReadonlyMap<string, readonly string[]> = new Map([
  ['CloneSet', ['apps.kruise.io']],
  ['Deployment', ['apps']],
  ['ReplicaSet', ['apps']],
  ['Job', ['batch']],
  ['StatefulSet', ['apps', 'apps.kruise.io']],
]);

/** Returns whether every cluster allows a kind of workload to be spread, independently of its white list. */
export const isSpreadable = ({ group, kind }: { readonly group: string; readonly kind: string }): boolean =>
  supportedGroups.get(kind)?.includes(group) === true;

function kindFaults(target: unknown, { group, kind }: TargetReference, rules: WorkloadSpreadRules): readonly FieldError[] {
  const groups = supportedGroups.get(kind);
  if (groups !== undefined) {
    const allowed = groups.map((one) => JSON.stringify(one)).join(' or ');
    return groups.includes(group) ? [] : [fieldInvalid(targetPath, target, `a ${kind} must be of group ${allowed}`)];
  }
  const support = rules.listed({ group, kind });
  if (support.kind === 'Unknown') return [fieldInternal(targetPath, support.why)];
  const detail = `must be one of ${[...supportedGroups.keys()].join(', ')}, or of a kind on the white list of the cluster`;
  return support.kind === 'Supported' ? [] : [fieldInvalid(targetPath, target, detail)];
}

function targetFaults(object: JsonObject, rules: WorkloadSpreadRules): readonly FieldError[] {
  const target = memberAt(object, 'spec', 'targetRef');
  if (isUnset(target)) return [fieldRequired(targetPath, 'says whose Pods are spread')];
  const empty = emptyTargetFaults(object);
  return empty.length > 0
    ? empty
    : [...unservableTargetFaults(object, rules.oldObject), ...kindFaults(target, targetReferenceOf(object), rules)];
}

function conflictFaults(object: JsonObject, { others, oldObject }: WorkloadSpreadRules): readonly FieldError[] {
  const target = memberAt(object, 'spec', 'targetRef');
  const other = rivalOf(object, others);
  const isMoved = oldObject !== undefined && !isSameTarget(targetReferenceOf(oldObject), targetReferenceOf(object));
  return [
    ...(isMoved ? [fieldForbidden(targetPath, 'only the version of targetRef may be changed')] : []),
    ...(other === undefined
      ? []
      : [
          fieldInvalid(
            targetPath,
            target,
            `is in conflict with WorkloadSpread ${textAt(other, 'metadata', 'name')}, which is for the same workload`,
          ),
        ]),
  ];
}

function subsetFaults(subsets: readonly unknown[], judge: PatchJudge): readonly FieldError[] {
  const names = new Set<string>();
  return subsets.flatMap((subset, index) => {
    const path = fieldPath('spec', 'subsets', index);
    if (!isJsonObject(subset)) return [fieldInvalid(path, subset, 'must be an object')];
    const name = textAt(subset, 'name');
    const isTaken = name !== '' && names.has(name);
    names.add(name);
    return [
      ...(name === '' ? [fieldRequired(fieldPath(path, 'name'), 'must not be empty')] : []),
      ...(isTaken ? [fieldDuplicate(fieldPath(path, 'name'), name)] : []),
      ...placementFaults(subset, path),
      ...judge.faultsOf(subset, path),
    ];
  });
}

const strategyTypes = ['', 'Adaptive', 'Fixed'];

/** A subset counts as unschedulable for this time; all except the last have to be tried within it. */
const rescheduleBudgetSeconds = 295;

function criticalFaults(seconds: unknown, subsetCount: number): readonly FieldError[] {
  const path = 'spec.scheduleStrategy.adaptive.rescheduleCriticalSeconds';
  if (isUnset(seconds)) return [];
  if (typeof seconds !== 'number' || !Number.isInteger(seconds)) return [fieldInvalid(path, seconds, 'must be an integer')];
  if (seconds < 0) return [fieldInvalid(path, seconds, 'must not be negative')];
  const most = subsetCount < 2 ? Infinity : Math.floor(rescheduleBudgetSeconds / (subsetCount - 1));
  if (seconds <= most) return [];
  const why = `must not be above ${most} with ${subsetCount} subsets: a subset in which Pods cannot be scheduled is skipped for 300 seconds, within which all other subsets must be tried`;
  return [fieldInvalid(path, seconds, why)];
}

function strategyFaults(object: JsonObject, subsets: readonly unknown[]): readonly FieldError[] {
  const path = 'spec.scheduleStrategy';
  const type = memberAt(object, 'spec', 'scheduleStrategy', 'type') ?? '';
  const adaptive = memberAt(object, 'spec', 'scheduleStrategy', 'adaptive');
  const isGiven = !isUnset(adaptive);
  const lastLimit = memberAt(subsets.at(-1), 'maxReplicas');
  const isUnknown = typeof type !== 'string' || !strategyTypes.includes(type);
  return [
    ...(isUnknown ? [fieldInvalid(`${path}.type`, type, 'must be Adaptive or Fixed')] : []),
    ...(isGiven && type !== 'Adaptive' && !isUnknown
      ? [fieldInvalid(`${path}.type`, type, 'must be Adaptive where adaptive is given')]
      : []),
    ...(isGiven && subsets.length > 1 && !isUnset(lastLimit)
      ? [fieldInvalid(`${path}.adaptive`, adaptive, 'the last subset must have no maxReplicas, for it takes what no other can')]
      : []),
    ...criticalFaults(memberAt(adaptive, 'rescheduleCriticalSeconds'), subsets.length),
  ];
}

function filterFaults(object: JsonObject): readonly FieldError[] {
  const selector = memberAt(object, 'spec', 'targetFilter', 'selector');
  return isUnset(selector) ? [] : validateLabelSelector(selector as LabelSelector, 'spec.targetFilter.selector');
}

/** The faults of a WorkloadSpread, and what could not be checked. */
export interface WorkloadSpreadFindings {
  /** In the order of the members. */
  readonly faults: readonly FieldError[];
  readonly warnings: readonly string[];
}

const warningsOf = ({ unjudged }: PatchJudge): readonly string[] =>
  unjudged === 0
    ? []
    : [
        `spec.subsets: ${unjudged} patches were not tried on the template of the workload: together with it, all patches have more than ${workloadLimits.judgedBytesOfSpread.value >> 20} MiB`,
      ];

/**
 * Returns every fault, in the order of the members.
 *
 * @param object in v1beta1
 * @see spec/workloadspread.md 4.1
 */
export function workloadSpreadFindings(object: JsonObject, rules: WorkloadSpreadRules): WorkloadSpreadFindings {
  const value = memberAt(object, 'spec', 'subsets');
  const subsets: readonly unknown[] = Array.isArray(value) ? value : [];
  const most = workloadLimits.subsetsOfSpread.value;
  const judge = new PatchJudge(rules.template);
  const faults = [
    ...targetFaults(object, rules),
    ...(subsets.length === 0 ? [fieldRequired('spec.subsets', 'at least one subset must be given')] : []),
    ...(subsets.length > most ? [fieldTooMany('spec.subsets', subsets.length, most)] : []),
    ...subsetFaults(subsets, judge),
    ...limitFaults(subsets, textAt(object, 'spec', 'targetRef', 'kind')),
    ...strategyFaults(object, subsets),
    ...filterFaults(object),
    ...conflictFaults(object, rules),
  ];
  return { faults, warnings: warningsOf(judge) };
}

/** Returns the faults of {@link workloadSpreadFindings}. */
export const validateWorkloadSpread = (object: JsonObject, rules: WorkloadSpreadRules): readonly FieldError[] =>
  workloadSpreadFindings(object, rules).faults;

/**
 * Returns the first fault of an object that passed admission which the rules cannot handle; undefined for none.
 *
 * @see spec/workloadspread.md 4.1
 */
export function unworkableSpread(object: JsonObject): FieldError | undefined {
  const supported = (): SpreadSupport => ({ kind: 'Supported' });
  return validateWorkloadSpread(object, { listed: supported, oldObject: undefined, others: [], template: undefined })[0];
}
