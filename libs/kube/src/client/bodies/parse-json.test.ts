import { describe, expect, it } from '@jest/globals';
import { stringifyLossless, type KubeObject } from '@kruise/objects';
import fc from 'fast-check';
import { managedFieldsSpan } from './managed-fields.ts';
import { mayHoldLongInteger, parseJson, parseObject } from './parse-json.ts';

const bytes = (text: string): Buffer => Buffer.from(text);
/** Unchanged, and with brackets in strings and inside, where the first `]` is not the end. */
const PLAIN_FIELDS = '[{"manager":"a","fieldsV1":{"f:metadata":{"f:x\\"":{}}}},{"manager":"c"}]';
const FIELDS = '[{"manager":"a]b","fieldsV1":{"f:metadata":{"f:x\\"]":{}}}},{"manager":"c"}]';

/** Returns `text` without the range to remove. */
function without(text: string): string {
  const span = managedFieldsSpan(bytes(text));
  return span === undefined ? text : text.slice(0, span.start) + text.slice(span.end);
}

describe('managedFieldsSpan', () => {
  it.each<{ name: string; text: string; rest: string }>([
    {
      name: 'a built-in kind, managedFields last',
      text: `{"kind":"Pod","metadata":{"name":"a","managedFields":${PLAIN_FIELDS}},"spec":{}}`,
      rest: '{"kind":"Pod","metadata":{"name":"a"},"spec":{}}',
    },
    {
      name: 'a custom resource, fields sorted',
      text: `{"apiVersion":"a/v1","metadata":{"labels":{},"managedFields":${PLAIN_FIELDS},"name":"a"}}`,
      rest: '{"apiVersion":"a/v1","metadata":{"labels":{},"name":"a"}}',
    },
    { name: 'managedFields first', text: `{"metadata":{"managedFields":${PLAIN_FIELDS},"name":"a"}}`, rest: '{"metadata":{"name":"a"}}' },
    { name: 'nothing except managedFields', text: `{"metadata":{"managedFields":${PLAIN_FIELDS}}}`, rest: '{"metadata":{}}' },
    {
      name: 'metadata with nothing except managedFields',
      text: `{"kind":"Pod","metadata": { "managedFields":${PLAIN_FIELDS} },"spec":{}}`,
      rest: '{"kind":"Pod","metadata": {  },"spec":{}}',
    },
    {
      name: 'an object with white space around it',
      text: ` {"metadata":{"name":"a","managedFields" :\t[]\r\n}} `,
      rest: ' {"metadata":{"name":"a"\r\n}} ',
    },
    {
      name: 'an indented object',
      text: `{\n  "metadata": {\n    "name": "a",\n    "managedFields": ${PLAIN_FIELDS}\n  }\n}`,
      rest: '{\n  "metadata": {\n    "name": "a"\n  }\n}',
    },
  ])('finds them in $name', ({ text, rest }) => {
    expect(without(text)).toBe(rest);
  });

  it.each<{ name: string; text: string }>([
    { name: 'in data before metadata', text: `{"data":{"a":1,"managedFields":[1]},"metadata":{"name":"a"}}` },
    { name: 'in a metadata of data', text: `{"data":{"metadata":{"name":"b","managedFields":[1]}},"metadata":{"name":"a"}}` },
    { name: 'in a template', text: `{"metadata":{"name":"a"},"spec":{"template":{"metadata":{"name":"b","managedFields":[1]}}}}` },
    {
      name: 'in the text of an annotation',
      text: `{"metadata":{"annotations":{"last":"{\\"x\\":1,\\"managedFields\\":[1]}"},"name":"a"}}`,
    },
    { name: 'as a label', text: `{"metadata":{"labels":{"a":"b","managedFields":"[x]"},"name":"a"}}` },
    { name: 'in an object without metadata', text: `{"kind":"Status","managedFields":[1]}` },
    { name: 'in an object without metadata, with white space before it', text: ` {"kind":"Status","managedFields":[1]}` },
    { name: 'in an array', text: ` [{"managedFields":[1]}]` },
    { name: 'as null', text: `{"metadata":{"managedFields":null,"finalizers":["x"]}}` },
    { name: 'in an object whose metadata is null', text: `{"metadata":null,"spec":{"managedFields":[1]}}` },
    { name: 'in text that is no JSON', text: `{"metadata":{"name":"a","managedFields":[{` },
    { name: 'in nothing', text: '' },
  ])('keeps what only looks like them $name', ({ text }) => {
    expect(without(text)).toBe(text);
  });
});

