import { describe, expect, it } from '@jest/globals';
import { deepFreeze } from '../conversion/round-trip.testing.ts';
import { mapItems, mapList, mapMember, renameMember, withoutEmpty } from './nested-members.ts';

describe('changes below the top of an object', () => {
  const object = deepFreeze({ a: { x: 1 }, list: [{ x: 1 }, 'text', null], empty: {}, none: [] });

  it('give the object itself when nothing differs', () => {
    expect(renameMember(object, 'absent', 'b')).toBe(object);
    expect(renameMember(object, 'absent', 'a')).toBe(object);
    expect(mapMember(object, 'a', (members) => members)).toBe(object);
    expect(mapItems(object, 'list', (members) => members)).toBe(object);
    expect(mapList(object.list, (members) => members)).toBe(object.list);
    expect(withoutEmpty(object, 'a', 'list', 'absent')).toBe(object);
  });

  it('leave values of another type alone', () => {
    expect(mapMember(object, 'list', () => ({ changed: true }))).toBe(object);
    expect(mapItems(object, 'a', () => ({ changed: true }))).toBe(object);
    expect(mapItems(object, 'list', () => ({ changed: true }))).toEqual({ ...object, list: [{ changed: true }, 'text', null] });
  });

  it('rename over a member of the same name, also when the value is null', () => {
    expect(renameMember({ a: null, b: 2 }, 'a', 'b')).toEqual({ b: null });
  });

  it('keep an object that becomes empty, and remove named ones that are', () => {
    expect(mapMember(object, 'a', () => ({}))).toEqual({ ...object, a: {} });
    expect(withoutEmpty(object, 'empty', 'none')).toEqual({ a: { x: 1 }, list: [{ x: 1 }, 'text', null] });
  });
});
