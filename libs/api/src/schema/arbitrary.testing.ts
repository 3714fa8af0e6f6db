/** fast-check arbitraries that are generated from schemas, for property tests over every kind. */
import fc from 'fast-check';
import type { JsonSchema } from './builder.ts';
import { objectSchema, type KindDeclaration, type VersionDeclaration } from './kind.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'Z', '0', '9', '-', '.', '/', ' ', 'é', '"', '\\'), maxLength: 6 });
const key = fc.stringMatching(/^[a-c]{1,3}$/);

/** Any JSON value without null: what an opaque member may contain. */
const anything = fc.dictionary(
  key,
  fc.oneof(text, fc.integer(), fc.boolean(), fc.array(text, { maxLength: 2 }), fc.dictionary(key, text, { maxKeys: 2 })),
  { maxKeys: 3 },
);

/** Values with a meaning for string members of a name; they are generated more often than others. */
export type Hints = Readonly<Record<string, readonly string[]>>;

/** Returns values that conform to `schema`. Optional members are present half of the time, and lists and maps are short. */
export function arbitraryOf(schema: JsonSchema, hints: Hints = {}): fc.Arbitrary<unknown> {
  if (schema['x-kubernetes-int-or-string'] === true)
    return fc.oneof(
      fc.integer({ min: 0, max: 100 }),
      fc.nat(100).map((percent) => `${percent}%`),
      text,
    );
  switch (schema.type) {
    case 'object':
      return arbitraryObject(schema, hints);
    case 'array':
      return fc.array(schema.items === undefined ? anything : arbitraryOf(schema.items, hints), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(3, schema.minItems ?? 0),
      });
    case 'string':
      return arbitraryText(schema);
    case 'integer':
      return fc
        .oneof(fc.constantFrom(0, 1), fc.integer())
        .filter((value) => value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity));
    case 'boolean':
      return fc.boolean();
    default:
      return anything;
  }
}

function arbitraryText(schema: JsonSchema): fc.Arbitrary<string> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.pattern !== undefined)
    return fc.stringMatching(/^[A-Z][A-Za-z]{2,8}$/).filter((value) => new RegExp(schema.pattern as string).test(value));
  if (schema.format === 'date-time')
    return fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((at) => at.toISOString().replace(/\.\d+Z$/, 'Z'));
  return text.filter((value) => value.length >= (schema.minLength ?? 0) && value.length <= (schema.maxLength ?? Infinity));
}

function arbitraryObject(schema: JsonSchema, hints: Hints): fc.Arbitrary<unknown> {
  const { properties, additionalProperties, required } = schema;
  if (additionalProperties !== undefined) return fc.dictionary(key, arbitraryOf(additionalProperties, hints), { maxKeys: 3 }).map(plain);
  if (properties === undefined) return schema['x-kubernetes-preserve-unknown-fields'] === true ? anything.map(plain) : fc.constant({});
  const members = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, arbitraryMember(name, property, hints)]));
  return fc.record(members, { requiredKeys: required === undefined ? [] : [...required] }).map(plain);
}

function arbitraryMember(name: string, schema: JsonSchema, hints: Hints): fc.Arbitrary<unknown> {
  const any = arbitraryOf(schema, hints);
  const values = hints[name];
  if (values === undefined || schema.type !== 'string' || schema.enum !== undefined) return any;
  return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: any });
}

/** Returns an object with a prototype, as JSON.parse returns: fast-check generates some without. */
const plain = (value: object): object => ({ ...value });

/** Metadata as the API server stores it; the test provides `labels` and `annotations`. */
const metadata = (labels: fc.Arbitrary<Readonly<Record<string, string>>>, annotations: fc.Arbitrary<Readonly<Record<string, string>>>) =>
  fc
    .record(
      {
        name: fc.stringMatching(/^[a-z]{1,8}$/),
        namespace: fc.constant('default'),
        uid: fc.uuid(),
        resourceVersion: fc.nat().map(String),
        labels,
        annotations,
      },
      { requiredKeys: ['name', 'uid', 'resourceVersion'] },
    )
    .map((value) => ({ ...value }));

export interface MetadataValues {
  readonly labels?: Readonly<Record<string, fc.Arbitrary<string>>>;
  readonly annotations?: Readonly<Record<string, fc.Arbitrary<string>>>;
}

const values = (special: Readonly<Record<string, fc.Arbitrary<string>>> = {}): fc.Arbitrary<Readonly<Record<string, string>>> =>
  fc
    .tuple(fc.record(special, { requiredKeys: [] }), fc.dictionary(key, text, { maxKeys: 2 }))
    .map(([ours, others]) => ({ ...others, ...ours }) as Readonly<Record<string, string>>);

export interface GeneratedObject extends Readonly<Record<string, unknown>> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

/**
 * Returns whole objects of one version that the API server would accept. `special` are labels and annotations with a meaning for the kind, `hints`
 * are such strings.
 */
export function arbitraryKind(
  declaration: KindDeclaration,
  version: VersionDeclaration,
  special: MetadataValues = {},
  hints: Hints = {},
): fc.Arbitrary<GeneratedObject> {
  const { properties } = objectSchema(declaration, version);
  const head = { apiVersion: fc.constant(`${declaration.group}/${version.name}`), kind: fc.constant(declaration.kind) };
  const body = {
    metadata: metadata(values(special.labels), values(special.annotations)),
    spec: arbitraryOf(properties?.['spec'] ?? {}, hints),
    status: arbitraryOf(properties?.['status'] ?? {}, hints),
  };
  return fc
    .record({ ...head, ...body }, { requiredKeys: ['apiVersion', 'kind', 'metadata', 'spec'] })
    .map((object) => ({ ...object }) as unknown as GeneratedObject);
}
