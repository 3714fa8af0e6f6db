import { describe, expect, it } from '@jest/globals';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { formatFieldError, formatFieldErrors } from '../field-error.ts';
import {
  isEmptyLabelSelector,
  labelMatcherOf,
  labelMatcherOrNothing,
  validateLabelSelector,
  type LabelSelector,
} from './label-selector.ts';
import { formatLabelMatcher, parseSelectorText } from './selector-text.ts';

const textOf = (selector: LabelSelector): string => formatLabelMatcher(labelMatcherOrNothing(selector));

describe('labelMatcherOf', () => {
  const labels = { app: 'web', tier: '3', empty: '' };

  it.each<[string, LabelSelector | undefined, boolean]>([
    ['an absent selector selects nothing', undefined, false],
    ['an empty selector selects everything', {}, true],
    ['matchLabels must be equal', { matchLabels: { app: 'web' } }, true],
    ['every label must match', { matchLabels: { app: 'web', tier: '4' } }, false],
    ['matchLabels of a label that is not there', { matchLabels: { zone: '' } }, false],
    [
      'matchLabels and matchExpressions must both hold',
      { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'zone', operator: 'Exists' }] },
      false,
    ],
    [
      'every expression must hold',
      {
        matchExpressions: [
          { key: 'app', operator: 'Exists' },
          { key: 'zone', operator: 'Exists' },
        ],
      },
      false,
    ],
    ['In fails on another value', { matchExpressions: [{ key: 'app', operator: 'In', values: ['api'] }] }, false],
    ['NotIn holds for another value', { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['api'] }] }, true],
    ['Exists fails without the label', { matchExpressions: [{ key: 'zone', operator: 'Exists' }] }, false],
    ['DoesNotExist holds without the label', { matchExpressions: [{ key: 'zone', operator: 'DoesNotExist' }] }, true],
    ['Exists may have an empty list of values', { matchExpressions: [{ key: 'app', operator: 'Exists', values: [] }] }, true],
    ['absent and null members ask for nothing', { matchLabels: null, matchExpressions: null } as never, true],
    ['In needs one of the values', { matchExpressions: [{ key: 'app', operator: 'In', values: ['api', 'web'] }] }, true],
    ['In needs the label', { matchExpressions: [{ key: 'zone', operator: 'In', values: [''] }] }, false],
    ['NotIn holds without the label', { matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] }, true],
    ['NotIn fails on a listed value', { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] }, false],
    ['Exists is content with an empty value', { matchExpressions: [{ key: 'empty', operator: 'Exists' }] }, true],
    ['Exists needs an own label', { matchExpressions: [{ key: 'toString', operator: 'Exists' }] }, false],
    ['DoesNotExist', { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, false],
  ])('%s', (_name, selector, matches) => {
    expect(labelMatcherOrNothing(selector).matches(labels)).toBe(matches);
  });

  it('does not match an object without labels unless it is empty', () => {
    expect(labelMatcherOrNothing({ matchLabels: { a: 'b' } }).matches(undefined)).toBe(false);
    expect(labelMatcherOrNothing({}).matches(undefined)).toBe(true);
  });

  it.each<[unknown]>([
    [{ matchLabels: { 'a b': 'c' } }],
    [{ matchExpressions: [{ key: 'a', operator: 'Like' }] }],
    [{ matchExpressions: 'x' }],
    [{ matchLabels: 5 }],
    ['x'],
  ])('refuses %j without throwing', (selector) => {
    expect(labelMatcherOf(selector as LabelSelector).kind).toBe('Illegal');
    expect(labelMatcherOrNothing(selector as LabelSelector).selectsNothing).toBe(true);
  });

  it('treats null as an absent selector', () => {
    expect(labelMatcherOf(null)).toMatchObject({ kind: 'Matcher', matcher: { selectsNothing: true, requirements: [] } });
    expect(labelMatcherOrNothing(null).matches({})).toBe(false);
    expect(labelMatcherOrNothing({}).selectsNothing).toBe(false);
  });

  it('requires no values where an expression has none', () => {
    const parsed = labelMatcherOf({ matchExpressions: [{ key: 'a', operator: 'Exists' }] });
    expect(parsed).toMatchObject({ matcher: { requirements: [{ key: 'a', operator: 'Exists', values: [] }], selectsNothing: false } });
  });

  it('reports the first fault', () => {
    expect(labelMatcherOf({ matchExpressions: [{ key: 'a', operator: 'In' }] })).toEqual({
      kind: 'Illegal',
      why: "matchExpressions[0].values: must be specified when `operator` is 'In' or 'NotIn'",
    });
    expect(labelMatcherOf('x' as never)).toEqual({ kind: 'Illegal', why: ': must be an object' });
  });

  it.each<[LabelSelector, boolean]>([
    [{}, true],
    [{ matchLabels: {} }, true],
    [{ matchExpressions: [] }, true],
    [{ matchLabels: { a: '' } }, false],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }, false],
    [{ matchLabels: { a: '' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] }, false],
  ])('reports whether %j is empty: %p', (selector, expected) => {
    expect(isEmptyLabelSelector(selector)).toBe(expected);
  });
});

