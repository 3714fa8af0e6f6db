/**
 * The one source of a kind: a schema value from which TypeScript infers the object's type and `crd.ts` prints the CustomResourceDefinition.
 *
 * The first parameter of every builder is the field's description, so that no field lacks one. A description states what the field does, its unit,
 * its default and what absence means. `kubectl explain` prints it.
 */
import type { DeepReadonly } from '@kruise/objects';

/** The OpenAPI v3 keywords that structural schemas of CRDs use here. */
export interface JsonSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly nullable?: boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
}

/** A schema for values of type `T`; `_type` exists at compile time only. */
export interface Schema<T> {
  readonly json: JsonSchema;
  readonly optional: boolean;
  readonly _type?: T;
}

/** A member that may be absent. */
export interface OptionalSchema<T> extends Schema<T> {
  readonly optional: true;
}

/** The (read-only) TypeScript type of the values that a schema describes. */
export type Infer<S> = S extends Schema<infer T> ? T : never;

/** The members of an object schema, by name. */
export type Members = Readonly<Record<string, Schema<unknown>>>;
type OptionalKeys<M> = { [K in keyof M]: M[K] extends OptionalSchema<unknown> ? K : never }[keyof M];
type InferMembers<M> = { readonly [K in Exclude<keyof M, OptionalKeys<M>>]: Infer<M[K]> } & {
  readonly [K in OptionalKeys<M>]?: Infer<M[K]>;
};
type Flat<T> = { [K in keyof T]: T[K] };

/** Validation keywords beyond the type: bounds, default, enum, list and map types. */
export type Keywords = Omit<JsonSchema, 'type' | 'description' | 'properties' | 'required' | 'items' | 'additionalProperties'>;

const schema = <T>(json: JsonSchema): Schema<T> => ({ json, optional: false });

/** Marks a member as optional; a schema default makes it optional as well. */
export const optional = <T>(of: Schema<T>): OptionalSchema<T> => ({ json: of.json, optional: true });

export const string = (description: string, keywords: Keywords = {}): Schema<string> =>
  schema({ type: 'string', description, ...keywords });

/**
 * Declares a string of which only the listed values have a meaning. The CRD does not enforce it (admission does, with a better message) unless
 * `keywords.enum` is set.
 */
export const choice = <const V extends string>(description: string, _values: readonly V[], keywords: Keywords = {}): Schema<V> =>
  schema({ type: 'string', description, ...keywords });

export const boolean = (description: string, keywords: Keywords = {}): Schema<boolean> =>
  schema({ type: 'boolean', description, ...keywords });
export const int32 = (description: string, keywords: Keywords = {}): Schema<number> =>
  schema({ type: 'integer', format: 'int32', description, ...keywords });
export const int64 = (description: string, keywords: Keywords = {}): Schema<number> =>
  schema({ type: 'integer', format: 'int64', description, ...keywords });

/** An RFC 3339 time, as a string. */
export const time = (description: string, keywords: Keywords = {}): Schema<string> =>
  schema({ type: 'string', format: 'date-time', description, ...keywords });

/** Declares a number of Pods, or a percentage such as `"20%"` of them. */
export const intOrString = (description: string, keywords: Keywords = {}): Schema<number | string> =>
  schema({ anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true, description, ...keywords });

export const list = <T>(description: string, items: Schema<T>, keywords: Keywords = {}): Schema<readonly T[]> =>
  schema({ type: 'array', description, items: items.json, ...keywords });

export const map = <T>(description: string, values: Schema<T>, keywords: Keywords = {}): Schema<Readonly<Record<string, T>>> =>
  schema({ type: 'object', description, additionalProperties: values.json, ...keywords });

export const stringMap = (description: string, keywords: Keywords = {}): Schema<Readonly<Record<string, string>>> =>
  schema({ type: 'object', description, additionalProperties: { type: 'string' }, ...keywords });

export function object<M extends Members>(description: string, members: M, keywords: Keywords = {}): Schema<Flat<InferMembers<M>>> {
  const entries = Object.entries(members);
  const required = entries.filter(([, member]) => !member.optional).map(([name]) => name);
  return schema({
    type: 'object',
    description,
    properties: Object.fromEntries(entries.map(([name, member]) => [name, member.json])),
    ...(required.length > 0 ? { required: required.sort() } : {}),
    ...keywords,
  });
}

/** Declares a value that the CRD stores unchanged, without a schema of its own (Pod templates, claim templates, raw objects). */
export const opaque = <T>(description: string, keywords: Keywords = {}): Schema<DeepReadonly<T>> =>
  schema({ description, 'x-kubernetes-preserve-unknown-fields': true, ...keywords });
