/** Faults that the API server finds by the schema of the CRD, in its words. */
import type { JsonSchema } from '@kruise/api';
import {
  canonicalJson,
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  fieldTypeInvalid,
  isJsonObject,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';

type Check = (schema: JsonSchema, value: never, path: string) => readonly FieldError[];

/** The type of a value as the API server names it. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'bigint' ? 'integer' : typeof value;
}

const wrongType = (expected: string, value: unknown, path: string): FieldError => {
  const actual = typeOf(value);
  return fieldTypeInvalid(path, actual, `${path} in body must be of type ${expected}: ${JSON.stringify(actual)}`);
};

const broken = (path: string, value: unknown, rule: string): FieldError => fieldInvalid(path, value, `${path} in body ${rule}`);

const inNumbers = ({ minimum, maximum }: JsonSchema, value: number, path: string): readonly FieldError[] => [
  ...(minimum !== undefined && value < minimum ? [broken(path, value, `should be greater than or equal to ${minimum}`)] : []),
  ...(maximum !== undefined && value > maximum ? [broken(path, value, `should be less than or equal to ${maximum}`)] : []),
];

const inTexts = ({ enum: allowed, minLength, maxLength, pattern }: JsonSchema, value: string, path: string): readonly FieldError[] => {
  const characters = [...value].length;
  return [
    ...(allowed?.includes(value) === false ? [fieldNotSupported(path, value, allowed)] : []),
    ...(minLength !== undefined && characters < minLength ? [broken(path, value, `should be at least ${minLength} chars long`)] : []),
    ...(maxLength !== undefined && characters > maxLength ? [broken(path, value, `should be at most ${maxLength} chars long`)] : []),
    // eslint-disable-next-line kruise/literal-regexp -- the pattern is one of our schemas
    ...(pattern !== undefined && !new RegExp(pattern).test(value) ? [broken(path, value, `should match '${pattern}'`)] : []),
  ];
};

/** Items of a set, or the keys of the items of a map, that occur before. */
function duplicates(schema: JsonSchema, list: readonly unknown[], path: string): readonly FieldError[] {
  const keys = schema['x-kubernetes-list-map-keys'];
  const kind = schema['x-kubernetes-list-type'];
  if (kind !== 'set' && (kind !== 'map' || keys === undefined)) return [];
  const identity = (item: unknown): unknown =>
    keys === undefined ? item : Object.fromEntries(keys.map((key) => [key, isJsonObject(item) ? (item[key] ?? null) : null]));
  const seen = new Set<string>();
  return list.flatMap((item, i) => {
    const text = canonicalJson(identity(item));
    if (!seen.has(text)) {
      seen.add(text);
      return [];
    }
    return [fieldDuplicate(fieldPath(path, i), identity(item))];
  });
}

const inLists = (schema: JsonSchema, list: readonly unknown[], path: string): readonly FieldError[] => {
  const { minItems = 0, items } = schema;
  return [
    ...(list.length < minItems ? [broken(path, list.length, `should have at least ${minItems} items`)] : []),
    ...(items === undefined ? [] : list.flatMap((item, i) => schemaFaults(items, item, fieldPath(path, i)))),
    ...duplicates(schema, list, path),
  ];
};

function inObjects({ required = [], properties = {}, additionalProperties }: JsonSchema, object: JsonObject, path: string): FieldError[] {
  const missing = required.filter((name) => object[name] === undefined).map((name) => fieldRequired(fieldPath(path, name)));
  const inner = Object.entries(object).flatMap(([name, value]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return schema === undefined || value === undefined ? [] : schemaFaults(schema, value, fieldPath(path, name));
  });
  return [...missing, ...inner];
}

const byType: Readonly<Record<NonNullable<JsonSchema['type']>, readonly [isOf: (value: unknown) => boolean, check: Check]>> = {
  object: [isJsonObject, inObjects],
  array: [Array.isArray, inLists],
  string: [(value) => typeof value === 'string', inTexts],
  integer: [(value) => Number.isInteger(value) || typeof value === 'bigint', inNumbers],
  boolean: [(value) => typeof value === 'boolean', () => []],
};

/** Returns every fault of a value at any depth. @param value without members that the schema does not know */
export function schemaFaults(schema: JsonSchema, value: unknown, path: string): readonly FieldError[] {
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
  if (value === null) return schema.nullable === true || (schema.type === undefined && !isIntOrString) ? [] : [nullFault(schema, path)];
  if (isIntOrString) return Number.isInteger(value) || typeof value === 'string' ? [] : [wrongType('integer or string', value, path)];
  if (schema.type === undefined) return [];
  const [isOf, check] = byType[schema.type];
  return isOf(value) ? check(schema, value as never, path) : [wrongType(schema.type, value, path)];
}

const nullFault = ({ type }: JsonSchema, path: string): FieldError => wrongType(type ?? 'integer or string', null, path);