describe('a selector of a stored object', () => {
  it('is parsed once, however often it is used', () => {
    let read = 0;
    const selector: LabelSelector = {
      get matchLabels() {
        read++;
        return { app: 'web' };
      },
    };
    const first = labelMatcherOf(selector);
    const before = read;
    expect([labelMatcherOf(selector), read, labelMatcherOrNothing(selector).matches({ app: 'web' })]).toEqual([first, before, true]);
    expect(labelMatcherOf(selector)).toBe(first);
  });
});

describe('a selector beyond its bounds', () => {
  const labelsOf = (count: number): LabelSelector['matchLabels'] =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'x']));
  const valuesOf = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `v${index}`);
  const reportOf = (selector: LabelSelector): string => formatFieldErrors(validateLabelSelector(selector, 'spec.selector'));

  it('is refused with the number and the bound', () => {
    expect(
      reportOf({
        matchLabels: labelsOf(999) ?? {},
        matchExpressions: [
          { key: 'BAD KEY', operator: 'Exists' },
          { key: 'b', operator: 'Exists' },
        ],
      }),
    ).toBe(
      'spec.selector: Too many: 1001: must have at most 1000 requirements in matchLabels and matchExpressions together; use fewer keys',
    );
    const many = [5000, 5001].map((count, index) => ({ key: `key${index}`, operator: 'In', values: valuesOf(count) }));
    expect(reportOf({ matchExpressions: many })).toBe(
      'spec.selector: Too many: 10001: must have at most 10000 values in all matchExpressions together; label the objects with one key instead',
    );
  });

  it('selects nothing where it is stored', () => {
    const selector = { matchLabels: labelsOf(1001) ?? {} };
    expect(labelMatcherOf(selector)).toMatchObject({ kind: 'Illegal', why: expect.stringContaining('at most 1000') });
    expect(labelMatcherOrNothing(selector).matches(labelsOf(1001))).toBe(false);
  });

  it('begins after them', () => {
    expect(reportOf({ matchLabels: labelsOf(1000) ?? {} })).toBe('');
    expect(reportOf({ matchExpressions: [{ key: 'a', operator: 'In', values: valuesOf(10_000) }] })).toBe('');
  });
});

