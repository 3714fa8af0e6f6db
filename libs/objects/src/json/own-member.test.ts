import { describe, expect, it } from '@jest/globals';
import {
  isUnset,
  listAt,
  memberAt,
  membersAt,
  numberAt,
  objectAt,
  objectsAt,
  ownMember,
  setOwnMember,
  shallowCopy,
  stringAt,
  textAt,
} from './own-member.ts';

describe('members with external names', () => {
  it('are own members only', () => {
    expect(ownMember({ a: 1 }, 'a')).toBe(1);
    expect(ownMember({}, 'toString')).toBeUndefined();
    expect(ownMember({}, '__proto__')).toBeUndefined();
  });

  it('may be called __proto__ and stay members', () => {
    const target: Record<string, unknown> = {};
    setOwnMember(target, '__proto__', { polluted: true });
    setOwnMember(target, 'plain', 1);
    expect(Object.keys(target)).toEqual(['__proto__', 'plain']);
    expect(target['polluted']).toBeUndefined();
    expect(Object.keys(shallowCopy(target))).toEqual(['__proto__', 'plain']);
    setOwnMember(target, '__proto__', 2);
    expect(Object.entries(target)).toEqual([
      ['__proto__', 2],
      ['plain', 1],
    ]);
    expect(Object.getOwnPropertyDescriptor(target, '__proto__')).toEqual({ ...Object.getOwnPropertyDescriptor(target, 'plain'), value: 2 });
  });
});

describe('memberAt', () => {
  const object = { spec: { replicas: 0, list: [{ name: 'a' }] } };
  it.each([
    [['spec', 'replicas'], 0],
    [['spec'], object.spec],
    [[], object],
    [['spec', 'replicas', 'x'], undefined],
    [['spec', 'list', '0'], undefined],
    [['absent', 'deeper'], undefined],
    [['constructor', 'name'], undefined],
  ])('%j is %j', (path, expected) => {
    expect(memberAt(object, ...path)).toEqual(expected);
  });

  it.each([null, undefined, 'text', 7])('of %j is nothing', (value) => {
    expect(memberAt(value, 'a')).toBeUndefined();
  });
});

describe('the readers of untyped objects', () => {
  const object = { text: 'a', empty: '', number: 0, none: null, list: [1, { a: 1 }, null], inner: { text: 'b', number: 7 } };

  it('return the value of their type at a path', () => {
    expect([textAt(object, 'inner', 'text'), stringAt(object, 'empty'), numberAt(object, 'inner', 'number')]).toEqual(['b', '', 7]);
    expect([objectAt(object, 'inner'), membersAt(object, 'inner')]).toEqual([object.inner, object.inner]);
    expect([listAt(object, 'list'), objectsAt(object, 'list')]).toEqual([object.list, [{ a: 1 }]]);
  });

  it('read the value itself without a path', () => {
    expect([textAt('a'), membersAt(object), listAt(object.list)]).toEqual(['a', object, object.list]);
  });

  it.each(['absent', 'none', 'number', 'toString'])('take %s for absent when it has another type', (name) => {
    expect([textAt(object, name), stringAt(object, name)]).toEqual(['', undefined]);
    expect([objectAt(object, name), membersAt(object, name)]).toEqual([undefined, {}]);
    expect([listAt(object, name), objectsAt(object, name), numberAt(object, 'text')]).toEqual([[], [], undefined]);
  });

  it('count null and absent members as unset, and nothing else', () => {
    expect([undefined, null, '', 0, false, []].map(isUnset)).toEqual([true, true, false, false, false, false]);
  });
});
