import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@kruise/objects';
import { cutManagedFields } from './managed-fields.ts';
import { hasLongDigitRun, isLongInteger, parseJson, parseObject } from './parse-json.ts';

const bytes = (text: string): Buffer => Buffer.from(text);
const FIELDS = '[{"manager":"a]b","fieldsV1":{"f:metadata":{"f:x\\"]":{}}}},{"manager":"c"}]';

describe('cutManagedFields', () => {
  it.each<{ name: string; text: string; rest: string }>([
    {
      name: 'a built-in kind, managedFields last',
      text: `{"kind":"Pod","metadata":{"name":"a","managedFields":${FIELDS}},"spec":{}}`,
      rest: '{"kind":"Pod","metadata":{"name":"a"},"spec":{}}',
    },
    {
      name: 'a custom resource, members sorted',
      text: `{"apiVersion":"a/v1","metadata":{"labels":{},"managedFields":${FIELDS},"name":"a"}}`,
      rest: '{"apiVersion":"a/v1","metadata":{"labels":{},"name":"a"}}',
    },
    { name: 'managedFields first', text: `{"metadata":{"managedFields":${FIELDS},"name":"a"}}`, rest: '{"metadata":{"name":"a"}}' },
    { name: 'nothing but managedFields', text: `{"metadata":{"managedFields":${FIELDS}}}`, rest: '{"metadata":{}}' },
    {
      name: 'an indented object',
      text: `{\n  "metadata": {\n    "name": "a",\n    "managedFields": ${FIELDS}\n  }\n}`,
      rest: '{\n  "metadata": {\n    "name": "a"\n  }\n}',
    },
  ])('cuts them out of $name', ({ text, rest }) => {
    expect(cutManagedFields(bytes(text)).toString()).toBe(rest);
  });

  it.each<{ name: string; text: string }>([
    { name: 'in data that stands before metadata', text: `{"data":{"a":1,"managedFields":[1]},"metadata":{"name":"a"}}` },
    { name: 'in a metadata of data', text: `{"data":{"metadata":{"name":"b","managedFields":[1]}},"metadata":{"name":"a"}}` },
    { name: 'in a template', text: `{"metadata":{"name":"a"},"spec":{"template":{"metadata":{"name":"b","managedFields":[1]}}}}` },
    {
      name: 'in the text of an annotation',
      text: `{"metadata":{"annotations":{"last":"{\\"x\\":1,\\"managedFields\\":[1]}"},"name":"a"}}`,
    },
    { name: 'as a label', text: `{"metadata":{"labels":{"a":"b","managedFields":"[x]"},"name":"a"}}` },
    { name: 'in an object without metadata', text: `{"kind":"Status","managedFields":[1]}` },
    { name: 'in an object whose metadata is null', text: `{"metadata":null,"spec":{"managedFields":[1]}}` },
    { name: 'in text that is no JSON', text: `{"metadata":{"name":"a","managedFields":[{` },
    { name: 'in nothing', text: '' },
  ])('leaves what only looks like them $name', ({ text }) => {
    expect(cutManagedFields(bytes(text)).toString()).toBe(text);
  });
});

describe('parseObject', () => {
  it('gives the same object as parsing and deleting', () => {
    const text = `{"kind":"Pod","metadata":{"name":"a\\u00e9ü","managedFields":${FIELDS},"annotations":{"k":"]}"}},"spec":{"n":1.50}}`;
    const whole = parseObject<KubeObject>(bytes(text), true) as KubeObject & { metadata: { managedFields?: unknown } };
    expect(whole.metadata.managedFields).toHaveLength(2);
    delete whole.metadata.managedFields;
    expect(parseObject(bytes(text), false)).toEqual(whole);
  });

  it('deletes them after parsing where the bytes could not be walked', () => {
    const escapedKey = '{"metadata":{"name":"a","managed\\u0046ields":[1]}}';
    expect(parseObject(bytes(escapedKey), false)).toEqual({ metadata: { name: 'a' } });
  });
});

describe('numbers', () => {
  it('writes integers beyond 2^53 back as they were, and leaves all others plain', () => {
    const text = '{"a":9007199254740993,"b":[-9223372036854775808,1],"c":"9007199254740993","d":0.1234567890123456,"e":9007199254740991}';
    const value = parseJson(bytes(text)) as { a: unknown; b: unknown[]; d: unknown; e: unknown };
    expect(JSON.stringify(value)).toBe(text);
    expect([
      isLongInteger(value.a),
      isLongInteger(value.b[0]),
      isLongInteger(value.b[1]),
      isLongInteger(value.d),
      isLongInteger(value.e),
    ]).toEqual([true, true, false, false, false]);
    expect(JSON.stringify({ copied: { ...value }.a })).toBe('{"copied":9007199254740993}');
  });

  it('finds 16 digits in a row wherever they stand', () => {
    for (let before = 0; before < 40; before++) {
      expect(hasLongDigitRun(bytes('x'.repeat(before) + '1'.repeat(16)))).toBe(true);
      expect(hasLongDigitRun(bytes('x'.repeat(before) + '1'.repeat(16) + 'x'.repeat(9)))).toBe(true);
      expect(hasLongDigitRun(bytes('x'.repeat(before) + '1'.repeat(15) + 'x' + '1'.repeat(15)))).toBe(false);
    }
  });
});
