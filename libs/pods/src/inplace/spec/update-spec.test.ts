import { describe, expect, it } from '@jest/globals';
import { formatUpdateSpec, parseObject, parseUpdateSpec, structJson } from './update-spec.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('the text of an update', () => {
  it('contains only the revision when nothing else changes', () => {
    expect(formatUpdateSpec({ revision: 'r', updateEnvFromMetadata: false, graceSeconds: 0, containerImages: {} })).toBe(
      '{"revision":"r"}',
    );
  });

  it('has its members in the order of the original', () => {
    expect(
      formatUpdateSpec({
        graceSeconds: 7,
        updateEnvFromMetadata: true,
        metaDataPatch: { metadata: { labels: { x: 'é' } } },
        containerResources: { b: { limits: { cpu: '1' } } },
        containerRefMetadata: { b: { labels: { k: 'v' } } },
        containerImages: { b: 'b:2', a: 'a:2' },
        revision: 'r<',
      }),
    ).toBe(
      String.raw`{"revision":"r\u003c","containerImages":{"a":"a:2","b":"b:2"},"containerRefMetadata":{"b":{"creationTimestamp":null,"labels":{"k":"v"}}},"containerResources":{"b":{"limits":{"cpu":"1"}}},"metaDataPatch":"${base64('{"metadata":{"labels":{"x":"é"}}}')}","updateEnvFromMetadata":true,"graceSeconds":7}`,
    );
  });

  it.each<{ name: string; text: string; then: object }>([
    { name: 'without anything has no revision', text: '{}', then: { revision: '' } },
    {
      name: 'with members of wrong types is read without them',
      text: '{"revision":7,"containerImages":[],"containerRefMetadata":"x","containerResources":null,"metaDataPatch":1,"updateEnvFromMetadata":"true","graceSeconds":"5"}',
      then: { revision: '' },
    },
    {
      name: 'with empty members is read without them',
      text: '{"revision":"r","containerImages":{},"containerRefMetadata":{},"containerResources":{},"metaDataPatch":"","updateEnvFromMetadata":false,"graceSeconds":0}',
      then: { revision: 'r' },
    },
    {
      name: 'may contain templates, which are ignored',
      text: '{"revision":"r","oldTemplate":{"a":1},"newTemplate":{"a":2},"graceSeconds":5}',
      then: { revision: 'r', graceSeconds: 5 },
    },
    {
      name: 'contains only labels and annotations for a container',
      text: '{"revision":"r","containerRefMetadata":{"a":{"creationTimestamp":null,"labels":{"x":"1"},"annotations":{}},"b":{"creationTimestamp":null}}}',
      then: { revision: 'r', containerRefMetadata: { a: { labels: { x: '1' } }, b: {} } },
    },
    {
      name: 'may contain an empty patch',
      text: `{"revision":"r","metaDataPatch":"${base64('{"spec":{}}')}"}`,
      then: { revision: 'r', metaDataPatch: { metadata: {} } },
    },
  ])('$name', ({ text, then }) => {
    expect(parseUpdateSpec(text)).toStrictEqual({ kind: 'Parsed', value: then });
  });

  it.each([
    ['[]', 'not a JSON object'],
    ['null', 'not a JSON object'],
    ['"x"', 'not a JSON object'],
    ['{"revision":"r","metaDataPatch":"%"}', 'metaDataPatch is not base64 of UTF-8 text'],
    ['{"revision":"r","metaDataPatch":"/w=="}', 'metaDataPatch is not base64 of UTF-8 text'],
    [`{"revision":"r","metaDataPatch":"${base64('[]')}"}`, 'not a JSON object'],
  ])('%s cannot be read: %s', (text, why) => {
    expect(parseUpdateSpec(text)).toEqual({ kind: 'Malformed', why });
  });

  it('reports where it is not JSON', () => {
    const parsed = parseObject('{"a":');
    expect(parsed.kind === 'Malformed' && parsed.why).toMatch(/JSON/);
  });

  it('has its members in the given order, without absent ones', () => {
    expect(
      structJson([
        ['b', '1'],
        ['a', undefined],
        ['c"', '{}'],
      ]),
    ).toBe(String.raw`{"b":1,"c\"":{}}`);
    expect(structJson([])).toBe('{}');
  });
});