describe('parseObject', () => {
  it('returns the same object as parsing and deleting', () => {
    const text = `{"kind":"Pod","metadata":{"name":"a\\u00e9ü","managedFields":${FIELDS},"annotations":{"k":"]}"}},"spec":{"n":1.50}}`;
    const whole = parseObject<KubeObject>(bytes(text), true) as KubeObject & { metadata: { managedFields?: unknown } };
    expect(whole.metadata.managedFields).toHaveLength(2);
    delete whole.metadata.managedFields;
    expect(parseObject(bytes(text), false)).toEqual(whole);
  });

  it('does not parse what is removed', () => {
    expect(parseObject(bytes('{"metadata":{"name":"a","managedFields":[what is here is no JSON]}}'), false)).toEqual({
      metadata: { name: 'a' },
    });
  });

  it.each([
    '{"a":9007199254740993,"metadata":{"managedFields":[]},"b":1}',
    '{"a":1,"metadata":{"managedFields":[]},"b":9007199254740993}',
    '{"a":9007199254740993,"metadata":{"managedFields":[]},"b":9007199254740995}',
  ])('keeps integers beyond 2^53 on either side of what is removed: %s', (text) => {
    const { metadata: _empty, ...rest } = parseObject<KubeObject>(bytes(text), false);
    const { metadata: _full, ...whole } = parseJson(bytes(text)) as KubeObject;
    expect(rest).toEqual(whole);
  });

  it.each(['null', '{"kind":"Status"}', '{"metadata":null}', '{"metadata":{}}', '[]', '5'])('accepts %s, which has none', (text) => {
    expect(parseObject(bytes(text), false)).toEqual(JSON.parse(text));
  });

  it('is not misled by any content of managedFields', () => {
    const trap = fc.string({ unit: fc.constantFrom(']', '[', '{', '}', '"', '\\', ',', ':', 'a', 'é') });
    // Not a backslash: once V8 13.6 has parsed such a key, it confuses it with the next one in its place that begins with an escape.
    const key = fc.string({ unit: fc.constantFrom(']', '[', '{', '}', '"', ',', ':', 'a', 'é') });
    const field = fc.letrec((tie) => ({
      node: fc.oneof({ maxDepth: 3 }, trap, fc.dictionary(key, tie('node'), { maxKeys: 3 }), fc.array(tie('node'), { maxLength: 2 })),
    })).node;
    const metadata = fc.dictionary(key, field, { maxKeys: 2 });
    fc.assert(
      fc.property(fc.array(field, { maxLength: 3 }), metadata, metadata, metadata, (managedFields, before, after, spec) => {
        const object = { kind: 'X', metadata: { ...before, managedFields, ...after }, spec: { ...spec, managedFields } };
        const { managedFields: _left, ...rest } = object.metadata;
        const parsed = parseObject(bytes(JSON.stringify(object)), false);
        expect(parsed).toEqual(JSON.parse(JSON.stringify({ ...object, metadata: rest })));
      }),
      { numRuns: 500 },
    );
  });

  it('deletes them after parsing where the bytes could not be scanned', () => {
    const escapedKey = '{"metadata":{"name":"a","managed\\u0046ields":[1]}}';
    expect(parseObject(bytes(escapedKey), false)).toEqual({ metadata: { name: 'a' } });
  });
});

describe('numbers', () => {
  it('writes integers beyond 2^53 back unchanged, and keeps all others plain', () => {
    const text = '{"a":9007199254740993,"b":[-9223372036854775808,1],"c":"9007199254740993","d":0.1234567890123456,"e":9007199254740991}';
    const value = parseJson(bytes(text));
    expect(value).toEqual({
      a: 9007199254740993n,
      b: [-9223372036854775808n, 1],
      c: '9007199254740993',
      d: 0.1234567890123456,
      e: 9007199254740991,
    });
    expect(stringifyLossless(value)).toBe(text);
  });

  it('reads what is longer than any int64 as the server does: as a floating-point number', () => {
    expect(parseJson(bytes(`{"a":${'9'.repeat(1000)},"b":1${'0'.repeat(30)}}`))).toEqual({ a: Infinity, b: 1e30 });
  });

  it('finds 16 digits in a row wherever a number may begin', () => {
    for (let before = 0; before < 40; before++) {
      for (const open of ['', '-', '[', ',', ':', ' ', '\n', ':-']) {
        const lead = open === '' ? '' : 'x'.repeat(before) + open;
        expect(mayHoldLongInteger(bytes(lead + '1'.repeat(16)))).toBe(open !== '-' || before === 0);
        expect(mayHoldLongInteger(bytes(`${lead}${'1'.repeat(16)}${'x'.repeat(9)}`))).toBe(open !== '-' || before === 0);
        expect(mayHoldLongInteger(bytes(`${lead}${'1'.repeat(15)}x:${'1'.repeat(15)}`))).toBe(false);
      }
    }
  });

  it.each(['"sha256:f1111111111111111"', '"containerd://11111111111111111"', '"2-11111111111111111"', '0.1111111111111111'])(
    'does not treat the digits of %s as a number',
    (text) => {
      for (let before = 0; before < 16; before++) expect(mayHoldLongInteger(bytes(`${' '.repeat(before)}{"a":${text}}`))).toBe(false);
    },
  );
});
