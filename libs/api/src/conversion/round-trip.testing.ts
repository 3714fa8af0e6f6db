/** Properties that the conversion of every two-version kind must have, as Jest tests over objects that are generated from its schema. */
import { expect, it } from '@jest/globals';
import { isJsonObject, withMembers, type JsonObject } from '@kruise/objects';
import fc from 'fast-check';
import { arbitraryKind, type Hints, type MetadataValues } from '../schema/arbitrary.testing.ts';
import type { JsonSchema } from '../schema/builder.ts';
import { conforms } from '../schema/conforms.ts';
import { objectSchema, type KindDeclaration, type VersionDeclaration } from '../schema/kind.ts';
import { mapMember, withoutEmpty } from '../members/nested-members.ts';
import { type Conversion, type Converter } from './converter.ts';

/** What a kind defines about its conversion besides its declaration. */
export interface RoundTrips {
  readonly declaration: KindDeclaration;
  readonly converter: Converter;
  /** Labels and annotations with a meaning for the conversion, as they occur in each version. */
  readonly alpha?: MetadataValues;
  readonly beta?: MetadataValues;
  /** Strings with a meaning for the conversion, by the name of the member. */
  readonly hints?: Hints;
  /** Returns whether v1alpha1 can represent a v1beta1 object at all; the converter refuses the others. Always, if absent. */
  readonly canBeAlpha?: (beta: JsonObject) => boolean;
  /** Normalises what counts as equal: the object after the round trip is compared in this form. */
  readonly equalAlpha?: (object: JsonObject) => JsonObject;
  readonly equalBeta?: (object: JsonObject) => JsonObject;
}

/**
 * Returns the form in which objects are compared, from a function that changes a copy: what a round trip changes because the spec requires it. It is
 * written by the spec, independently of the converter. Empty maps of metadata equal absent ones.
 */
export const agreed =
  (change: (copy: never) => void) =>
  (object: JsonObject): JsonObject => {
    const copy = structuredClone(object);
    change(copy as never);
    return mapMember(copy, 'metadata', (metadata) => withoutEmpty(metadata, 'labels', 'annotations'));
  };

/** Returns the object of a conversion that must not fail. */
export function convertedObject(conversion: Conversion): JsonObject {
  if (conversion.kind === 'Failed') throw new Error(conversion.message);
  return conversion.object;
}

/** Returns the value deeply frozen, so that a conversion that writes to its input throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

const same = (object: JsonObject): JsonObject => object;

const withUnknown = (object: JsonObject): JsonObject =>
  ['spec', 'status'].reduce(
    (result, part) => mapMember(result, part, (members) => withMembers(members, { memberOfALaterVersion: { kept: [1, null, 'x'] } })),
    withMembers(object, { another: 'member' }),
  );

const untouchedMetadata = (object: JsonObject): unknown =>
  isJsonObject(object['metadata']) ? withMembers(object['metadata'], { labels: undefined, annotations: undefined }) : undefined;

const valueRules = new Set(['enum', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'pattern']);

/** Returns a schema without rules on single values: v1alpha1 accepts some values that v1beta1 refuses, and conversion does not change values. */
function shapeOf(schema: JsonSchema): JsonSchema {
  const { properties, items, additionalProperties, ...rest } = schema;
  return {
    ...(Object.fromEntries(Object.entries(rest).filter(([keyword]) => !valueRules.has(keyword))) as JsonSchema),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, shapeOf(inner)])) }),
    ...(items === undefined ? {} : { items: shapeOf(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: shapeOf(additionalProperties) }),
  };
}

function versionOf(declaration: KindDeclaration, name: VersionDeclaration['name']): VersionDeclaration {
  const version = declaration.versions.find((candidate) => candidate.name === name);
  if (version === undefined) throw new Error(`${declaration.kind} has no ${name}`);
  return version;
}

/** Adds the properties to the `describe` block that it is called in. */
export function itConvertsLosslessly(kind: RoundTrips): void {
  const { declaration, converter, equalAlpha = same, equalBeta = same } = kind;
  const alphaVersion = versionOf(declaration, 'v1alpha1');
  const betaVersion = versionOf(declaration, 'v1beta1');
  const alphas = arbitraryKind(declaration, alphaVersion, kind.alpha, kind.hints).map((object) => deepFreeze(withUnknown({ ...object })));
  const betas = arbitraryKind(declaration, betaVersion, kind.beta, kind.hints)
    .filter(kind.canBeAlpha ?? (() => true))
    .map((object) => deepFreeze(withUnknown({ ...object })));
  const up = (object: JsonObject): JsonObject => deepFreeze(convertedObject(converter.toHub(object)));
  const down = (object: JsonObject): JsonObject => deepFreeze(convertedObject(converter.fromHub(object)));

  it('v1beta1 -> v1alpha1 -> v1beta1 loses nothing', () => {
    fc.assert(fc.property(betas, (beta) => expect(equalBeta(up(down(beta)))).toEqual(equalBeta(beta))));
  });

  it('v1alpha1 -> v1beta1 -> v1alpha1 loses nothing', () => {
    fc.assert(fc.property(alphas, (alpha) => expect(equalAlpha(down(up(alpha)))).toEqual(equalAlpha(alpha))));
  });

  it('a second round changes nothing more', () => {
    fc.assert(
      fc.property(alphas, (alpha) => {
        const once = down(up(alpha));
        expect(down(up(once))).toEqual(once);
      }),
    );
  });

  it('the result has the shape of its version', () => {
    const alphaShape = shapeOf(objectSchema(declaration, alphaVersion));
    const betaShape = shapeOf(objectSchema(declaration, betaVersion));
    fc.assert(fc.property(alphas, (alpha) => expect(conforms(betaShape, up(alpha))).toBe(true)));
    fc.assert(fc.property(betas, (beta) => expect(conforms(alphaShape, down(beta))).toBe(true)));
  });

  it('changes nothing in metadata but labels and annotations', () => {
    fc.assert(fc.property(alphas, (alpha) => expect(untouchedMetadata(up(alpha))).toEqual(untouchedMetadata(alpha))));
    fc.assert(fc.property(betas, (beta) => expect(untouchedMetadata(down(beta))).toEqual(untouchedMetadata(beta))));
  });

  it('hands on what is of another type than the schema says', () => {
    const odd: JsonObject = { metadata: { name: 'x', labels: 1, annotations: [] }, spec: 'text', status: [1] };
    expect(up(odd)).toEqual(odd);
    expect(down(odd)).toEqual(odd);
    const empty: JsonObject = { metadata: { name: 'x' }, spec: null };
    expect(up(empty)).toEqual(empty);
    expect(down(empty)).toEqual(empty);
  });
}
