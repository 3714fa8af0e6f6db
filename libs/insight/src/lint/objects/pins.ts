/** What an object requires of the Pods that it is about. */
import { isJsonObject, memberAt, membersAt, objectsAt, textAt, type JsonObject } from '@kruise/objects';
import type { Pins } from './pin-index.ts';

/**
 * Returns the labels whose values a selector requires. Expressions are no part of it, and a label that also has an expression is omitted: for
 * webhooks, two of these may conflict although their values differ.
 */
export function pinnedLabels(selector: unknown): readonly (readonly [label: string, value: string])[] {
  const labels = Object.entries(membersAt(selector, 'matchLabels')).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const expressed = new Set(objectsAt(selector, 'matchExpressions').map((expression) => expression['key']));
  return labels.filter(([label]) => !expressed.has(label));
}

/**
 * Returns what only selectors with the same keys have, for the kind whose webhook compares no others.
 *
 * @see spec/podunavailablebudget.md 4.2
 */
function pinnedKeys(kind: string, selector: unknown): readonly (readonly [string, string])[] {
  if (kind !== 'PodUnavailableBudget' || !isJsonObject(selector)) return [];
  const keys = new Set([
    ...Object.keys(membersAt(selector, 'matchLabels')),
    ...objectsAt(selector, 'matchExpressions').map(({ key }) => String(key)),
  ]);
  return [['keys', JSON.stringify([...keys].sort())]];
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/**
 * Returns what distinguishes the Pods of an object with `spec.targetRef` or `spec.selector` from those of others. Targets are only compared with
 * targets, and selectors with selectors. An object with both is compared with all.
 */
export function pinsOf(kind: string, object: JsonObject): Pins {
  const [target, selector] = [memberAt(object, 'spec', 'targetRef'), memberAt(object, 'spec', 'selector')];
  if (isSet(target) && isSet(selector)) return new Map();
  const targetPin = isSet(target) ? `${textAt(target, 'kind')}/${textAt(target, 'name')}` : '';
  return new Map([
    ['target', targetPin],
    ...pinnedKeys(kind, selector),
    ...pinnedLabels(selector).map(([label, value]) => [`label ${label}`, value] as const),
  ]);
}
