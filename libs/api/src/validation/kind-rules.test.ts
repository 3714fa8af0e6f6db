import { describe, expect, it } from '@jest/globals';
import { fieldInvalid } from '@kruise/objects';
import { faultsOf, inSpec, obstacleBy, specRule, warningsOf, warnInSpec, type KindRule } from './kind-rules.ts';

const rules: readonly KindRule<{ readonly most: number }, { readonly name: string }>[] = [
  specRule,
  {
    refuse: inSpec(({ size }, { most }) =>
      Number(size) > most ? [fieldInvalid('spec.size', size, `must be at most ${String(most)}`)] : [],
    ),
    cannotWork: ({ size }) => (typeof size === 'number' ? undefined : 'spec.size: must be a number'),
    warn: (_object, { name }) => `${name}: first`,
  },
  { cannotWork: ({ color }) => (color === 'red' ? 'spec.color: cannot be red' : undefined) },
  warnInSpec(({ color }) => (color === undefined ? [] : ['second', 'third'])),
];

describe('admission', () => {
  it('refuses an object without a spec, and nothing else of it', () => {
    expect(faultsOf(rules, {}, { most: 3 })).toMatchObject([{ field: 'spec', type: 'FieldValueRequired' }]);
    expect(faultsOf(rules, { spec: null }, { most: 3 })).toMatchObject([{ field: 'spec', type: 'FieldValueRequired' }]);
    expect(faultsOf(rules, { spec: [] }, { most: 3 })).toMatchObject([{ field: 'spec', detail: 'must be an object' }]);
  });

  it('refuses what the rules refuse, but not what only a controller cannot work with', () => {
    expect(faultsOf(rules, { spec: { size: 4, color: 'red' } }, { most: 3 })).toMatchObject([{ field: 'spec.size' }]);
    expect(faultsOf(rules, { spec: { size: 3, color: 'red' } }, { most: 3 })).toEqual([]);
  });

  it('warns in the order of the rules, of an object without a spec as well', () => {
    expect(warningsOf(rules, { spec: { color: 'red' } }, { name: 'x' })).toEqual(['x: first', 'second', 'third']);
    expect(warningsOf(rules, {}, { name: 'x' })).toEqual(['x: first']);
  });
});

describe('a controller', () => {
  it.each([
    [undefined, 'spec: Required value: must be an object'],
    ['text', 'spec: Required value: must be an object'],
    [{ color: 'red' }, 'spec.size: must be a number'],
    [{ size: 9, color: 'red' }, 'spec.color: cannot be red'],
    [{ size: 9 }, undefined],
  ])('finds in %j: %s', (spec, why) => {
    expect(obstacleBy(rules)({ spec })).toBe(why);
  });

  it('examines each spec once, and neither refuses nor warns', () => {
    let examined = 0;
    const forbidden = (): never => {
      throw new Error('belongs to admission');
    };
    const obstacle = obstacleBy([{ refuse: forbidden, warn: forbidden, cannotWork: () => String((examined += 1)) }]);
    const spec = {};
    expect([obstacle({ spec }), obstacle({ spec }), obstacle({ spec: {} })]).toEqual(['1', '1', '2']);
  });
});
