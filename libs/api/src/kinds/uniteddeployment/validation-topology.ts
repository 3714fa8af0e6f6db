/** What the subsets of a UnitedDeployment must fulfil, individually and together. @see spec/uniteddeployment.md 4.2 */
import {
  checkDns1123Label,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  fieldTypeInvalid,
  isJsonObject,
  isUnset,
  memberAt,
  mostListedErrors,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { nodeTerm } from '../../pod-template/validation/checks/affinity.ts';
import { faultsBy } from '../../pod-template/validation/faults-by.ts';
import { tolerations } from '../../pod-template/validation/scheduling.ts';
import { parseSubsetShare } from './subset-share.ts';

const path = 'spec.topology.subsets';
type ShareName = 'replicas' | 'minReplicas' | 'maxReplicas';

function validateSubset(subset: JsonObject, at: string, isAdaptive: boolean): readonly FieldError[] {
  const { name, nodeSelectorTerm, tolerations: tolerated, replicas, patch } = subset;
  const faults: FieldError[] = [];
  if (isUnset(name) || name === '') faults.push(fieldRequired(`${at}.name`));
  else if (typeof name !== 'string') faults.push(fieldTypeInvalid(`${at}.name`, name, 'must be a string'));
  else for (const why of checkDns1123Label(name)) faults.push(fieldInvalid(`${at}.name`, name, why));
  faults.push(...faultsBy(nodeTerm, nodeSelectorTerm, `${at}.nodeSelectorTerm`));
  faults.push(...faultsBy(tolerations, tolerated, `${at}.tolerations`));
  if (isAdaptive && !isUnset(replicas))
    faults.push(fieldForbidden(`${at}.replicas`, 'cannot be used with an Adaptive schedule strategy; use minReplicas and maxReplicas'));
  if (!isUnset(patch) && !isJsonObject(patch)) faults.push(fieldTypeInvalid(`${at}.patch`, patch, 'must be an object'));
  return faults;
}

interface Shares {
  /** In Pods; undefined for an absent or unreadable value. */
  readonly pods: Readonly<Record<ShareName, number | undefined>>;
  readonly faults: readonly FieldError[];
}

function sharesOf(subset: JsonObject, at: string, total: number | undefined): Shares {
  const faults: FieldError[] = [];
  const read = (name: ShareName): number | undefined => {
    const value = subset[name];
    if (isUnset(value)) return undefined;
    const share = parseSubsetShare(value, total);
    if (share.kind === 'Pods') return share.value;
    faults.push(fieldInvalid(`${at}.${name}`, value, share.why));
    return undefined;
  };
  const pods = { replicas: read('replicas'), minReplicas: read('minReplicas'), maxReplicas: read('maxReplicas') };
  if (pods.minReplicas !== undefined && pods.minReplicas > (pods.maxReplicas ?? Infinity))
    faults.push(fieldInvalid(`${at}.minReplicas`, subset['minReplicas'], 'must not be greater than maxReplicas'));
  return { pods, faults };
}

const sum = (numbers: readonly (number | undefined)[]): number => numbers.reduce<number>((a, b) => a + (b ?? 0), 0);

function elasticFaults(subsets: readonly JsonObject[], shares: readonly Shares[], total: number | undefined): readonly FieldError[] {
  const [minimum, maximum] = [sum(shares.map(({ pods }) => pods.minReplicas)), sum(shares.map(({ pods }) => pods.maxReplicas))];
  const isBounded = subsets.every((subset) => !isUnset(subset['maxReplicas']));
  return [
    ...(total === undefined ? [fieldInvalid(path, subsets.length, 'minReplicas and maxReplicas need spec.replicas')] : []),
    ...(isBounded ? [fieldInvalid(path, subsets.length, 'at least one subset must have no maxReplicas')] : []),
    ...(isBounded && minimum > maximum
      ? [fieldInvalid(path, minimum, `the sum of minReplicas is greater than that of maxReplicas, ${maximum}`)]
      : []),
  ];
}

function specificFaults(subsets: readonly JsonObject[], shares: readonly Shares[], total: number | undefined): readonly FieldError[] {
  const specified = sum(shares.map(({ pods }) => pods.replicas));
  const isWhole = subsets.length > 0 && subsets.every((subset) => !isUnset(subset['replicas']));
  if (total === undefined)
    return isWhole || subsets.length === 0 ? [] : [fieldInvalid(path, subsets.length, 'without spec.replicas every subset needs replicas')];
  if (specified > total) return [fieldInvalid(path, specified, `the sum of replicas must not be greater than spec.replicas, ${total}`)];
  return isWhole && specified !== total
    ? [fieldInvalid(path, specified, `when all subsets have replicas their sum must be spec.replicas, ${total}`)]
    : [];
}

/** Validates sums. Unreadable numbers are reported individually: sums with them have no meaning. */
function validateSums(subsets: readonly JsonObject[], total: number | undefined): readonly FieldError[] {
  const shares = subsets.map((subset, i) => sharesOf(subset, fieldPath(path, i), total));
  const faults = shares.flatMap((one) => one.faults);
  const gives = (name: ShareName): boolean => subsets.some((subset) => !isUnset(subset[name]));
  const isElastic = gives('minReplicas') || gives('maxReplicas');
  if (isElastic && gives('replicas'))
    return [
      ...faults,
      fieldInvalid(path, subsets.length, 'replicas and minReplicas or maxReplicas are mutually exclusive in one UnitedDeployment'),
    ];
  if (faults.some(({ field }) => !field.endsWith('minReplicas'))) return faults;
  return [...faults, ...(isElastic ? elasticFaults : specificFaults)(subsets, shares, total)];
}

function validateDuplicates(subsets: readonly JsonObject[]): readonly FieldError[] {
  const seen = new Set<unknown>();
  return subsets.flatMap(({ name }, i) => {
    if (typeof name !== 'string' || name === '') return [];
    if (seen.has(name)) return [fieldDuplicate(`${fieldPath(path, i)}.name`, name)];
    seen.add(name);
    return [];
  });
}

/** Validates the total, unless it is no number of Pods. */
function validateTotal(subsets: readonly JsonObject[], replicas: unknown): readonly FieldError[] {
  if (isUnset(replicas)) return validateSums(subsets, undefined);
  return Number.isInteger(replicas) && (replicas as number) >= 0 ? validateSums(subsets, replicas as number) : [];
}

/** Validates the topology. @param spec of the UnitedDeployment, with its defaults */
export function validateTopology(spec: JsonObject): readonly FieldError[] {
  const { topology, replicas } = spec;
  if (isUnset(topology)) return [];
  if (!isJsonObject(topology)) return [fieldTypeInvalid('spec.topology', topology, 'must be an object')];
  const { subsets } = topology;
  if (isUnset(subsets)) return [];
  if (!Array.isArray(subsets)) return [fieldTypeInvalid(path, subsets, 'must be a list')];
  const strange = subsets.findIndex((subset) => !isJsonObject(subset));
  if (strange >= 0) return [fieldTypeInvalid(fieldPath(path, strange), subsets[strange], 'must be an object')];
  const isAdaptive = memberAt(topology, 'scheduleStrategy', 'type') === 'Adaptive';
  const list = subsets as readonly JsonObject[];
  return [
    ...list.flatMap((subset, i) => validateSubset(subset, fieldPath(path, i), isAdaptive)),
    ...validateDuplicates(list),
    ...validateTotal(list, replicas),
  ].slice(0, mostListedErrors + 1);
}
