/** Whether a value fits a schema, as the API server's structural check sees it. For values that reach us past that check. */
import { unreachable } from '@kruise/objects';
import type { JsonSchema } from './builder.ts';

type JsonObject = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Checks types, required members, enums, bounds and patterns all the way down. Members that the schema does not know are allowed, null is
 * allowed nowhere but where the schema says so. Formats are not checked.
 */
export function conforms(schema: JsonSchema, value: unknown): boolean {
  if (value === null) return schema.nullable === true || hasNoType(schema);
  if (schema['x-kubernetes-int-or-string'] === true) return Number.isInteger(value) || typeof value === 'string';
  switch (schema.type) {
    case undefined:
      return true;
    case 'object':
      return isObject(value) && conformsObject(schema, value);
    case 'array':
      return (
        Array.isArray(value) &&
        value.length >= (schema.minItems ?? 0) &&
        value.every((item) => schema.items === undefined || conforms(schema.items, item))
      );
    case 'string':
      return typeof value === 'string' && conformsText(schema, value);
    case 'integer':
      return Number.isInteger(value) && withinBounds(schema, value as number);
    case 'number':
      return typeof value === 'number' && withinBounds(schema, value);
    case 'boolean':
      return typeof value === 'boolean';
    default:
      return unreachable(schema.type);
  }
}

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