describe('validateLabelSelector', () => {
  it('lists every fault with its path', () => {
    const selector: LabelSelector = {
      matchLabels: { app: 'not valid' },
      matchExpressions: [
        { key: 'a', operator: 'In' },
        { key: 'b', operator: 'Exists', values: ['x'] },
        { key: '', operator: 'exists' },
      ],
    };
    const text = formatFieldErrors(validateLabelSelector(selector, 'spec.selector'));
    expect(text).toContain('spec.selector.matchLabels: Invalid value: "not valid": a valid label must be');
    expect(text).toContain(
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    );
    expect(text).toContain(
      "spec.selector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    );
    expect(text).toContain(
      'spec.selector.matchExpressions[2].operator: Unsupported value: "exists": supported values: "DoesNotExist", "Exists", "In", "NotIn"; did you mean "Exists"?',
    );
    expect(text).toContain('spec.selector.matchExpressions[2].key: Invalid value: "": name part must be non-empty');
  });

  it.each<[string, unknown, string[]]>([
    ['nothing of an empty selector', {}, []],
    ['nothing of null members', { matchLabels: null, matchExpressions: null }, []],
    [
      'nothing of what is right',
      {
        matchLabels: { a: 'b', 'x.io/c': '' },
        matchExpressions: [
          { key: 'a', operator: 'NotIn', values: ['b', ''] },
          { key: 'b', operator: 'DoesNotExist' },
        ],
      },
      [],
    ],
    ['of a text', 'x', ['s: Invalid value: "x": must be an object']],
    ['of a list', [], ['s: Invalid value: []: must be an object']],
    ['of labels that are no map', { matchLabels: [] }, ['s.matchLabels: Invalid value: []: must be an object']],
    ['of labels that are a text', { matchLabels: 'a=b' }, ['s.matchLabels: Invalid value: "a=b": must be an object']],
    ['of a label that is a number', { matchLabels: { a: 5 } }, ['s.matchLabels: Invalid value: 5: must be a string']],
    ['of expressions that are no list', { matchExpressions: {} }, ['s.matchExpressions: Invalid value: {}: must be a list']],
    ['of an expression that is no object', { matchExpressions: ['a'] }, ['s.matchExpressions[0]: Invalid value: "a": must be an object']],
    ['of an expression that is null', { matchExpressions: [null] }, ['s.matchExpressions[0]: Invalid value: null: must be an object']],
    [
      'of values that are no list',
      { matchExpressions: [{ key: 'a', operator: 'In', values: 'b' }] },
      ['s.matchExpressions[0].values: Invalid value: "b": must be a list'],
    ],
    [
      'of a value that is a number, and a key that is none',
      { matchExpressions: [{ operator: 'In', values: ['b', 5] }] },
      [
        's.matchExpressions[0].key: Invalid value: null: must be a string',
        's.matchExpressions[0].values[1]: Invalid value: 5: must be a string',
      ],
    ],
    [
      'of missing values',
      { matchExpressions: [{ key: 'a', operator: 'NotIn', values: [] }] },
      ["s.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
    ],
    [
      'of values too many',
      { matchExpressions: [{ key: 'a', operator: 'DoesNotExist', values: ['b'] }] },
      ["s.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"],
    ],
    [
      'of an absent operator',
      { matchExpressions: [{ key: 'a' }] },
      ['s.matchExpressions[0].operator: Unsupported value: null: supported values: "DoesNotExist", "Exists", "In", "NotIn"'],
    ],
  ])('reports %s', (_name, selector, expected) => {
    expect(validateLabelSelector(selector as LabelSelector, 's').map(formatFieldError)).toEqual(expected);
  });
});

describe('the text form', () => {
  it('is sorted by key and value', () => {
    const selector: LabelSelector = {
      matchLabels: { a: 'b' },
      matchExpressions: [
        { key: 'f', operator: 'DoesNotExist' },
        { key: 'e', operator: 'Exists' },
        { key: 'd', operator: 'NotIn', values: ['x'] },
        { key: 'c', operator: 'In', values: ['y', 'x'] },
      ],
    };
    expect(textOf(selector)).toBe('a=b,c in (x,y),d notin (x),e,!f');
  });

  it.each([
    ['', ''],
    ['a=b', 'a=b'],
    ['a==b', 'a=b'],
    ['a = b , c', 'a=b,c'],
    ['a=', 'a='],
    ['a!=b', 'a!=b'],
    ['!a', '!a'],
    ['x in (b,a)', 'x in (a,b)'],
    ['x in (,a)', 'x in (,a)'],
    ['x in ()', 'x in ()'],
    ['x in (a,)', 'x in (,a)'],
    ['x in (a,a)', 'x in (a)'],
    [' ', ''],
    ['b,a,!b', 'a,b,!b'],
    ['x notin (a)', 'x notin (a)'],
    ['x notin (b,a)', 'x notin (a,b)'],
    ['in in (in)', 'in in (in)'],
    ['z>5,a<3', 'a<3,z>5'],
    ['example.com/app=web', 'example.com/app=web'],
  ])('reads %j', (text, written) => {
    const parsed = parseSelectorText(text);
    expect(parsed.kind === 'Matcher' ? formatLabelMatcher(parsed.matcher) : parsed.why).toBe(written);
  });

  it.each([
    ['a,', "found end of text after ',', expected: a key or '!'"],
    ['a b', "found 'b', expected: in, notin, =, ==, !=, >, <"],
    ['a=b c', "found 'c', expected: ',' or end of text"],
    ['=b', "found '=', expected: a key"],
    ['!', "found '', expected: a key"],
    ['a in b', "found 'b', expected: '('"],
    ['a in (b', "found '', expected: ',' or ')'"],
    ['a in (b c)', "found 'c', expected: ',' or ')'"],
    ['a>x', `values[0][a]: "x": for '>' and '<' the value must be an integer`],
    ['a<', `values[0][a]: "": for '>' and '<' the value must be an integer`],
  ])('reports for %j what is wrong', (text, why) => {
    expect(parseSelectorText(text)).toEqual({ kind: 'Illegal', why });
  });

  it('reports which rule a key or value violates', () => {
    const whyOf = (text: string): string => {
      const parsed = parseSelectorText(text);
      return parsed.kind === 'Illegal' ? parsed.why : '';
    };
    expect(whyOf('-a')).toMatch(/^key "-a": name part must consist of/);
    expect(whyOf('a=b/c')).toMatch(/^value "b\/c" of key "a": a valid label must be/);
    expect(whyOf('a in (b,-)')).toMatch(/^value "-" of key "a": a valid label must be/);
  });

  it.each([
    ',',
    'a,',
    'a,,b',
    '=b',
    'a in b',
    'a in (b',
    'a in (b c)',
    'a=b=c',
    '!',
    '!a=b',
    'a b',
    'a>x',
    'a=b c',
    'a>-3',
    'a<+3',
    'a>1x',
    'a>x1',
    'a<1.5',
    '-a',
    'a=b/c',
    '(',
  ])('refuses %j', (text) => {
    expect(parseSelectorText(text).kind).toBe('Illegal');
  });

  it('gives the same result after parsing its own output, and matches alike', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd');
    const values = fc.array(name, { minLength: 1, maxLength: 3 });
    const expression = fc.oneof(
      fc.record({ key: name, operator: fc.constantFrom('In', 'NotIn'), values }),
      fc.record({ key: name, operator: fc.constantFrom('Exists', 'DoesNotExist'), values: fc.constant<string[]>([]) }),
    );
    const selector = fc.record({
      matchLabels: fc.dictionary(name, name, { maxKeys: 1 }),
      matchExpressions: fc.array(expression, { maxLength: 3 }),
    });
    const holds = (
      { key, operator, values: of }: { key: string; operator: string; values: readonly string[] },
      held: Record<string, string>,
    ): boolean => {
      const value = held[key];
      if (operator === 'In' || operator === 'NotIn') return (value !== undefined && of.includes(value)) === (operator === 'In');
      return (value !== undefined) === (operator === 'Exists');
    };
    const seen = new Occurrences();
    fc.assert(
      fc.property(selector, fc.dictionary(name, name), (given, labels) => {
        const matcher = labelMatcherOrNothing(given);
        const text = formatLabelMatcher(matcher);
        const again = parseSelectorText(text);
        if (again.kind === 'Illegal') throw new Error(again.why);
        expect(formatLabelMatcher(again.matcher)).toBe(text);
        const isSelected =
          Object.entries(given.matchLabels).every(([key, value]) => labels[key] === value) &&
          given.matchExpressions.every((one) => holds(one, labels));
        expect([matcher.matches(labels), again.matcher.matches(labels)]).toEqual([isSelected, isSelected]);
        seen.note(isSelected ? 'matches' : 'does not match');
      }),
      { numRuns: 300 },
    );
    seen.expectAtLeast({ matches: 20, 'does not match': 100 });
  });

  it('compares whole numbers', () => {
    const matching = (text: string, ...values: (string | undefined)[]): (string | undefined)[] => {
      const parsed = parseSelectorText(text);
      if (parsed.kind === 'Illegal') throw new Error(parsed.why);
      return values.filter((n) => parsed.matcher.matches(n === undefined ? {} : { n }));
    };
    expect(matching('n>9,n<100', '10', '9', '100', 'x', undefined, '99', '11x', 'x11', '1.5')).toEqual(['10', '99']);
    expect(matching('n>9', '10', '+10', '-10', '9007199254740993')).toEqual(['10', '+10', '9007199254740993']);
    expect(matching('n<9007199254740993', '9007199254740992', '9007199254740993', '-1')).toEqual(['9007199254740992', '-1']);
    expect(matching('n<5', '4', '5', '12345678901234567890')).toEqual(['4']);
  });

  it('is read as requirements that are sorted by key, with the values of each', () => {
    const parsed = parseSelectorText('!c,b,a in (y,x)');
    expect(parsed.kind === 'Matcher' && parsed.matcher.requirements).toEqual([
      { key: 'a', operator: 'In', values: ['x', 'y'] },
      { key: 'b', operator: 'Exists', values: [] },
      { key: 'c', operator: 'DoesNotExist', values: [] },
    ]);
  });

  it('matches by unequal values, and without the label', () => {
    const parsed = parseSelectorText('a!=b');
    if (parsed.kind === 'Illegal') throw new Error(parsed.why);
    expect([{ a: 'b' }, { a: 'c' }, {}].map((labels) => parsed.matcher.matches(labels))).toEqual([false, true, true]);
  });
});
