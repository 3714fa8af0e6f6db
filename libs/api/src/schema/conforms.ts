/** Checks whether a value conforms to a schema, as the API server's structural check does. For values that bypass that check. */
import { isJsonObject, type JsonObject } from '@kruise/objects';
import type { JsonSchema } from './builder.ts';

/**
 * Checks types, required members, enums, bounds and patterns at any depth. Unknown members are allowed; null is allowed only where the schema allows
 * it. Formats are not checked.
 */
export function conforms(schema: JsonSchema, value: unknown): boolean {
  if (value === null) return schema.nullable === true || hasNoType(schema);
  if (schema['x-kubernetes-int-or-string'] === true) return Number.isInteger(value) || typeof value === 'string';
  return schema.type === undefined || checks[schema.type](schema, value);
}

const checks: Readonly<Record<NonNullable<JsonSchema['type']>, (schema: JsonSchema, value: unknown) => boolean>> = {
  object: (schema, value) => isJsonObject(value) && conformsObject(schema, value),
  array: (schema, value) => Array.isArray(value) && conformsList(schema, value),
  string: (schema, value) => typeof value === 'string' && conformsText(schema, value),
  integer: (schema, value) => Number.isInteger(value) && withinBounds(schema, value as number),
  boolean: (_, value) => typeof value === 'boolean',
};

const conformsList = ({ minItems = 0, items }: JsonSchema, value: readonly unknown[]): boolean =>
  value.length >= minItems && (items === undefined || value.every((item) => conforms(items, item)));

const hasNoType = (schema: JsonSchema): boolean => schema.type === undefined && schema['x-kubernetes-int-or-string'] !== true;

const withinBounds = (schema: JsonSchema, value: number): boolean =>
  value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity);

function conformsText(schema: JsonSchema, value: string): boolean {
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (value.length < (schema.minLength ?? 0) || value.length > (schema.maxLength ?? Infinity)) return false;
  return schema.pattern === undefined || new RegExp(schema.pattern).test(value);
}

function conformsObject(schema: JsonSchema, value: JsonObject): boolean {
  if (schema.required?.some((name) => value[name] === undefined)) return false;
  return Object.entries(value).every(([name, member]) => {
    const known =
      schema.properties !== undefined && Object.hasOwn(schema.properties, name) ? schema.properties[name] : schema.additionalProperties;
    return known === undefined || member === undefined || conforms(known, member);
  });
}
