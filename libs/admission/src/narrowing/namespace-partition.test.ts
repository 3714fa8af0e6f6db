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
    { name: 'that are repeated are listed once', given: [has('a'), has('a'), lacks('b'), lacks('b')], simple: [has('a'), lacks('b')] },
    {
      name: 'on one value keep what lists have in common',
      given: [is('a', '2', '1'), is('a', '3', '2', '1')],
      simple: [is('a', '1', '2')],
    },
    { name: 'remove excluded values from a list', given: [isNot('a', '1'), is('a', '1', '2')], simple: [is('a', '2')] },
    { name: 'of a value require that there is one', given: [is('a', '1'), has('a')], simple: [is('a', '1')] },
    { name: 'combine excluded values', given: [isNot('a', '2'), isNot('a', '1', '2')], simple: [isNot('a', '1', '2')] },
    { name: 'of an existing key list the excluded values', given: [isNot('a', '1'), has('a')], simple: [has('a'), isNot('a', '1')] },
    { name: 'on the value of an absent key are removed', given: [isNot('a', '1'), lacks('a')], simple: [lacks('a')] },
  ])('$name', ({ given, simple }) => {
    expect(simplify(given)).toEqual(simple);
  });

  it.each<{ name: string; given: Requirements }>([
    { name: 'a key that exists and does not', given: [has('a'), lacks('a')] },
    { name: 'a key that does not exist and does', given: [lacks('a'), has('a')] },
    { name: 'a value and no key', given: [is('a', '1'), lacks('a')] },
    { name: 'no key and a value', given: [lacks('a'), is('a', '1')] },
    { name: 'two values', given: [is('a', '1'), is('a', '2')] },
    { name: 'a value that is excluded', given: [is('a', '1'), isNot('a', '1')] },
  ])('cannot require $name', ({ given }) => {
    expect(simplify(given)).toBeUndefined();
  });
});

describe('parts of the namespaces', () => {
  it('contain every combination of the selectors that some namespace can have, and none with no selector', () => {
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

  it('are refused when those in which no selector holds are far too many', () => {
    const selector = (keys: string): Requirements => [...keys].map(has);
    expect(partition([selector('abc')], 1)).toHaveLength(1);
    expect(partition([selector('abcd')], 1)).toBeUndefined();
  });
});

describe('the common requirements of selectors', () => {
  it.each<{ name: string; given: readonly Requirements[]; common: Requirements }>([
    { name: 'are all of a single one that requires a key', given: [[has('a'), is('b', '1')]], common: [has('a'), is('b', '1')] },
    { name: 'contain nothing of what it excludes', given: [[lacks('a'), has('b'), isNot('b', '1'), isNot('c', '1')]], common: [has('b')] },
    {
      name: 'contain every value that one of them accepts',
      given: [[is('a', '2')], [is('a', '3', '1')], [is('a', '2')]],
      common: [is('a', '1', '2', '3')],
    },
    {
      name: 'contain that a key exists when one accepts any value',
      given: [[is('a', '1')], [has('a'), isNot('a', '2')]],
      common: [has('a')],
    },
    {
      name: 'contain nothing of a key that one does not require',
      given: [[has('a'), is('b', '1')], [is('b', '2')]],
      common: [is('b', '1', '2')],
    },
    {
      name: 'contain nothing of a key that one excludes',
      given: [
        [is('a', '1'), has('b')],
        [isNot('a', '2'), has('b')],
      ],
      common: [has('b')],
    },
    { name: 'contain nothing of a key that one requires to be absent', given: [[is('a', '1')], [lacks('a')]], common: [] },
    {
      name: 'are found wherever the key is',
      given: [
        [has('a'), is('b', '1')],
        [is('b', '2'), has('c')],
      ],
      common: [is('b', '1', '2')],
    },
    { name: 'are empty without selectors', given: [], common: [] },
  ])('$name', ({ given, common }) => {
    expect(inCommon(given)).toEqual(common);
  });
});
