import { describe, expect, it } from '@jest/globals';
import { limitOf, replicasAt, replicasAtAll, usesPercent } from './replicas.ts';
import { aSpread, aSubset } from './testing.ts';

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
  ])('of %p with %p Pods in all is %d', (maxReplicas, total, then) => {
    expect(limitOf(aSubset('a', maxReplicas), total)).toBe(then);
  });

  it('needs the number of all Pods only for percentages', () => {
    expect(['30%', 3, undefined].map((limit) => usesPercent(aSpread([aSubset('a', limit), aSubset('b')])))).toEqual([true, false, false]);
  });
});

describe('a path to a number of Pods', () => {
  const object = { metadata: { name: 'game' }, spec: { size: 10, roles: [{ size: 3 }, { size: 6 }], odd: 1.5, much: 2 ** 31, name: 'x' } };
  it.each<[string, unknown]>([
    ['', 0],
    ['spec.size', 10],
    ['spec.roles.1.size', 6],
  ])('%p leads to %p', (path, value) => {
    expect(replicasAt(object, path)).toEqual({ kind: 'Count', value });
  });

  it.each(['spec.roles.2.size', 'spec.roles.x.size', 'spec.none', 'spec.odd', 'spec.much', 'spec.name', 'spec.roles', 'spec.__proto__'])(
    '%p leads to no number, and that is said with the path',
    (path) => {
      expect(replicasAt(object, path)).toEqual({ kind: 'Faulty', why: expect.stringContaining(`${path} of game`) });
    },
  );

  it('may be one of several, which are added up', () => {
    expect(replicasAtAll(object, ['spec.size', 'spec.roles.0.size', ''])).toEqual({ kind: 'Count', value: 13 });
    expect(replicasAtAll(object, ['spec.size', 'spec.none']).kind).toBe('Faulty');
  });
});
