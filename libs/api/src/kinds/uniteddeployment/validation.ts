/** What a UnitedDeployment of either version must fulfil to be stored. @see spec/uniteddeployment.md 4.2, 4.3 */
import {
  fieldForbidden,
  fieldInvalid,
  fieldKey,
  fieldNotFound,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  fieldTypeInvalid,
  isEmptyLabelSelector,
  isJsonObject,
  isUnset,
  memberAt,
  membersAt,
  semanticEqual,
  validateLabelSelector,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { atLeast, bool, objectOf } from '../../pod-template/validation/checks/check.ts';
import { faultsBy } from '../../pod-template/validation/faults-by.ts';
import { validateCount } from '../../validation/workload.ts';

/** The types of the members that need no rule of their own. */
export const shape = objectOf({ revisionHistoryLimit: atLeast(0) });

/** Validates the selector; that it fits the children is checked with their template. */
export function validateUnitedSelector({ selector }: JsonObject): readonly FieldError[] {
  const path = 'spec.selector';
  if (isUnset(selector)) return [fieldRequired(path)];
  if (!isJsonObject(selector)) return [fieldTypeInvalid(path, selector, 'must be an object')];
  const faults = validateLabelSelector(selector, path);
  if (faults.length > 0) return faults;
  return isEmptyLabelSelector(selector) ? [fieldInvalid(path, selector, 'empty selector is invalid for uniteddeployment')] : [];
}

const scheduling = objectOf({ adaptive: objectOf({ reserveUnschedulablePods: bool }) });

/** Validates what happens to Pods that cannot be scheduled. */
export function validateSchedule(spec: JsonObject): readonly FieldError[] {
  const path = 'spec.topology.scheduleStrategy';
  const strategy = membersAt(spec, 'topology')['scheduleStrategy'];
  const { type = '' } = isJsonObject(strategy) ? strategy : {};
  const reserves = type === 'Adaptive' && memberAt(strategy, 'adaptive', 'reserveUnschedulablePods') === true;
  const ordered = ['statefulSetTemplate', 'advancedStatefulSetTemplate'].filter((name) => !isUnset(memberAt(spec, 'template', name)));
  return [
    ...faultsBy(scheduling, strategy, path),
    ...(['', 'Adaptive', 'Fixed', null].includes(type as string | null)
      ? []
      : [fieldNotSupported(`${path}.type`, type, ['Adaptive', 'Fixed'])]),
    ...(reserves && ordered.length > 0
      ? [fieldForbidden(path, `reserveUnschedulablePods is for cloneSetTemplate and deploymentTemplate, not for ${ordered.join(', ')}`)]
      : []),
  ];
}

/** Validates the update strategy. */
export function validateStrategy(spec: JsonObject): readonly FieldError[] {
  const path = 'spec.updateStrategy';
  const strategy = spec['updateStrategy'];
  if (!isUnset(strategy) && !isJsonObject(strategy)) return [fieldTypeInvalid(path, strategy, 'must be an object')];
  const { type = '', manualUpdate } = membersAt(spec, 'updateStrategy');
  const partitions = memberAt(manualUpdate, 'partitions');
  const subsets: unknown = membersAt(spec, 'topology')['subsets'];
  const names = new Set((Array.isArray(subsets) ? subsets : []).map((subset: unknown) => memberAt(subset, 'name')));
  const at = `${path}.manualUpdate.partitions`;
  return [
    ...(type === '' || type === null || type === 'Manual' ? [] : [fieldNotSupported(`${path}.type`, type, ['Manual'])]),
    ...(isUnset(partitions) || isJsonObject(partitions) ? [] : [fieldTypeInvalid(at, partitions, 'must be an object')]),
    ...Object.entries(isJsonObject(partitions) ? partitions : {}).flatMap(([name, value]) => [
      ...(names.has(name) ? [] : [fieldNotFound(fieldKey(at, name), name)]),
      ...validateCount(value, fieldKey(at, name)),
    ]),
  ];
}

const subsetsOf = (object: JsonObject): readonly unknown[] => {
  const list = memberAt(object, 'spec', 'topology', 'subsets');
  return Array.isArray(list) ? list : [];
};

/** Validates that the nodes of a subset do not change: another subset has other nodes. */
function validateSubsetsUpdate(object: JsonObject, oldObject: JsonObject): readonly FieldError[] {
  const before = new Map(subsetsOf(oldObject).map((subset) => [memberAt(subset, 'name'), subset]));
  return subsetsOf(object).flatMap((subset, i) => {
    const old = before.get(memberAt(subset, 'name'));
    if (old === undefined) return [];
    return ['nodeSelectorTerm', 'tolerations']
      .filter((name) => !isSame(memberAt(subset, name), memberAt(old, name)))
      .map((name) => fieldForbidden(fieldPath('spec.topology.subsets', i, name), 'may not change; add a subset of another name instead'));
  });
}

/** Compares terms. An empty term equals none. */
const isSame = (a: unknown, b: unknown): boolean =>
  semanticEqual(a, b) ||
  [a, b].every(
    (value) => isUnset(value) || semanticEqual(value, {}) || (isJsonObject(value) && semanticEqual({ ...value }, { matchExpressions: [] })),
  );

/** Members of a template's spec that may change when children of the kind accept changes of no others. */
const mutable: Readonly<Record<string, readonly string[]>> = {
  statefulSetTemplate: ['template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy', 'minReadySeconds', 'ordinals'],
  advancedStatefulSetTemplate: ['replicas', 'template', 'updateStrategy'],
};

/** Returns a member with its default, under its name, for comparing empty values. */
const memberOf = (spec: JsonObject, name: string): JsonObject => {
  const value = spec[name];
  return { [name]: name === 'podManagementPolicy' && (isUnset(value) || value === '') ? 'OrderedReady' : value };
};

function validateTemplateUpdate(object: JsonObject, oldObject: JsonObject): readonly FieldError[] {
  return Object.entries(mutable).flatMap(([name, members]) => {
    const [spec, oldSpec] = [object, oldObject].map((one) => memberAt(one, 'spec', 'template', name, 'spec'));
    if (!isJsonObject(spec) || !isJsonObject(oldSpec)) return [];
    // eslint-disable-next-line kruise/cross-product -- `mutable` is a constant
    const names = new Set([...Object.keys(spec), ...Object.keys(oldSpec)].filter((member) => !members.includes(member)));
    const changed = [...names].filter((member) => !semanticEqual(memberOf(spec, member), memberOf(oldSpec, member))).sort();
    return changed.length === 0
      ? []
      : [fieldForbidden(`spec.template.${name}.spec`, `only ${members.join(', ')} may change; ${changed.join(', ')} changed`)];
  });
}

/**
 * Returns what an update must not do, in addition to `validateUnitedDeployment` of the new object. Both objects have the same version.
 *
 * @remarks Never throws. Writing an equivalent value is no change.
 */
export const validateUnitedDeploymentUpdate = (object: JsonObject, oldObject: JsonObject): readonly FieldError[] => [
  ...(semanticEqual(memberAt(object, 'spec', 'selector'), memberAt(oldObject, 'spec', 'selector'))
    ? []
    : [fieldForbidden('spec.selector', 'may not change: the children would no longer be found')]),
  ...validateSubsetsUpdate(object, oldObject),
  ...validateTemplateUpdate(object, oldObject),
];
