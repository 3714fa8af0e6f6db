/**
 * A ConversionReview contains a whole list, and one object that fails makes it fail for all. So no object of a kind may fail, whatever a client or an
 * older release has stored in it.
 */
import { describe, expect, it } from '@jest/globals';
import { isJsonObject, parseLossless, stringifyLossless, type JsonObject } from '@kruise/objects';
import { casesOf } from '@kruise/testing';
import fc from 'fast-check';
import { allKinds } from './kinds/index.ts';
import { arbitraryKind } from './schema/arbitrary.testing.ts';
import { annotations } from './well-known.ts';
import { convertObject, converters } from './convert.ts';

const numRuns = casesOf(60);
const versions = ['v1alpha1', 'v1beta1'] as const;

const kinds = allKinds.filter(({ group, kind }) => converters.has(`${group}/${kind}`));

/** Values that an annotation of ours may have although another program has written them. */
const texts = fc.oneof(
  fc.string(),
  fc.json(),
  fc.constantFrom('', 'null', '{}', '[]', '{"spec":null}', '{"spec":{"template":7}}', '-1', '99999999999', 'true', 'DELETE,remove'),
);
const keys = fc.constantFrom(annotations.hubMembers, 'kruise.io/pub-protect-operations', 'pub.kruise.io/protect-total-replicas');
const odd = fc.oneof(fc.constant(null), fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('', 0, -1, [], {}, [null], [[]]));

/** Returns a copy in which the member at `steps`, numbers modulo the number of members, has another value. */
function replaced(value: unknown, [step, ...steps]: readonly number[], next: unknown): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return next;
  const members = Object.keys(value);
  if (members.length === 0) return next;
  const name = members[step % members.length] as string;
  const inner = replaced((value as JsonObject)[name], steps, next);
  return Array.isArray(value) ? value.map((item: unknown, at) => (String(at) === name ? inner : item)) : { ...value, [name]: inner };
}

const changes = fc.array(fc.record({ steps: fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 7 }), next: odd }), { maxLength: 3 });

describe.each(kinds)('any $kind', (declaration) => {
  it.each(versions)('that is stored in %s is converted, and can be converted back', (name) => {
    const version = declaration.versions.find((one) => one.name === name);
    if (version === undefined) throw new Error(`${declaration.kind} has no ${name}`);
    const other = versions.find((one) => one !== name) as string;
    const apiVersion = `${declaration.group}/${name}`;
    const head = { apiVersion, kind: declaration.kind };
    const object = fc
      .tuple(arbitraryKind(declaration, version), changes, fc.dictionary(keys, texts))
      .map(([made, all, held]): JsonObject => {
        const { metadata, ...rest } = all.reduce<unknown>((one, { steps, next }) => replaced(one, steps, next), { ...made }) as JsonObject;
        const values = isJsonObject(metadata) ? metadata : {};
        return { ...rest, metadata: { ...values, annotations: held }, ...head };
      });
    const property = fc.property(object, (given) => {
      const there = convertObject(given, `${declaration.group}/${other}`);
      expect(there).toMatchObject({ kind: 'Converted' });
      if (there.kind !== 'Converted') return;
      const read = parseLossless(stringifyLossless(there.object)) as JsonObject;
      expect(convertObject(read, apiVersion)).toMatchObject({ kind: 'Converted' });
    });
    fc.assert(property, { numRuns });
  });
});
