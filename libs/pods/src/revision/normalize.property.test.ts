import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from '@kruise/objects';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { type Member, membersOf } from './core-types.ts';
import { normalizeStruct } from './normalize.ts';

/** More with FC_RUNS=100000. */
const numRuns = casesOf(60);

const scalar = fc.constantFrom<unknown>('', 'a', 0, 1, false, true, null, [], ['x', ''], ['x', null]);
const names = fc.constantFrom('a', '10', '9', 'é<>&');

/** Returns values as a user may send them for a type of the table, empty and absent members included. */
function valueOf(type: string, depth: number): fc.Arbitrary<unknown> {
  const members = [...membersOf(type).values()];
  const model = Object.fromEntries(members.map((member) => [member.name, shapeOf(member, depth)]));
  return fc.record(model, { requiredKeys: [] });
}

function shapeOf({ shape }: Member, depth: number): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case 'struct':
      return depth === 0 ? fc.constantFrom<unknown>({}, null) : valueOf(shape.type, depth - 1);
    case 'structs':
      return depth === 0 ? fc.constantFrom<unknown>([], null) : fc.array(valueOf(shape.type, depth - 1), { maxLength: 2 });
    case 'map':
      return fc.dictionary(names, fc.constantFrom('', 'v'), { maxKeys: 2 });
    case 'quantities':
      return fc.dictionary(names, fc.constantFrom('0.1', '1024Mi', '2'), { maxKeys: 2 });
    case 'quantity':
      return fc.constantFrom('0', '1024Mi');
    case 'time':
      return fc.constantFrom<unknown>(null, '2020-01-01T00:00:00Z', '2020-01-01T08:00:00+08:00');
    case 'integers':
      return fc.constantFrom<unknown>(null, [], [0, 1], [null]);
    case 'opaque':
      return scalar;
  }
}

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  );
};

describe('normalizeStruct', () => {
  const template = valueOf('PodTemplateSpec', 3);

  it('changes nothing the second time', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(template, (value) => {
        const once = normalizeStruct(value, 'PodTemplateSpec');
        seen.note('the first time changes something', canonicalJson(once) !== canonicalJson(value));
        expect(canonicalJson(normalizeStruct(once, 'PodTemplateSpec'))).toBe(canonicalJson(once));
      }),
      { numRuns },
    );
    seen.expectAtLeast({ 'the first time changes something': numRuns / 4 });
  });

  it('does not depend on the order of members, nor on a conversion to JSON and back', () => {
    fc.assert(
      fc.property(template, (value) => {
        const bytes = canonicalJson(normalizeStruct(value, 'PodTemplateSpec'));
        expect(canonicalJson(normalizeStruct(shuffled(value), 'PodTemplateSpec'))).toBe(bytes);
        expect(canonicalJson(normalizeStruct(JSON.parse(bytes), 'PodTemplateSpec'))).toBe(bytes);
      }),
      { numRuns },
    );
  });
});
