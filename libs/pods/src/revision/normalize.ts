/** Converts a pod template to the form of Go's typed structs, so that equal templates have equal bytes whichever program wrote them. */
import {
  canonicalJson,
  canonicalQuantity,
  compareUtf8,
  formatQuantityText,
  formatTime,
  goString,
  parseTime,
  setOwnMember,
  sortUtf8,
} from '@kruise/objects';
import { type Member, membersOf } from './core-types.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
const isEmptyScalar = (value: unknown): boolean => value === '' || value === 0 || value === false;
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/**
 * How quantities are written: as the original does, which keeps `2.500` unchanged; or in the one form of their value, in which revisions of any
 * writer are compared.
 */
export type QuantityForm = 'Original' | 'Canonical';

/** Normalises a quantity. Unreadable ones stay unchanged: the API server refuses them. */
function normalizeQuantity(value: unknown, form: QuantityForm): unknown {
  if (!['string', 'number', 'bigint'].includes(typeof value)) return value;
  const text = String(value);
  return (form === 'Original' ? canonicalQuantity(text) : formatQuantityText(text)) ?? value;
}

/** Maps the values; returns the map itself when none changes. */
function mapValues(map: JsonObject, change: (value: unknown) => unknown): JsonObject {
  const values = Object.values(map);
  const changed = values.map(change);
  if (changed.every((value, i) => value === values[i])) return map;
  return Object.fromEntries(Object.keys(map).map((key, i) => [key, changed[i]]));
}

/** Returns a list of scalars in which null is the zero value of its elements, as Go reads it. */
const withoutNull = (value: unknown, zero: '' | 0): unknown =>
  Array.isArray(value) ? value.map((element: unknown) => element ?? zero) : value;

/** Returns a time in UTC with whole seconds; the zero time is null. Anything else stays unchanged. */
function normalizeTime(value: unknown): unknown {
  const at = typeof value === 'string' && isTime(value) ? parseTime(value) : undefined;
  if (at === undefined) return value;
  const written = formatTime(at);
  return written === '0001-01-01T00:00:00Z' ? null : written;
}

const isTime = (text: string): boolean => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}([.,]\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text);

function normalizeShape(value: unknown, { shape }: Member, form: QuantityForm): unknown {
  switch (shape.kind) {
    case 'struct':
      return normalizeStruct(value, shape.type, form);
    case 'structs':
      return Array.isArray(value) ? value.map((element: unknown) => normalizeStruct(element ?? {}, shape.type, form)) : value;
    case 'map':
      return isObject(value) ? mapValues(value, (entry) => entry ?? '') : value;
    case 'quantities':
      return isObject(value) ? mapValues(value, (entry) => normalizeQuantity(entry ?? '0', form)) : value;
    case 'quantity':
      return normalizeQuantity(value, form);
    case 'time':
      return normalizeTime(value);
    case 'integers':
      return withoutNull(value, 0);
    case 'opaque':
      return withoutNull(value, '');
  }
}

function isDropped(value: unknown, member: Member): boolean {
  if (value === null || isEmptyList(value)) return true;
  if (isEmptyScalar(value)) return !member.pointer;
  const isMap = member.shape.kind === 'map' || member.shape.kind === 'quantities';
  return isMap && isObject(value) && Object.keys(value).length === 0;
}

function normalizeMember(value: unknown, member: Member, form: QuantityForm): unknown {
  if (member.always !== undefined) return normalizeShape(value ?? member.always.zero, member, form);
  if (value === undefined) return undefined;
  const normalized = normalizeShape(value, member, form);
  return isDropped(normalized, member) ? undefined : normalized;
}

/**
 * Returns the value as a Go struct of this type would be written: without empty members, with mandatory ones, and quantities in the requested form.
 * Unknown members are kept whole (they reach the Pod). A value that is no object is returned unchanged.
 *
 * @param type a name of the table in `core-types.ts`, e.g. `PodTemplateSpec`
 * @returns a new object; the order of its members has no meaning. Normalising twice changes nothing.
 * @see spec/inplace-update.md 3.2
 */
export function normalizeStruct(value: unknown, type: string, form: QuantityForm = 'Original'): unknown {
  if (!isObject(value)) return value;
  const members = membersOf(type);
  const normalized: Record<string, unknown> = {};
  for (const member of members.values()) {
    const known = normalizeMember(value[member.name], member, form);
    if (known !== undefined) normalized[member.name] = known;
  }
  for (const name in value) {
    if (members.has(name)) continue;
    const unknownMember = value[name];
    if (unknownMember !== null && unknownMember !== undefined) setOwnMember(normalized, name, unknownMember);
  }
  return normalized;
}

/**
 * Returns the value without unknown members, at any depth, as Go's decoder does before anything is written.
 *
 * @param type as for {@link normalizeStruct}
 * @returns a new object; anything else, or another shape than in the table, is returned unchanged
 * @see spec/inplace-update.md 3.4
 */
export function knownMembers(value: unknown, type: string): unknown {
  if (!isObject(value)) return value;
  const entries = [...membersOf(type).values()].flatMap(({ name, shape }): readonly [string, unknown][] => {
    const held = value[name];
    if (held === undefined) return [];
    if (shape.kind === 'struct') return [[name, knownMembers(held, shape.type)]];
    const isList = shape.kind === 'structs' && Array.isArray(held);
    return [[name, isList ? held.map((element: unknown) => knownMembers(element, shape.type)) : held]];
  });
  return Object.fromEntries(entries);
}

/** The treatment of unknown members: omitted as Go's decoder does, or written at the end, sorted by name. */
export type UnknownMembers = 'LeftOut' | 'Kept';

function declaredShape(value: unknown, { shape }: Member, unknownMembers: UnknownMembers): string {
  if (shape.kind === 'struct') return declaredJson(value, shape.type, unknownMembers);
  if (shape.kind === 'structs' && Array.isArray(value))
    return `[${value.map((element) => declaredJson(element, shape.type, unknownMembers)).join(',')}]`;
  return canonicalJson(value);
}

/**
 * Returns compact JSON of a normalised struct with its members in declared order, as Go's encoder writes the typed struct itself (maps stay sorted).
 *
 * @param value as {@link normalizeStruct} returns it
 */
export function declaredJson(value: unknown, type: string, unknownMembers: UnknownMembers = 'LeftOut'): string {
  if (!isObject(value)) return canonicalJson(value);
  let written = '';
  eachDeclaredMember(value, { type, unknownMembers }, (_name, text) => {
    written += written === '' ? text : `,${text}`;
  });
  return `{${written}}`;
}

/** Calls back for each member that {@link declaredJson} writes, as `"name":value`, in order. */
export function eachDeclaredMember(
  value: JsonObject,
  { type, unknownMembers }: { readonly type: string; readonly unknownMembers: UnknownMembers },
  visit: (name: string, text: string) => void,
): void {
  const members = membersOf(type);
  for (const member of members.values()) {
    const held = value[member.name];
    if (held !== undefined) visit(member.name, `"${member.name}":${declaredShape(held, member, unknownMembers)}`);
  }
  const unknown = unknownMembers === 'Kept' ? sortUtf8(Object.keys(value).filter((name) => !members.has(name))) : [];
  for (const name of unknown) {
    const held = value[name];
    if (held !== undefined) visit(name, `${goString(name)}:${canonicalJson(held)}`);
  }
}

/** Orders by a text of each element, in the order of UTF-8 bytes. */
export const byUtf8 =
  <T>(text: (element: T) => string) =>
  (a: T, b: T): number =>
    compareUtf8(text(a), text(b));
