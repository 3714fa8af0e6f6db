/** Tolerations, spreading and gates of a Pod. */
import {
  checkLabelValue,
  checkQualifiedName,
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  isUnset,
  textAt,
} from '@kruise/objects';
import {
  anyText,
  atLeast,
  forEachObject,
  int64,
  objectOf,
  objectsOf,
  oneOf,
  oneOfNotEmpty,
  textBy,
  textList,
  type Rule,
} from './checks/check.ts';
import { labelKeys, labelSelector } from './checks/affinity.ts';

const effects = ['NoExecute', 'NoSchedule', 'PreferNoSchedule'];

/** Checks which values are allowed with which operator; no key and Exists tolerates every taint. */
const tolerationOperator: Rule = (toleration, path, { faults }) => {
  const operator = textAt(toleration, 'operator');
  const value = textAt(toleration, 'value');
  const at = `${path}.operator`;
  if (textAt(toleration, 'key') === '' && operator !== 'Exists')
    faults.push(fieldInvalid(at, operator, 'operator must be Exists when `key` is empty, which means "match all values and all keys"'));
  if (operator === 'Exists' && value !== '') faults.push(fieldInvalid(at, toleration, "value must be empty when `operator` is 'Exists'"));
  if (operator === '' || operator === 'Equal') for (const why of checkLabelValue(value)) faults.push(fieldInvalid(at, value, why));
  if (!['', 'Equal', 'Exists'].includes(operator)) faults.push(fieldNotSupported(at, operator, ['Equal', 'Exists']));
};

const evictionTime: Rule = (toleration, path, { faults }) => {
  if (!isUnset(toleration['tolerationSeconds']) && textAt(toleration, 'effect') !== 'NoExecute')
    faults.push(fieldInvalid(`${path}.effect`, textAt(toleration, 'effect'), "effect must be 'NoExecute' when `tolerationSeconds` is set"));
};

export const tolerations = objectsOf(
  objectOf(
    { effect: oneOf(...effects), key: textBy(checkQualifiedName), operator: anyText, tolerationSeconds: int64, value: anyText },
    tolerationOperator,
    evictionTime,
  ),
);

const positive = atLeast(1);
const whenUnsatisfiable = ['DoNotSchedule', 'ScheduleAnyway'];
const spreadRequired: Rule = (constraint, path, run) => {
  const { maxSkew, topologyKey, whenUnsatisfiable: when } = constraint;
  if (isUnset(maxSkew)) positive(0, `${path}.maxSkew`, run);
  if (isUnset(topologyKey) || topologyKey === '') run.faults.push(fieldRequired(`${path}.topologyKey`, 'can not be empty'));
  if (isUnset(when) || when === '') run.faults.push(fieldNotSupported(`${path}.whenUnsatisfiable`, '', whenUnsatisfiable));
};

const minDomains: Rule = (constraint, path, { faults }) => {
  const value = constraint['minDomains'];
  const when = textAt(constraint, 'whenUnsatisfiable');
  if (!isUnset(value) && when !== 'DoNotSchedule')
    faults.push(fieldInvalid(`${path}.minDomains`, value, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${when}`));
};

const honor = oneOfNotEmpty('Honor', 'Ignore');
const spread = objectOf(
  {
    labelSelector,
    matchLabelKeys: textList,
    maxSkew: positive,
    minDomains: positive,
    nodeAffinityPolicy: honor,
    nodeTaintsPolicy: honor,
    topologyKey: anyText,
    whenUnsatisfiable: oneOf(...whenUnsatisfiable),
  },
  spreadRequired,
  minDomains,
  labelKeys('matchLabelKeys'),
);
export const topologySpreadConstraints = objectsOf(spread);

/** Allows one constraint for each key and way to handle Pods that do not fit. */
export const spreadsAreUnique: Rule = (spec, path, { faults }) => {
  const seen = new Set<string>();
  forEachObject(spec, 'topologySpreadConstraints', (constraint, i) => {
    const id = `{${textAt(constraint, 'topologyKey')}, ${textAt(constraint, 'whenUnsatisfiable')}}`;
    if (seen.has(id)) faults.push(fieldDuplicate(`${path}.topologySpreadConstraints[${String(i)}].{topologyKey, whenUnsatisfiable}`, id));
    seen.add(id);
  });
};

export const readinessGates = objectsOf(
  objectOf({ conditionType: anyText }, (gate, path, { faults }) => {
    if (!isUnset(gate['conditionType']) && typeof gate['conditionType'] !== 'string') return;
    const type = textAt(gate, 'conditionType');
    for (const why of checkQualifiedName(type)) faults.push(fieldInvalid(`${path}.conditionType`, type, why));
  }),
);

export const schedulingGates = objectsOf(
  objectOf({ name: anyText }, (gate, path, { faults }) => {
    if (!isUnset(gate['name']) && typeof gate['name'] !== 'string') return;
    const name = textAt(gate, 'name');
    for (const why of checkQualifiedName(name)) faults.push(fieldInvalid(`${path}.name`, name, why));
  }),
);

export const schedulingGatesAreUnique: Rule = (spec, path, { faults }) => {
  const seen = new Set<string>();
  forEachObject(spec, 'schedulingGates', (gate, i) => {
    const name = textAt(gate, 'name');
    if (seen.has(name)) faults.push(fieldDuplicate(`${path}.schedulingGates[${String(i)}]`, name));
    seen.add(name);
  });
};
