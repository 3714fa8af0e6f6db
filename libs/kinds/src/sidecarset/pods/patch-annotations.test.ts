import { describe, expect, it } from '@jest/globals';
import { mergeJsonText } from './merge-json-text.ts';
import { patchAnnotations } from './patch-annotations.ts';

const patched = (held: Record<string, string>, policy: string, value: string): unknown => {
  const result = patchAnnotations(held, [{ annotations: { k: value }, patchPolicy: policy }]);
  return result.kind === 'Patched' ? result.annotations['k'] : result.why;
};

describe('annotations', () => {
  it.each<{ policy: string; held: Record<string, string>; value: string; then: unknown }>([
    { policy: 'Retain', held: {}, value: 'new', then: 'new' },
    { policy: 'Retain', held: { k: '' }, value: 'new', then: '' },
    { policy: '', held: { k: 'old' }, value: 'new', then: 'old' },
    { policy: 'Overwrite', held: { k: 'old' }, value: 'new', then: 'new' },
    { policy: 'MergePatchJson', held: {}, value: 'not JSON', then: 'not JSON' },
    { policy: 'MergePatchJson', held: { k: '' }, value: '{"a":1}', then: '{"a":1}' },
    { policy: 'MergePatchJson', held: { k: '{"b":2}' }, value: '{"a":1}', then: '{"a":1,"b":2}' },
    { policy: 'MergePatchJson', held: { k: 'x' }, value: '{"a":1}', then: 'annotation k: the value of the Pod is not JSON' },
    { policy: 'MergePatchJson', held: { k: '{}' }, value: '1', then: 'annotation k: the patch is neither a JSON object nor an array' },
    { policy: 'Unknown', held: {}, value: 'new', then: undefined },
  ])('$policy over $held', ({ policy, held, value, then }) => {
    expect(patched(held, policy, value)).toEqual(then);
  });

  it('are patched one after the other, and others stay', () => {
    const result = patchAnnotations({ other: 'x' }, [
      { annotations: { k: '{"a":1}' }, patchPolicy: 'Overwrite' },
      { annotations: { k: '{"b":2}' }, patchPolicy: 'MergePatchJson' },
    ]);
    expect(result).toEqual({ kind: 'Patched', annotations: { other: 'x', k: '{"a":1,"b":2}' } });
  });
});

describe('annotations of a Pod', () => {
  it('that has none are those of the patches; a patch without annotations or policy takes nothing away', () => {
    expect(
      patchAnnotations(undefined, [{}, { patchPolicy: 'Overwrite' }, { annotations: { a: '1', b: '2' } }, { annotations: { a: '3' } }]),
    ).toEqual({
      kind: 'Patched',
      annotations: { a: '1', b: '2' },
    });
  });

  it('stay as they are under a policy that is not known', () => {
    expect(patched({ k: 'old' }, 'Unknown', 'new')).toBe('old');
    expect(patchAnnotations({ a: '1' }, [{ annotations: { k: 'new' }, patchPolicy: 'Unknown' }])).toStrictEqual({
      kind: 'Patched',
      annotations: { a: '1' },
    });
  });
});

describe('merged JSON', () => {
  it.each([
    ['{"b": 1.0, "a": 1e3}', '{"c":2}', '{"a":1e3,"b":1.0,"c":2}'],
    ['{"a":{"y":1,"x":2}}', '{"b":1}', '{"a":{"y":1,"x":2},"b":1}'],
    ['{"a":{"y":1,"x":2}}', '{"a":{"z":3}}', '{"a":{"x":2,"y":1,"z":3}}'],
    ['{"a":1,"b":2}', '{"a":null,"c":null}', '{"b":2}'],
    ['{"a":[1, 2]}', '{"a":[3 , "x y"]}', '{"a":[3,"x y"]}'],
    ['{"a":1}', '[1]', '[1]'],
    ['{"a":1}', ' [ ] ', '[]'],
    ['"text"', '{"a":{}}', '{"a":{}}'],
    ['{}', '{}', '{}'],
    ['null', '{"a":[{"b" : [] } , {}]}', '{"a":[{"b":[]},{}]}'],
    ['{"a":"{x}"}', '{"b":"[,:]\\\\"}', '{"a":"{x}","b":"[,:]\\\\"}'],
    ['{"a":"\u2029>"}', '{}', '{"a":"\\u2029\\u003e"}'],
    ['{"<a":1}', '{"b":{"<c":1}}', '{"\\u003ca":1,"b":{"\\u003cc":1}}'],
    ['{"a":{"b":null}}', '{"a":{"c":1}}', '{"a":{"b":null,"c":1}}'],
    ['[1]', '{"a":{"b":null,"c":1}}', '{"a":{"c":1}}'],
    ['{"a":"<&>"}', '{"b":"\\u003c\\"\u2028"}', '{"a":"\\u003c\\u0026\\u003e","b":"\\u003c\\"\\u2028"}'],
    ['{"10":1,"9":2}', '{"__proto__":{"x":1}}', '{"10":1,"9":2,"__proto__":{"x":1}}'],
    ['{"a":1,"a":2}', '{"b":12345678901234567890}', '{"a":2,"b":12345678901234567890}'],
  ])('%s with %s', (held, patch, text) => {
    expect(mergeJsonText(held, patch)).toEqual({ kind: 'Merged', text });
  });

  it('refuses what cannot be parsed, and what is nested too deeply', () => {
    expect(mergeJsonText('{"a":1', '{}')).toEqual({ kind: 'Refused', why: 'the value of the Pod is not JSON' });
    expect(mergeJsonText('{}', '{"a"')).toEqual({ kind: 'Refused', why: 'the patch is neither a JSON object nor an array' });
    expect(mergeJsonText('{}', '"{"').kind).toBe('Refused');
    expect(mergeJsonText('{}', 'null').kind).toBe('Refused');
    const deep = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(['Merged', 'Refused']).toContain(mergeJsonText(deep, '{"b":1}').kind);
  });
});
