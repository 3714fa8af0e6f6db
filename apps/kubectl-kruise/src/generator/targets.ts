/** `spec.targets` of a ResourceDistribution from the configuration of its generator. */
import { isJsonObject, type JsonObject } from '@kruise/objects';
import { UserError } from '../failure.ts';
import { isTrue, mapIn, textIn, textsIn } from './members.ts';

const expressions = 'ResourceDistribution.targets.namespaceLabelSelector.matchExpressions';
const withValues = new Set(['In', 'NotIn']);
const operators = new Set([...withValues, 'Exists', 'DoesNotExist']);

function valuesOf(operator: string, values: readonly string[] | undefined): readonly string[] | undefined {
  if (!withValues.has(operator)) {
    if (values !== undefined) throw new UserError(`the field ${expressions}.values for Exist and DoesNotExist must be empty`);
    return undefined;
  }
  if (values === undefined) throw new UserError(`the field ${expressions}.values for In and NotIn cannot be empty`);
  if (values.includes('')) throw new UserError(`the element of field ${expressions}.values is invalid`);
  if (new Set(values).size < values.length) throw new UserError(`the element of field ${expressions}.values cannot be repeated`);
  return values.toSorted();
}

function expressionOf(item: unknown): JsonObject {
  const expression = isJsonObject(item) ? item : {};
  const [key, operator] = [textIn(expression, 'key'), textIn(expression, 'operator')];
  if (key === '') throw new UserError(`the field ${expressions}.key cannot be empty`);
  if (!operators.has(operator)) throw new UserError(`the field ${expressions}.operator is invalid`);
  const values = valuesOf(operator, textsIn(expression, 'values'));
  return values === undefined ? { key, operator } : { key, operator, values };
}

const byKey = (a: JsonObject, b: JsonObject): number => (textIn(a, 'key') < textIn(b, 'key') ? -1 : 1);

function selectorOf(selector: JsonObject): JsonObject | undefined {
  const { matchExpressions } = selector;
  const matchLabels = mapIn(selector, 'matchLabels');
  const members = {
    ...(Array.isArray(matchExpressions) ? { matchExpressions: matchExpressions.map(expressionOf).toSorted(byKey) } : {}),
    ...(matchLabels === undefined ? {} : { matchLabels }),
  };
  return Object.keys(members).length === 0 ? undefined : members;
}

/** @throws UserError without any target, and for an expression that the API server would refuse */
export function targetsOf(targets: JsonObject): JsonObject {
  const names = (member: string): JsonObject => {
    const list = textsIn(targets, member);
    return list === undefined ? {} : { [member]: { list: list.map((name) => ({ name })) } };
  };
  const selector = selectorOf(isJsonObject(targets['namespaceLabelSelector']) ? targets['namespaceLabelSelector'] : {});
  const members = {
    ...(isTrue(targets, 'allNamespaces') ? { allNamespaces: true } : {}),
    ...names('excludedNamespaces'),
    ...names('includedNamespaces'),
    ...(selector === undefined ? {} : { namespaceLabelSelector: selector }),
  };
  if (Object.keys(members).length === 0) throw new UserError('The targets field of the ResourceDistribution cannot be empty');
  return members;
}
