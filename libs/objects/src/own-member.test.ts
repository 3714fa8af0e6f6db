import { describe, expect, it } from '@jest/globals';
import { memberAt, ownMember, setOwnMember, shallowCopy } from './own-member.ts';

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
