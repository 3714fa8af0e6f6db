/** Faults of the schema in the words of the API server, and what it keeps of an object. */
import { describe, expect, it } from '@jest/globals';
import { allKinds, conforms, objectSchema, type JsonSchema } from '@kruise/api';
import { formatFieldError } from '@kruise/objects';
import fc from 'fast-check';
import { receivedObject } from './received.ts';
import { schemaFaults } from './schema-faults.ts';

const textsOf = (schema: JsonSchema, value: unknown): readonly string[] => schemaFaults(schema, value, 'spec.a').map(formatFieldError);

const item: JsonSchema = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };

describe('faults of the schema', () => {
  it.each<{ name: string; schema: JsonSchema; value: unknown; faults: readonly string[] }>([
    {
      name: 'a text in place of a number',
      schema: { type: 'integer' },
      value: '3',
      faults: ['spec.a: Invalid value: "string": spec.a in body must be of type integer: "string"'],
    },
    {
      name: 'a fraction',
      schema: { type: 'integer' },
      value: 1.5,
      faults: ['spec.a: Invalid value: "number": spec.a in body must be of type integer: "number"'],
    },
    {
      name: 'a list in place of an object',
      schema: item,
      value: [],
      faults: ['spec.a: Invalid value: "array": spec.a in body must be of type object: "array"'],
    },
    {
      name: 'null in a list',
      schema: { type: 'array', items: { type: 'string' } },
      value: [null],
      faults: ['spec.a[0]: Invalid value: "null": spec.a[0] in body must be of type string: "null"'],
    },
    { name: 'a missing member', schema: item, value: {}, faults: ['spec.a.name: Required value'] },
    {
      name: 'a number below its minimum',
      schema: { type: 'integer', minimum: 0 },
      value: -1,
      faults: ['spec.a: Invalid value: -1: spec.a in body should be greater than or equal to 0'],
    },
    {
      name: 'a number above its maximum',
      schema: { type: 'integer', maximum: 5 },
      value: 6,
      faults: ['spec.a: Invalid value: 6: spec.a in body should be less than or equal to 5'],
    },
    {
      name: 'a text that is not in the list',
      schema: { type: 'string', enum: ['A', 'B'] },
      value: 'other',
      faults: ['spec.a: Unsupported value: "other": supported values: "A", "B"'],
    },
    {
      name: 'a text that is too short',
      schema: { type: 'string', minLength: 2 },
      value: 'a',
      faults: ['spec.a: Invalid value: "a": spec.a in body should be at least 2 chars long'],
    },
    {
      name: 'a text that is too long',
      schema: { type: 'string', maxLength: 1 },
      value: 'ab',
      faults: ['spec.a: Invalid value: "ab": spec.a in body should be at most 1 chars long'],
    },
    {
      name: 'a text that does not match',
      schema: { type: 'string', pattern: '^a$' },
      value: 'b',
      faults: ['spec.a: Invalid value: "b": spec.a in body should match \'^a$\''],
    },
    {
      name: 'a list that is too short',
      schema: { type: 'array', minItems: 1 },
      value: [],
      faults: ['spec.a: Invalid value: 0: spec.a in body should have at least 1 items'],
    },
    {
      name: 'an item that occurs twice in a map',
      schema: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
      value: [{ name: 'a' }, { name: 'b' }, { name: 'a' }],
      faults: ['spec.a[2]: Duplicate value: {"name":"a"}'],
    },
    {
      name: 'an item that occurs twice in a set',
      schema: { type: 'array', 'x-kubernetes-list-type': 'set' },
      value: ['a', 'a'],
      faults: ['spec.a[1]: Duplicate value: "a"'],
    },
    {
      name: 'a fraction in place of a number or text',
      schema: { 'x-kubernetes-int-or-string': true },
      value: 1.5,
      faults: ['spec.a: Invalid value: "number": spec.a in body must be of type integer or string: "number"'],
    },
    {
      name: 'a value of a map',
      schema: { type: 'object', additionalProperties: { type: 'string' } },
      value: { a: 1 },
      faults: ['spec.a.a: Invalid value: "integer": spec.a.a in body must be of type string: "integer"'],
    },
    { name: 'nothing in what has no type', schema: {}, value: null, faults: [] },
    { name: 'nothing where null is allowed', schema: { type: 'string', nullable: true }, value: null, faults: [] },
    { name: 'nothing in a bigint', schema: { type: 'integer' }, value: 2n ** 60n, faults: [] },
  ])('name $name', ({ schema, value, faults }) => {
    expect(textsOf(schema, value)).toEqual(faults);
  });

  it('are those of the structural check of our CRDs', () => {
    const values = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(fc.constantFrom(...allKinds), values, ({ versions, ...kind }, spec) => {
        for (const version of versions) {
          const schema = objectSchema({ ...kind, versions }, version);
          const { object } = receivedObject({ apiVersion: 'a/b', kind: 'C', metadata: {}, spec }, schema);
          expect(schemaFaults(schema, object, '').length === 0).toBe(conforms(schema, object));
        }
      }),
    );
  });
});

describe('what the API server keeps', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          count: { type: 'integer', default: 1 },
          open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { closed: item } },
          any: { 'x-kubernetes-preserve-unknown-fields': true },
          list: { type: 'array', items: item },
          map: { type: 'object', additionalProperties: item },
        },
      },
    },
  };

  it('lacks unknown members and nulls, and has defaults', () => {
    const spec = {
      count: null,
      more: 1,
      open: { a: 1, closed: { name: 'a', b: 2 } },
      any: { b: null },
      list: [{ name: 'a', c: 1 }, 7],
      map: { 'x.y': { d: 1 } },
    };
    expect(receivedObject({ metadata: { e: 1 }, extra: 1, spec }, schema)).toEqual({
      object: {
        metadata: { e: 1 },
        spec: { count: 1, open: { a: 1, closed: { name: 'a' } }, any: { b: null }, list: [{ name: 'a' }, 7], map: { 'x.y': {} } },
      },
      unknown: ['extra', 'spec.more', 'spec.open.closed.b', 'spec.list[0].c', 'spec.map.x.y.d'],
    });
  });

  it('keeps values of another type for the check', () => {
    expect(receivedObject({ spec: { open: 'a', list: {} } }, schema).object).toMatchObject({ spec: { open: 'a', list: {} } });
  });
});
