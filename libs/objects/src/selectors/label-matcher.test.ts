import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { matchAll, requirement, type LabelOperator, type LabelRequirement } from './label-matcher.ts';

type Labels = Readonly<Record<string, string>>;

/** Checks one requirement as Kubernetes defines it. */
function holds({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'Equals':
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotEquals':
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'GreaterThan':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'LessThan':
      return value !== undefined && Number(value) < Number(values[0]);
  }
}

const key = fc.constantFrom('a', 'b', 'constructor');
const value = fc.constantFrom('1', '2', '3');
const listed = fc.record({
  key,
  operator: fc.constantFrom<LabelOperator>('Equals', 'In', 'NotEquals', 'NotIn'),
  values: fc.array(value, { maxLength: 3 }),
});
const plain = fc.record({ key, operator: fc.constantFrom<LabelOperator>('Exists', 'DoesNotExist'), values: fc.constant([]) });
const compared = fc.record({
  key,
  operator: fc.constantFrom<LabelOperator>('GreaterThan', 'LessThan'),
  values: fc.array(value, { minLength: 1, maxLength: 1 }),
});

describe('a matcher', () => {
  it('selects what fulfils every requirement, several of one key included', () => {
    let selected = 0;
    fc.assert(
      fc.property(fc.array(fc.oneof(listed, plain, compared), { maxLength: 5 }), fc.dictionary(key, value), (given, labels) => {
        const requirements = given.map((one) => requirement(one.key, one.operator, one.values));
        const expected = requirements.every((one) => holds(one, labels));
        if (expected) selected++;
        expect(matchAll(requirements).matches(labels)).toBe(expected);
      }),
      { seed: 7, numRuns: 400 },
    );
    expect(selected).toBeGreaterThan(40);
  });

  it('reads the labels of an object, however many requirements there are', () => {
    const many = Array.from({ length: 5000 }, (_, index) => requirement(`key${index}`, index % 2 === 0 ? 'NotIn' : 'DoesNotExist', ['x']));
    const looked: string[] = [];
    const labels = new Proxy<Labels>(
      { app: 'web', key2: 'y' },
      {
        getOwnPropertyDescriptor: (target, name) => (looked.push(String(name)), Reflect.getOwnPropertyDescriptor(target, name)),
      },
    );
    const matcher = matchAll(many);
    expect([matcher.matches(labels), matcher.matches({ key2: 'x' }), matcher.matches({ key1: 'y' })]).toEqual([true, false, false]);
    expect(new Set(looked)).toEqual(new Set(['app', 'key2']));
  });

  it('reads no other label when there are few keys', () => {
    const looked: string[] = [];
    const note = (_target: Labels, name: string | symbol) => (looked.push(String(name)), undefined);
    const labels = new Proxy<Labels>(
      {},
      { getOwnPropertyDescriptor: note, ownKeys: (target) => (looked.push('all'), Reflect.ownKeys(target)) },
    );
    expect(matchAll([requirement('app', 'NotIn', ['x']), requirement('team', 'DoesNotExist', [])]).matches(labels)).toBe(true);
    expect(looked).toEqual(['app', 'team']);
  });

  it('stops at the first missing label', () => {
    const looked: string[] = [];
    const labels = new Proxy<Labels>({}, { getOwnPropertyDescriptor: (_target, name) => void looked.push(String(name)) });
    const many = Array.from({ length: 5000 }, (_, index) => requirement(`key${index}`, 'Exists', []));
    expect(matchAll(many).matches(labels)).toBe(false);
    expect(looked).toEqual(['key0']);
  });
});
