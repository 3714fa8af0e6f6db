import { describe, expect, it } from '@jest/globals';
import { inCommon, partition, simplify, type Requirement, type Requirements } from './namespace-partition.ts';

const has = (key: string): Requirement => ({ key, operator: 'Exists', values: [] });
const lacks = (key: string): Requirement => ({ key, operator: 'DoesNotExist', values: [] });
const is = (key: string, ...values: readonly string[]): Requirement => ({ key, operator: 'In', values });
const isNot = (key: string, ...values: readonly string[]): Requirement => ({ key, operator: 'NotIn', values });

describe('requirements', () => {
  it.each<{ name: string; given: Requirements; simple: Requirements }>([
    { name: 'of different keys are sorted', given: [has('b'), is('c', '1'), lacks('a')], simple: [lacks('a'), has('b'), is('c', '1')] },
    { name: 'that are sorted stay so', given: [has('a'), has('b'), has('c')], simple: [has('a'), has('b'), has('c')] },
    { name: 'that are repeated are said once', given: [has('a'), has('a'), lacks('b'), lacks('b')], simple: [has('a'), lacks('b')] },
    {
      name: 'on one value leave what lists have in common',
      given: [is('a', '2', '1'), is('a', '3', '2', '1')],
      simple: [is('a', '1', '2')],
    },
    { name: 'take excluded values out of a list', given: [isNot('a', '1'), is('a', '1', '2')], simple: [is('a', '2')] },
    { name: 'of a value say that there is one', given: [is('a', '1'), has('a')], simple: [is('a', '1')] },
    { name: 'put excluded values together', given: [isNot('a', '2'), isNot('a', '1', '2')], simple: [isNot('a', '1', '2')] },
    { name: 'say of what exists which values it has not', given: [isNot('a', '1'), has('a')], simple: [has('a'), isNot('a', '1')] },
    { name: 'on the value of what does not exist go', given: [isNot('a', '1'), lacks('a')], simple: [lacks('a')] },
  ])('$name', ({ given, simple }) => {
    expect(simplify(given)).toEqual(simple);
  });

  it.each<{ name: string; given: Requirements }>([
    { name: 'a key that is there and not', given: [has('a'), lacks('a')] },
    { name: 'a key that is not there and is', given: [lacks('a'), has('a')] },
    { name: 'a value and no key', given: [is('a', '1'), lacks('a')] },
    { name: 'no key and a value', given: [lacks('a'), is('a', '1')] },
    { name: 'two values', given: [is('a', '1'), is('a', '2')] },
    { name: 'a value that is excluded', given: [is('a', '1'), isNot('a', '1')] },
  ])('cannot ask for $name', ({ given }) => {
    expect(simplify(given)).toBeUndefined();
  });
});

describe('parts of the namespaces', () => {
  it('hold every combination of the selectors that some namespace can have, and none that has nothing', () => {
    expect(partition([[is('a', '1')], [is('a', '1', '2'), has('b')]], 9)).toEqual([
      { requirements: [is('a', '1'), has('b')], holds: [0, 1] },
      { requirements: [is('a', '1'), lacks('b')], holds: [0] },
      { requirements: [is('a', '2'), has('b')], holds: [1] },
    ]);
  });

  it('are none without selectors', () => {
    expect(partition([], 9)).toEqual([]);
  });

  it('are refused when they are more than allowed', () => {
    const selectors = [[has('a')], [has('b')]];
    expect(partition(selectors, 3)).toHaveLength(3);
    expect(partition(selectors, 2)).toBeUndefined();
  });

  it('are refused when those in which nothing holds are far too many', () => {
    const selector = (keys: string): Requirements => [...keys].map(has);
    expect(partition([selector('abc')], 1)).toHaveLength(1);
    expect(partition([selector('abcd')], 1)).toBeUndefined();
  });
});

describe('what selectors have in common', () => {
  it.each<{ name: string; given: readonly Requirements[]; common: Requirements }>([
    { name: 'is all of a single one that asks for a key', given: [[has('a'), is('b', '1')]], common: [has('a'), is('b', '1')] },
    { name: 'is nothing of what it excludes', given: [[lacks('a'), has('b'), isNot('b', '1'), isNot('c', '1')]], common: [has('b')] },
    {
      name: 'is every value that one of them takes',
      given: [[is('a', '2')], [is('a', '3', '1')], [is('a', '2')]],
      common: [is('a', '1', '2', '3')],
    },
    { name: 'is that a key exists when one takes any value', given: [[is('a', '1')], [has('a'), isNot('a', '2')]], common: [has('a')] },
    {
      name: 'is nothing of a key that one does not ask for',
      given: [[has('a'), is('b', '1')], [is('b', '2')]],
      common: [is('b', '1', '2')],
    },
    {
      name: 'is nothing of a key that one excludes',
      given: [
        [is('a', '1'), has('b')],
        [isNot('a', '2'), has('b')],
      ],
      common: [has('b')],
    },
    { name: 'is nothing of a key that one wants absent', given: [[is('a', '1')], [lacks('a')]], common: [] },
    {
      name: 'is found wherever the key stands',
      given: [
        [has('a'), is('b', '1')],
        [is('b', '2'), has('c')],
      ],
      common: [is('b', '1', '2')],
    },
    { name: 'is nothing without selectors', given: [], common: [] },
  ])('$name', ({ given, common }) => {
    expect(inCommon(given)).toEqual(common);
  });
});
