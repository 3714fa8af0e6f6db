import { describe, expect, it } from '@jest/globals';
import { limitOf, replicasAt, replicasAtAll, usesPercent } from './replicas.ts';
import { aSpread, aSubset } from '../testing.ts';

describe('the limit of a subset', () => {
  it.each<[number | string | undefined, number | undefined, number]>([
    [undefined, 10, -1],
    [3, undefined, 3],
    [0, 10, 0],
    ['30%', 10, 3],
    ['30%', 11, 4],
    ['100%', 7, 7],
    ['0%', 7, 0],
    ['50%', undefined, 0],
    ['50%', -1, 0],
    [-1, 10, 0],
    ['x', 10, 0],
    [null as never, 10, -1],
  ])('of %p with %p Pods in all is %d', (maxReplicas, total, then) => {
    expect(limitOf(aSubset('a', maxReplicas), total)).toBe(then);
  });

  it('needs the number of all Pods only for percentages', () => {
    expect(['30%', 3, undefined].map((limit) => usesPercent(aSpread([aSubset('a', limit), aSubset('b')])))).toEqual([true, false, false]);
  });
});

describe('a path to a number of Pods', () => {
  const many = Array.from({ length: 12 }, (_none, index) => index * 100);
  const object = {
    metadata: { name: 'game' },
    spec: { size: 10, roles: [{ size: 3 }, { size: 6 }], odd: 1.5, much: 2 ** 31, name: 'x', many, low: -3 },
  };
  it.each<[string, unknown]>([
    ['', 0],
    ['spec.size', 10],
    ['spec.roles.1.size', 6],
    ['spec.many.11', 1100],
    ['spec.low', -3],
  ])('%p leads to %p', (path, value) => {
    expect(replicasAt(object, path)).toEqual({ kind: 'Count', value });
  });

  it.each([
    ['spec.roles.2.size', 'nothing'],
    ['spec.roles.x.size', 'nothing'],
    ['spec.many.1x', 'nothing'],
    ['spec.many.x1', 'nothing'],
    ['spec.many.0x1', 'nothing'],
    ['spec.many.-0', 'nothing'],
    ['spec.many.length', 'nothing'],
    ['spec.size.more', 'nothing'],
    ['spec.none', 'nothing'],
    ['spec.odd', '1.5'],
    ['spec.much', '2147483648'],
    ['spec.name', '"x"'],
    ['spec.roles', '[{"size":3},{"size":6}]'],
    ['spec.__proto__', 'nothing'],
  ])('%p leads to no number, and that is said with the path and what is there: %s', (path, found) => {
    expect(replicasAt(object, path)).toEqual({ kind: 'Faulty', why: `there is no 32-bit integer at ${path} of game, but ${found}` });
  });

  it('may be one of several, which are added up', () => {
    expect(replicasAtAll(object, ['spec.size', 'spec.roles.0.size', ''])).toEqual({ kind: 'Count', value: 13 });
    expect(replicasAtAll(object, ['spec.size', 'spec.none']).kind).toBe('Faulty');
  });
});
