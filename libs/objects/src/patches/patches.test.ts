import { describe, expect, it } from '@jest/globals';
import { deepFreeze } from '../json/copy.ts';
import { createJsonPatch } from './json-patch-diff.ts';
import { applyJsonPatch, type JsonPatchOperation } from './json-patch.ts';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';
import { PatchError, patchResult } from './patch-result.ts';

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

  it('returns the target itself when nothing changes', () => {
    const target = { a: { b: 1 }, c: [1] };
    expect(applyMergePatch(target, { a: { b: 1 }, d: null })).toBe(target);
  });

  it('treats undefined members as absent', () => {
    expect(createMergePatch({ a: undefined, b: 1 }, { b: 1, c: undefined })).toEqual({});
    expect(createMergePatch({ a: undefined }, { a: 1 })).toEqual({ a: 1 });
    expect(createMergePatch({ a: 1 }, { a: undefined })).toEqual({ a: null });
    expect(Object.keys(applyMergePatch({ a: 1, b: 2 }, { a: null }) as object)).toEqual(['b']);
    expect(Object.keys(createMergePatch({}, { a: undefined }))).toEqual([]);
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
    [
      'adds members called constructor and prototype',
      [
        { op: 'add', path: '/constructor', value: {} },
        { op: 'add', path: '/constructor/x', value: 1 },
        { op: 'add', path: '/prototype', value: 2 },
        { op: 'add', path: '/a/prototype', value: 3 },
      ],
      { ...document, a: { ...document.a, prototype: 3 }, constructor: { x: 1 }, prototype: 2 },
    ],
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

  it.each<[unknown, string]>([
    [{ op: 'remove', path: '/a' }, 'a JSON patch is a list of operations'],
    [[{ op: 'test', path: '/a/b/0', value: 1 }, null], 'operation 1 has no path'],
    [[{ op: 'remove' }], 'operation 0 has no path'],
    [[{ op: 'merge', path: '/a' }], 'operation 0 has an unknown op'],
    [[{ op: 'add', path: '/x' }], 'operation 0 has no value'],
    [[{ op: 'add', path: '/x', value: undefined }], 'operation 0 has no value'],
    [[{ op: 'copy', path: '/x' }], 'operation 0 has no from'],
    [[{ op: 'move', path: '/x', from: 7 }], 'operation 0 has no from'],
    [[{ op: 'remove', path: 'a' }], '"a" is not a JSON pointer'],
    [[{ op: 'copy', from: 'a', path: '/b' }], '"a" is not a JSON pointer'],
    [[{ op: 'add', path: '/__proto__', value: 1 }], '"/__proto__" would reach a prototype'],
    [[{ op: 'add', path: '/a/__proto__/x', value: 1 }], '"/a/__proto__/x" would reach a prototype'],
    [[{ op: 'copy', from: '/a/constructor/prototype', path: '/b' }], '"/a/constructor/prototype" would reach a prototype'],
    [[{ op: 'test', path: '/a/b', value: [1] }], 'the value at /a/b is not the tested one'],
    [[{ op: 'test', path: '', value: 1 }], 'the value at the root is not the tested one'],
    [[{ op: 'move', from: '/a', path: '/a/b/0' }], '/a cannot move into itself'],
    [[{ op: 'remove', path: '/a/x' }], 'there is nothing at /a/x'],
    [[{ op: 'replace', path: '/a/x', value: 1 }], 'there is nothing at /a/x'],
    [[{ op: 'copy', from: '/a/x', path: '/y' }], 'there is nothing at /a/x'],
    [[{ op: 'add', path: '/a/x/y', value: 1 }], 'there is nothing at /a/x/y'],
    [[{ op: 'add', path: '/c~1d/x', value: 1 }], 'there is nothing at /c/d/x'],
    [[{ op: 'remove', path: '/a/b/3' }], 'there is no element "3" for /a/b/3'],
    [[{ op: 'add', path: '/a/b/4', value: 1 }], 'there is no element "4" for /a/b/4'],
    [[{ op: 'test', path: '/a/b/x', value: 1 }], 'there is no element "x" for /a/b/x'],
    [[{ op: 'remove', path: '/a/b/-1' }], 'there is no element "-1" for /a/b/-1'],
    [[{ op: 'remove', path: '/a/b/1x' }], 'there is no element "1x" for /a/b/1x'],
    [[{ op: 'remove', path: '/a/b/x1' }], 'there is no element "x1" for /a/b/x1'],
    [[{ op: 'add', path: '/a/b/3/x', value: 1 }], 'there is no element "3" for /a/b/3/x'],
  ])('reports for %j what is wrong', (operations, why) => {
    expect(applyJsonPatch(document, operations as JsonPatchOperation[])).toEqual({ kind: 'Refused', why });
  });

  it.each<[string, JsonPatchOperation[], unknown]>([
    ['appends at the index behind the last', [{ op: 'add', path: '/a/b/3', value: 9 }], { ...document, a: { b: [1, 2, 3, 9] } }],
    ['puts a value in the place of the one that is there', [{ op: 'add', path: '/c~1d', value: 9 }], { ...document, 'c/d': 9 }],
    ['replaces an element', [{ op: 'replace', path: '/a/b/1', value: 9 }], { ...document, a: { b: [1, 9, 3] } }],
    ['removes a member', [{ op: 'remove', path: '/c~1d' }], { a: document.a, 'e~f': 2 }],
    ['moves a member to where it was', [{ op: 'move', from: '/a', path: '/a' }], document],
    [
      'moves to a place whose name only begins alike',
      [{ op: 'move', from: '/c~1d', path: '/c~1de' }],
      { a: document.a, 'c/de': 1, 'e~f': 2 },
    ],
    ['moves a member out of what it is in', [{ op: 'move', from: '/a/b', path: '/a' }], { ...document, a: [1, 2, 3] }],
    ['copies into itself', [{ op: 'copy', from: '/a', path: '/a/c' }], { ...document, a: { b: [1, 2, 3], c: { b: [1, 2, 3] } } }],
    [
      'goes on with what the operation before left',
      [
        { op: 'add', path: '/x', value: {} },
        { op: 'add', path: '/x/y', value: 1 },
      ],
      { ...document, x: { y: 1 } },
    ],
    [
      'changes deep inside of a list',
      [
        { op: 'add', path: '/a/b/0', value: {} },
        { op: 'add', path: '/a/b/0/y', value: 1 },
      ],
      { ...document, a: { b: [{ y: 1 }, 1, 2, 3] } },
    ],
    [
      'adds a false and an empty text',
      [
        { op: 'add', path: '/x', value: false },
        { op: 'add', path: '/y', value: '' },
      ],
      { ...document, x: false, y: '' },
    ],
    [
      'moves to a place that only shares a part of the way',
      [
        { op: 'add', path: '/z', value: { b: [] } },
        { op: 'move', from: '/a/b', path: '/z/b/0' },
      ],
      { ...document, a: {}, z: { b: [[1, 2, 3]] } },
    ],
    ['does nothing without operations', [], document],
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

describe('patchResult', () => {
  it('converts a refusal to a result, and passes on every other error', () => {
    const failing = (error: Error) => () =>
      patchResult(() => {
        throw error;
      });
    expect(failing(new PatchError('no'))()).toEqual({ kind: 'Refused', why: 'no' });
    expect(failing(new RangeError('too deep'))).toThrow(RangeError);
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
  ])('creates %s', (_name, before, after, count) => {
    const operations = createJsonPatch(before, after);
    expect(operations).toHaveLength(count);
    expect(applyJsonPatch(before, operations)).toEqual({ kind: 'Patched', value: after });
  });

  it.each<[string, unknown, unknown, JsonPatchOperation[]]>([
    ['the root', 1, 2, [{ op: 'replace', path: '', value: 2 }]],
    ['a member that came', {}, { a: 1 }, [{ op: 'add', path: '/a', value: 1 }]],
    ['a member that went', { a: 1, b: 2 }, { b: 2 }, [{ op: 'remove', path: '/a' }]],
    ['a member that changed', { a: { b: 1, c: 1 } }, { a: { b: 2, c: 1 } }, [{ op: 'replace', path: '/a/b', value: 2 }]],
    ['members that are undefined on both sides as absent', { a: undefined, b: 1 }, { b: 1, c: undefined }, []],
    ['a member that became undefined as one that went', { a: 1 }, { a: undefined }, [{ op: 'remove', path: '/a' }]],
    ['a member that was undefined as one that came', { a: undefined }, { a: 1 }, [{ op: 'add', path: '/a', value: 1 }]],
    ['a member that became null as changed', { a: 1 }, { a: null }, [{ op: 'replace', path: '/a', value: null }]],
    ['a list that became an object whole', { a: [] }, { a: {} }, [{ op: 'replace', path: '/a', value: {} }]],
    [
      'elements at the end that went',
      [1, 2, 3],
      [1],
      [
        { op: 'remove', path: '/1' },
        { op: 'remove', path: '/1' },
      ],
    ],
    [
      'elements at the end that came, each at its index',
      [1],
      [1, 2, 3],
      [
        { op: 'add', path: '/1', value: 2 },
        { op: 'add', path: '/2', value: 3 },
      ],
    ],
    [
      'a list that was emptied',
      ['a', 'b'],
      [],
      [
        { op: 'remove', path: '/0' },
        { op: 'remove', path: '/0' },
      ],
    ],
    ['a list that was filled', [], ['a'], [{ op: 'add', path: '/0', value: 'a' }]],
    ['the one of two equal elements that went', ['a', 'a', 'b'], ['a', 'b'], [{ op: 'remove', path: '/1' }]],
    [
      'what is before, between and behind equal elements',
      ['x', 'a', 'b', 'y'],
      ['a', 'z', 'b'],
      [
        { op: 'remove', path: '/0' },
        { op: 'add', path: '/1', value: 'z' },
        { op: 'remove', path: '/3' },
      ],
    ],
    [
      'a change in front of equal ends as such, even if the end has its like further in front',
      ['b', 'a', 'c'],
      ['a', 'a', 'c'],
      [{ op: 'replace', path: '/0', value: 'a' }],
    ],
    [
      'of two elements that changed places the first as moved',
      ['a', 'b'],
      ['b', 'a'],
      [
        { op: 'remove', path: '/0' },
        { op: 'add', path: '/1', value: 'a' },
      ],
    ],
    [
      'a change within an element, and one element less behind it',
      [{ a: 1 }, 'k', 'l'],
      [{ a: 2 }, 'l'],
      [
        { op: 'replace', path: '/0/a', value: 2 },
        { op: 'remove', path: '/1' },
      ],
    ],
  ])('names %s', (_name, before, after, operations) => {
    expect(createJsonPatch(before, after)).toEqual(operations);
    expect(applyJsonPatch(before ?? null, operations).kind).toBe('Patched');
  });

  it('remains cheap and correct on big lists without common elements', () => {
    const before = Array.from({ length: 5_000 }, (_, i) => ({ i }));
    const after = Array.from({ length: 4_000 }, (_, i) => ({ i: -i - 1 }));
    expect(applyJsonPatch(before, createJsonPatch(before, after).slice(0, 0))).toEqual({ kind: 'Patched', value: before });
    expect(createJsonPatch(before, after)).toHaveLength(5_000);
  });

  it('escapes names', () => {
    expect(createJsonPatch({}, { 'a/b~c': 1 })).toEqual([{ op: 'add', path: '/a~1b~0c', value: 1 }]);
    expect(createJsonPatch({ '~': [{}] }, { '~': [{ '/': 1 }] })).toEqual([{ op: 'add', path: '/~0/0/~1', value: 1 }]);
  });

  it('replaces a list as a whole that is inside more lists than in any known kind', () => {
    const within = (lists: number, innermost: unknown): unknown => (lists === 0 ? innermost : [{ a: within(lists - 1, innermost) }]);
    const at = (lists: number): string => '/0/a'.repeat(lists);
    const change = (lists: number): unknown => createJsonPatch(within(lists, [1, 2, { b: 3 }]), within(lists, [1, 2, { b: 4 }]));
    expect(change(5)).toEqual([{ op: 'replace', path: `${at(5)}/2/b`, value: 4 }]);
    expect(change(6)).toEqual([{ op: 'replace', path: at(6), value: [1, 2, { b: 4 }] }]);
    expect(createJsonPatch(within(9, [1]), within(9, [1]))).toEqual([]);
  });
});
