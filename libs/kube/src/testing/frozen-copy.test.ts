import { describe, expect, it } from '@jest/globals';
import { frozenCopy } from './frozen-copy.ts';

describe('frozenCopy', () => {
  it('shares nothing with what it copies, at any depth', () => {
    const given = { list: [{ name: 'a' }], labels: { app: 'x' }, none: null };
    const copy = frozenCopy(given);
    given.list[0] = { name: 'b' };
    given.labels.app = 'y';
    expect(copy).toEqual({ list: [{ name: 'a' }], labels: { app: 'x' }, none: null });
    expect([copy, copy.list, copy.list[0], copy.labels].every((part) => Object.isFrozen(part))).toBe(true);
  });

  it('shares the parts that are frozen already', () => {
    const held = frozenCopy({ spec: { replicas: 3 }, status: { replicas: 1 } });
    const next = frozenCopy({ ...held, status: { replicas: 3 } });
    expect(next.spec).toBe(held.spec);
    expect(frozenCopy(next)).toBe(next);
  });

  it('keeps a field called __proto__', () => {
    const copy = frozenCopy(JSON.parse('{"__proto__":{"a":1}}') as object);
    expect(Object.keys(copy)).toEqual(['__proto__']);
  });
});
