import { describe, expect, it } from '@jest/globals';
import { deepFreeze } from './copy.ts';
import { createJsonPatch } from './json-patch-diff.ts';
import { applyJsonPatch, type JsonPatchOperation } from './json-patch.ts';
import { formatPointer } from './json-pointer.ts';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';

describe('applyMergePatch', () => {
  // The examples of RFC 7386, appendix A.
  it.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    ['[1]', '{}', '{}'],
    ['{"a":1}', '{"__proto__":{"polluted":true}}', '{"a":1,"__proto__":{"polluted":true}}'],
  ])('%s with %s is %s', (target, patch, result) => {
    expect(JSON.stringify(applyMergePatch(deepFreeze(JSON.parse(target)), JSON.parse(patch)))).toBe(result);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('gives the target itself back when nothing changes', () => {
    const target = { a: { b: 1 }, c: [1] };
    expect(applyMergePatch(target, { a: { b: 1 }, d: null })).toBe(target);
  });

  it('names only what differs', () => {
    expect(createMergePatch({ a: { b: 1, c: 2 }, d: [1], e: 1 }, { a: { b: 1, c: 3 }, d: [1, 2] })).toEqual({
      a: { c: 3 },
      d: [1, 2],
      e: null,
    });
  });
});

describe('applyJsonPatch', () => {
  const document = deepFreeze({ a: { b: [1, 2, 3] }, 'c/d': 1, 'e~f': 2 });

  it.each<[string, JsonPatchOperation[], unknown]>([
    ['adds a member', [{ op: 'add', path: '/x', value: 1 }], { ...document, x: 1 }],
    ['inserts an element', [{ op: 'add', path: '/a/b/1', value: 9 }], { ...document, a: { b: [1, 9, 2, 3] } }],
    ['appends an element', [{ op: 'add', path: '/a/b/-', value: 9 }], { ...document, a: { b: [1, 2, 3, 9] } }],
    ['removes an element', [{ op: 'remove', path: '/a/b/0' }], { ...document, a: { b: [2, 3] } }],
    [
      'replaces through escapes',
      [
        { op: 'replace', path: '/c~1d', value: 5 },
        { op: 'replace', path: '/e~0f', value: 6 },
      ],
      { a: document.a, 'c/d': 5, 'e~f': 6 },
    ],
    ['replaces the whole', [{ op: 'replace', path: '', value: [] }], []],
    ['moves', [{ op: 'move', from: '/a/b/0', path: '/first' }], { ...document, a: { b: [2, 3] }, first: 1 }],
    ['copies', [{ op: 'copy', from: '/a', path: '/z' }], { ...document, z: { b: [1, 2, 3] } }],
    ['tests', [{ op: 'test', path: '/a', value: { b: [1, 2, 3] } }], document],
    ['sets a null', [{ op: 'add', path: '/n', value: null }], { ...document, n: null }],
  ])('%s', (_name, operations, value) => {
    expect(applyJsonPatch(document, operations)).toEqual({ kind: 'Patched', value });
  });

  it.each<[string, unknown]>([
    ['a missing member', [{ op: 'remove', path: '/x' }]],
    ['a missing parent', [{ op: 'add', path: '/x/y', value: 1 }]],
    ['an element beyond the end', [{ op: 'add', path: '/a/b/4', value: 1 }]],
    ['an index with a leading zero', [{ op: 'remove', path: '/a/b/00' }]],
    ['the end mark where something must be', [{ op: 'remove', path: '/a/b/-' }]],
    ['a failed test', [{ op: 'test', path: '/c~1d', value: '1' }]],
    ['a move into itself', [{ op: 'move', from: '/a', path: '/a/b/0' }]],
    ['an unknown operation', [{ op: 'merge', path: '/a' }]],
    ['an operation without a value', [{ op: 'add', path: '/x' }]],
    ['an operation without a path', [{ op: 'remove' }]],
    ['a relative pointer', [{ op: 'remove', path: 'a' }]],
    ['a path through a scalar', [{ op: 'add', path: '/c~1d/x', value: 1 }]],
    ['the prototype', [{ op: 'add', path: '/__proto__/polluted', value: 1 }]],
    ['the prototype by its constructor', [{ op: 'add', path: '/constructor/prototype/polluted', value: 1 }]],
    ['an inherited member', [{ op: 'add', path: '/toString/x', value: 1 }]],
    ['no list', { op: 'remove', path: '/a' }],
    ['null operations', [null]],
  ])('refuses %s and changes nothing', (_name, operations) => {
    expect(applyJsonPatch(document, operations as JsonPatchOperation[]).kind).toBe('Refused');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('createJsonPatch', () => {
  const containers = (names: string): { name: string; image: string }[] => [...names].map((name) => ({ name, image: `${name}:1` }));

  it.each<[string, unknown, unknown, number]>([
    ['nothing for equals', containers('abc'), containers('abc'), 0],
    ['one operation for an insertion in front', containers('abc'), containers('xabc'), 1],
    ['one operation for a removal in the middle', containers('abcd'), containers('abd'), 1],
    ['one operation for an appended element', containers('ab'), containers('abc'), 1],
    ['two operations for two separate insertions', containers('abcdef'), containers('axbcdyef'), 2],
    ['one operation within a changed element', containers('abc'), containers('abc').with(1, { name: 'b', image: 'b:2' }), 1],
  ])('says %s', (_name, before, after, count) => {
    const operations = createJsonPatch(before, after);
    expect(operations).toHaveLength(count);
    expect(applyJsonPatch(before, operations)).toEqual({ kind: 'Patched', value: after });
  });

  it('stays cheap and right on big lists that have nothing in common', () => {
    const before = Array.from({ length: 5_000 }, (_, i) => ({ i }));
    const after = Array.from({ length: 4_000 }, (_, i) => ({ i: -i - 1 }));
    expect(applyJsonPatch(before, createJsonPatch(before, after).slice(0, 0))).toEqual({ kind: 'Patched', value: before });
    expect(createJsonPatch(before, after)).toHaveLength(5_000);
  });

  it('escapes names', () => {
    expect(createJsonPatch({}, { 'a/b~c': 1 })).toEqual([{ op: 'add', path: '/a~1b~0c', value: 1 }]);
    expect(formatPointer(['a/b', 0, '~'])).toBe('/a~1b/0/~0');
  });
});
