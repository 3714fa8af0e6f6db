import { describe, expect, it } from '@jest/globals';
import { deepCopy, deepFreeze, setIn } from './copy.ts';
import { deepEqual, semanticEqual } from './equality.ts';

describe('setIn', () => {
  interface Sample {
    readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
    readonly spec: { readonly containers: readonly { readonly name: string; readonly image: string }[] };
  }
  const pod = deepFreeze<Sample>({
    metadata: { name: 'p', labels: { a: '1' } },
    spec: { containers: [{ name: 'c', image: 'x:1' }] },
  });

  it('copies along the path and shares the rest', () => {
    const changed = setIn(pod, ['spec', 'containers', 0, 'image'], 'x:2');
    expect(changed).toEqual({ metadata: pod.metadata, spec: { containers: [{ name: 'c', image: 'x:2' }] } });
    expect(changed.metadata).toBe(pod.metadata);
    expect(pod.spec.containers[0]?.image).toBe('x:1');
  });

  it('returns the object itself when it already has the value', () => {
    expect(setIn(pod, ['metadata', 'labels', 'a'], '1')).toBe(pod);
    expect(setIn(pod, ['spec', 'containers', 0, 'image'], 'x:1')).toBe(pod);
    expect(setIn(pod, ['metadata', 'annotations', 'x'], undefined)).toBe(pod);
    expect(setIn(pod, ['spec', 'containers', 1], undefined)).toBe(pod);
    expect(setIn(pod, ['spec', 'volumes', 0], undefined)).toBe(pod);
  });

  it('removes nothing from a missing list, at any index', () => {
    const holder = deepFreeze({ a: null });
    expect(setIn(holder, ['a', 1], undefined)).toBe(holder);
    expect(setIn(holder, ['b', 1], undefined)).toBe(holder);
  });

  it('creates objects on the path, appends to lists, removes members and elements', () => {
    expect(setIn({}, ['a', 'b'], 1)).toEqual({ a: { b: 1 } });
    expect(setIn({}, ['a', 0], 1)).toEqual({ a: [1] });
    expect(setIn({ a: null }, ['a', 'b'], 1)).toEqual({ a: { b: 1 } });
    expect(setIn({ a: 1, b: 2 }, ['a'], undefined)).toStrictEqual({ b: 2 });
    expect(setIn({ a: null }, ['a', 'b'], undefined)).toEqual({ a: null });
    expect(setIn({ a: null }, ['a', 0], 1)).toEqual({ a: [1] });
    expect(setIn({ a: [1] }, ['a', 1], 2)).toEqual({ a: [1, 2] });
    expect(setIn({ a: [1, 2] }, ['a', 0], undefined)).toEqual({ a: [2] });
    expect(setIn(pod, ['metadata', 'labels', 'a'], undefined).metadata.labels).toEqual({});
  });

  it('treats __proto__ as a member', () => {
    const changed = setIn({}, ['__proto__', 'polluted'], true);
    expect(JSON.stringify(changed)).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('refuses a path through a scalar or beyond a list', () => {
    expect(() => setIn({ a: 1 }, ['a', 'b'], 2)).toThrow(TypeError);
    expect(() => setIn({ a: 1 }, ['a', 0], 2)).toThrow(TypeError);
    expect(() => setIn({ a: [] }, ['a', 1], 2)).toThrow(TypeError);
    expect(() => setIn({ a: [] }, ['a', 'b'], 2)).toThrow(TypeError);
    expect(() => setIn({ a: 1 }, ['a', 'b'], 2)).toThrow('no object at /a');
    expect(() => setIn({ a: { b: 1 } }, ['a', 'b', 0], 2)).toThrow('no list at /a/b');
    expect(() => setIn({ a: [1] }, ['a', -1], 2)).toThrow('no element -1 at /a');
    expect(() => setIn({ a: [1] }, ['a', 0.5], 2)).toThrow('no element 0.5 at /a');
    expect(() => setIn({}, ['a', 1], 2)).toThrow('no element 1 at /a');
  });
});

describe('deepFreeze', () => {
  it('freezes objects and lists deeply, and returns them', () => {
    const value = { a: [{ b: { c: 1 } }], d: null, e: 'x' };
    expect(deepFreeze(value)).toBe(value);
    expect([value, value.a, value.a[0], value.a[0]?.b].map(Object.isFrozen)).toEqual([true, true, true, true]);
    expect(() => {
      value.a[0]!.b.c = 2;
    }).toThrow(TypeError);
  });

  it('does not visit frozen parts again', () => {
    const inner = { a: 1 };
    deepFreeze(Object.freeze({ inner }));
    expect(Object.isFrozen(inner)).toBe(false);
  });

  it('returns scalars unchanged', () => {
    expect([deepFreeze(null), deepFreeze('x'), deepFreeze(undefined)]).toEqual([null, 'x', undefined]);
  });
});

describe('deepCopy', () => {
  it('may be written to', () => {
    const copy = deepCopy(deepFreeze({ a: [{ b: 1 }], c: 5n }));
    copy.a[0]!.b = 2;
    expect(copy).toEqual({ a: [{ b: 2 }], c: 5n });
  });
});

describe('equality', () => {
  it.each<[string, unknown, unknown, boolean, boolean]>([
    ['quantities by value', { limits: { cpu: '0.1' } }, { limits: { cpu: '100m' } }, false, true],
    ['other texts by letter', { limits: '0.1' }, { limits: '100m' }, false, false],
    ['a divisor', { divisor: '0' }, { divisor: '0m' }, false, true],
    ['absent and null', { a: 1 }, { a: 1, b: null }, false, true],
    ['absent and an empty list', {}, { env: [] }, false, true],
    ['absent and an empty map', {}, { labels: {} }, false, true],
    ['absent and an empty object that means something', {}, { emptyDir: {} }, false, false],
    ['absent and undefined', { a: undefined }, {}, true, true],
    ['an inherited member', {}, { toString: 1 }, false, false],
    ['a list and an object', [], {}, false, false],
    ['different lengths', [1], [1, 2], false, false],
    ['numbers and texts', 1, '1', false, false],
    ['null and an object', null, {}, false, false],
    ['one element that differs', [1, 2, 3], [1, 9, 3], false, false],
    ['elements that mean the same', [{ a: null }, { limits: { cpu: '1' } }], [{}, { limits: { cpu: '1000m' } }], false, true],
    ['a quantity that is no member of a map of them', [{ cpu: '1' }], [{ cpu: '1000m' }], false, false],
    ['absent and a map that is not empty', {}, { labels: { a: '' } }, false, false],
    ['absent and a list that is not empty', {}, { env: [null] }, false, false],
  ])('%s', (_name, ...[a, b, equal, sameMeaning]) => {
    expect([deepEqual(a, b), deepEqual(b, a), semanticEqual(a, b), semanticEqual(b, a)]).toEqual([equal, equal, sameMeaning, sameMeaning]);
  });
});
