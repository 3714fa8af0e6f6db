/** Equality of JSON data. Identity is compared first at every level, which makes comparing objects that share parts nearly free. */
import { isJsonObject, ownMember, type JsonObject } from './own-member.ts';
import { equalQuantities } from '../values/quantity.ts';

/** Returns whether the JSON is the same. The order of members does not matter; an undefined member equals an absent one. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((element, i) => deepEqual(element, b[i]));
  return !Array.isArray(b) && equalMembers(a as JsonObject, b as JsonObject);
}

function equalMembers(a: JsonObject, b: JsonObject): boolean {
  let surplus = 0;
  for (const name in a) {
    const left = a[name];
    if (left === undefined) continue;
    surplus += 1;
    if (!deepEqual(left, ownMember(b, name))) return false;
  }
  for (const name in b) if (b[name] !== undefined) surplus -= 1;
  return surplus === 0;
}

/** Members that are maps of quantities. */
const quantityMaps: ReadonlySet<string> = new Set(['limits', 'requests', 'overhead', 'capacity', 'allocatable', 'allocatedResources']);
/** Members that are one quantity. */
const quantityMembers: ReadonlySet<string> = new Set(['divisor', 'sizeLimit']);
/** Maps for which Kubernetes treats empty as absent. Other empty objects have a meaning. */
const plainMaps: ReadonlySet<string> = new Set(['labels', 'annotations', 'matchLabels', 'nodeSelector', ...quantityMaps]);

/** Maps of strings, in which an empty string is an entry of its own. */
const textMaps: ReadonlySet<string> = new Set([...plainMaps, 'options', 'volumeAttributes']);
/** Members whose empty string has a meaning: no class at all, every kind of file. */
const meaningfulEmptyTexts: ReadonlySet<string> = new Set(['storageClassName', 'volumeAttributesClassName', 'apiGroup']);

/**
 * Returns whether two parts of Kubernetes objects have the same meaning. Quantities are compared by value (`0.1` is `100m`). Null, an empty string,
 * an empty list and an empty map equal an absent member. An empty string counts as an entry of a map (`labels`), and where it is a choice
 * (`storageClassName`).
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  return sameMeaning(a, b, '', '');
}

function sameMeaning(a: unknown, b: unknown, member: string, parent: string): boolean {
  if (a === b) return true;
  if (isUnset(a, member, parent)) return isUnset(b, member, parent);
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((element, i) => sameMeaning(element, b[i], '', ''));
  if (isJsonObject(a)) return isJsonObject(b) && everyMember(a, b, member);
  return (quantityMaps.has(parent) || quantityMembers.has(member)) && equalQuantities(a, b);
}

function everyMember(a: JsonObject, b: JsonObject, parent: string): boolean {
  for (const name in a) if (!sameMeaning(a[name], ownMember(b, name), name, parent)) return false;
  for (const name in b) if (!Object.hasOwn(a, name) && !isUnset(b[name], name, parent)) return false;
  return true;
}

const isUnset = (value: unknown, member: string, parent: string): boolean =>
  value === undefined ||
  value === null ||
  (value === '' && member !== '' && !textMaps.has(parent) && !meaningfulEmptyTexts.has(member)) ||
  (Array.isArray(value) && value.length === 0) ||
  (plainMaps.has(member) && isJsonObject(value) && Object.keys(value).length === 0);
