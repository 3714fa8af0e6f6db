/** Affinity and node selection of a Pod. */
import {
  checkDns1123Label,
  checkLabelValue,
  checkQualifiedName,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  isUnset,
  labelSelectorFaults,
  listAt,
  textAt,
  type FieldError,
  type LabelSelector,
} from '@kruise/objects';
import { anyText, wholeNumber, mapOf, objectOf, objectsOf, textBy, textList, type Check, type Rule } from './check.ts';

/** Checks keys and values of labels; both are reported at the map. */
export const labelMap = mapOf((key, value, { path, run }) => {
  for (const why of checkQualifiedName(key)) run.faults.push(fieldInvalid(path, key, why));
  if (typeof value !== 'string') run.faults.push(fieldInvalid(`${path}[${key}]`, value, 'must be a string'));
  else for (const why of checkLabelValue(value)) run.faults.push(fieldInvalid(path, value, why));
});

export const labelSelector: Check = (value, path, { faults }) => {
  if (!isUnset(value)) faults.push(...labelSelectorFaults(value as LabelSelector, path));
};

/** How many values each operator of a node selector accepts, and the fault for another number. */
const valueCounts: ReadonlyMap<unknown, (count: number, at: string) => FieldError | undefined> = (() => {
  const some = (count: number, at: string) =>
    count === 0 ? fieldRequired(at, "must be specified when `operator` is 'In' or 'NotIn'") : undefined;
  const none = (count: number, at: string) =>
    count > 0 ? fieldForbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'") : undefined;
  const one = (count: number, at: string) =>
    count === 1 ? undefined : fieldRequired(at, "must be specified single value when `operator` is 'Lt' or 'Gt'");
  return new Map([
    ['In', some],
    ['NotIn', some],
    ['Exists', none],
    ['DoesNotExist', none],
    ['Gt', one],
    ['Lt', one],
  ]);
})();

const operatorRule: Rule = (requirement, path, { faults }) => {
  const operator = requirement['operator'];
  if (!isUnset(operator) && typeof operator !== 'string') return;
  const check = valueCounts.get(operator);
  const fault =
    check === undefined
      ? fieldInvalid(`${path}.operator`, operator ?? '', 'not a valid selector operator')
      : check(listAt(requirement, 'values').length, `${path}.values`);
  if (fault !== undefined) faults.push(fault);
};

const keyRule: Rule = (requirement, path, { faults }) => {
  const key = textAt(requirement, 'key');
  for (const why of checkQualifiedName(key)) faults.push(fieldInvalid(`${path}.key`, key, why));
};

const requirementMembers: Readonly<Record<string, Check>> = { key: anyText, operator: anyText, values: textList };
const labelRequirement = objectOf(requirementMembers, operatorRule, keyRule);

/** Checks fields: only the node's name, with one value. */
const fieldRule: Rule = (requirement, path, { faults }) => {
  const operator = textAt(requirement, 'operator');
  if (operator !== 'In' && operator !== 'NotIn') faults.push(fieldInvalid(`${path}.operator`, operator, 'not a valid selector operator'));
  else if (listAt(requirement, 'values').length !== 1)
    faults.push(fieldRequired(`${path}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  const key = textAt(requirement, 'key');
  if (key !== 'metadata.name') faults.push(fieldInvalid(`${path}.key`, key, 'not a valid field selector key'));
};

/** Checks what a node must fulfil. */
export const nodeTerm = objectOf({
  matchExpressions: objectsOf(labelRequirement),
  matchFields: objectsOf(objectOf(requirementMembers, fieldRule)),
});
const nodeSelector = objectOf({ nodeSelectorTerms: objectsOf(nodeTerm) }, (selector, path, { faults }) => {
  if (listAt(selector, 'nodeSelectorTerms').length === 0)
    faults.push(fieldRequired(`${path}.nodeSelectorTerms`, 'must have at least one node selector term'));
});

const weight = wholeNumber(1, 100, 'must be in the range 1-100');

/** Checks a term with its weight, which is required: 0 is what absence means, and it is out of range. */
const weighed = (member: string, check: Check): Check =>
  objectOf({ weight, [member]: check }, (term, path, run) => {
    if (isUnset(term['weight'])) weight(0, `${path}.weight`, run);
    if (isUnset(term[member])) check({}, `${path}.${member}`, run);
  });

/** Checks what a node should fulfil, each with its weight. */
export const preferredNodeTerms = objectsOf(weighed('preference', nodeTerm));

const nodeAffinity = objectOf({
  requiredDuringSchedulingIgnoredDuringExecution: nodeSelector,
  preferredDuringSchedulingIgnoredDuringExecution: preferredNodeTerms,
});

/** Reported at `namespace`, as the API server does. */
const namespaceNames: Rule = (term, path, { faults }) => {
  listAt(term, 'namespaces').forEach((name) => {
    if (typeof name !== 'string') return;
    for (const why of checkDns1123Label(name)) faults.push(fieldInvalid(`${path}.namespace`, name, why));
  });
};

const topologyKey: Rule = (term, path, { faults }) => {
  const key = term['topologyKey'];
  if (isUnset(key) || key === '') faults.push(fieldRequired(`${path}.topologyKey`, 'can not be empty'));
};

/** Checks label keys that are looked up on the new Pod: they need a selector beside them. */
export const labelKeys =
  (...names: readonly string[]): Rule =>
  (term, path, { faults }) => {
    for (const name of names) {
      if (listAt(term, name).length > 0 && isUnset(term['labelSelector']))
        faults.push(fieldForbidden(`${path}.${name}`, 'must not be specified when labelSelector is not set'));
      listAt(term, name).forEach((key, i) => {
        if (typeof key !== 'string') return;
        for (const why of checkQualifiedName(key)) faults.push(fieldInvalid(`${path}.${name}[${String(i)}]`, key, why));
      });
    }
  };

/** Refuses a key that must be equal and must differ, which no Pod matches. */
const keysDiffer: Rule = (term, path, { faults }) => {
  const others = new Set(listAt(term, 'mismatchLabelKeys'));
  listAt(term, 'matchLabelKeys').forEach((key, i) => {
    if (others.has(key))
      faults.push(fieldInvalid(`${path}.matchLabelKeys[${String(i)}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys'));
  });
};

const podTerm = objectOf(
  {
    labelSelector,
    matchLabelKeys: textList,
    mismatchLabelKeys: textList,
    namespaces: textList,
    namespaceSelector: labelSelector,
    topologyKey: textBy(checkQualifiedName),
  },
  namespaceNames,
  topologyKey,
  labelKeys('matchLabelKeys', 'mismatchLabelKeys'),
  keysDiffer,
);

const podAffinity = objectOf({
  requiredDuringSchedulingIgnoredDuringExecution: objectsOf(podTerm),
  preferredDuringSchedulingIgnoredDuringExecution: objectsOf(weighed('podAffinityTerm', podTerm)),
});

export const affinity = objectOf({ nodeAffinity, podAffinity, podAntiAffinity: podAffinity });
