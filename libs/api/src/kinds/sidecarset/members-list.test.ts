import { describe, expect, it } from '@jest/globals';
import { textAt } from '@kruise/objects';
import { objectsAt, textsOf } from './members-list.ts';

describe('lists and maps of any origin', () => {
  it('give their objects with the places of these', () => {
    expect(objectsAt({ list: ['x', { a: 1 }, null, { b: 2 }] }, 'list')).toEqual([
      [{ a: 1 }, 1],
      [{ b: 2 }, 3],
    ]);
    expect(objectsAt({ list: 'x' }, 'list')).toEqual([]);
    expect(objectsAt({}, 'list')).toEqual([]);
  });

  it('give their texts', () => {
    expect(textsOf({ map: { a: 'x', b: 1, c: null, d: 'y' } }, 'map')).toEqual([
      ['a', 'x'],
      ['d', 'y'],
    ]);
    expect(textsOf({ map: 'x' }, 'map')).toEqual([]);
    expect(textAt({ a: 'x' }, 'a')).toBe('x');
    expect(textAt({ a: 1 }, 'a')).toBe('');
  });
});
