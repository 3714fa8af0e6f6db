/**
 * An object as the API server passes it to the webhooks: members that the schema does not know are removed, nulls that it does not allow are removed,
 * and the defaults of the schema are filled in.
 */
import type { JsonSchema } from '@kruise/api';
import { fieldPath, isJsonObject, setOwnMember, type JsonObject } from '@kruise/objects';

export interface Received {
  readonly object: JsonObject;
  /** Paths of the removed members, in the order of the object. */
  readonly unknown: readonly string[];
}

const memberSchema = ({ properties, additionalProperties }: JsonSchema, name: string): JsonSchema | undefined =>
  properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;

class Receiver {
  readonly unknown: string[] = [];

  value(value: unknown, schema: JsonSchema, path: string): unknown {
    const { items } = schema;
    if (Array.isArray(value))
      return items === undefined ? value : value.map((item: unknown, i) => this.value(item, items, fieldPath(path, i)));
    return isJsonObject(value) && hasMembers(schema) ? this.members(value, schema, path) : value;
  }

  members(object: JsonObject, schema: JsonSchema, path: string): JsonObject {
    const result: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(object)) {
      const known = memberSchema(schema, name);
      const at = fieldPath(path, name);
      if (known === undefined) {
        if (schema['x-kubernetes-preserve-unknown-fields'] === true) setOwnMember(result, name, member);
        else this.unknown.push(at);
      } else if (member !== null || isNullAllowed(known)) setOwnMember(result, name, this.value(member, known, at));
    }
    for (const [name, known] of Object.entries(schema.properties ?? {}))
      if (known.default !== undefined && result[name] === undefined) setOwnMember(result, name, known.default);
    return result;
  }
}

/** Whether the schema says which members there are; one that says nothing keeps all. */
const hasMembers = ({ type, properties, additionalProperties }: JsonSchema): boolean =>
  type === 'object' || properties !== undefined || additionalProperties !== undefined;

/** An opaque member may be null; it has no type that excludes it. */
const isNullAllowed = ({ nullable, type, 'x-kubernetes-int-or-string': intOrString }: JsonSchema): boolean =>
  nullable === true || (type === undefined && intOrString !== true);

/** Members of the object itself are those of its kind; `metadata` is left as it is. */
export function receivedObject(object: JsonObject, schema: JsonSchema): Received {
  const receiver = new Receiver();
  const { metadata, ...rest } = object;
  const received = receiver.members(rest, schema, '');
  return { object: { ...received, metadata }, unknown: receiver.unknown };
}
