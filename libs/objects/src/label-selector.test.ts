import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatFieldErrors } from './field-error.ts';
import { formatFieldSelector, matchesFields, parseFieldSelector } from './field-selector.ts';
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

  it('does not match an object without labels unless nothing is asked', () => {
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

  it('knows an empty selector', () => {
    expect([isEmptyLabelSelector({}), isEmptyLabelSelector({ matchLabels: {} }), isEmptyLabelSelector({ matchLabels: { a: '' } })]).toEqual(
      [true, true, false],
    );
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
    ['x notin (a)', 'x notin (a)'],
    ['in in (in)', 'in in (in)'],
    ['z>5,a<3', 'a<3,z>5'],
    ['example.com/app=web', 'example.com/app=web'],
  ])('reads %j', (text, written) => {
    const parsed = parseSelectorText(text);
    expect(parsed.kind === 'Matcher' ? formatLabelMatcher(parsed.matcher) : parsed.why).toBe(written);
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
    '-a',
    'a=b/c',
    '(',
  ])('refuses %j', (text) => {
    expect(parseSelectorText(text).kind).toBe('Illegal');
  });

  it('says after reading what it said before, and matches alike', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd');
    const values = fc.array(name, { minLength: 1, maxLength: 3 });
    const expression = fc.oneof(
      fc.record({ key: name, operator: fc.constantFrom('In', 'NotIn'), values }),
      fc.record({ key: name, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
    );
    const selector = fc.record({ matchLabels: fc.dictionary(name, name), matchExpressions: fc.array(expression, { maxLength: 4 }) });
    fc.assert(
      fc.property(selector, fc.dictionary(name, name), (given, labels) => {
        const matcher = labelMatcherOrNothing(given);
        const text = formatLabelMatcher(matcher);
        const again = parseSelectorText(text);
        if (again.kind === 'Illegal') throw new Error(again.why);
        expect(formatLabelMatcher(again.matcher)).toBe(text);
        expect(again.matcher.matches(labels)).toBe(matcher.matches(labels));
      }),
    );
  });

  it('compares whole numbers', () => {
    const parsed = parseSelectorText('n>9,n<100');
    if (parsed.kind === 'Illegal') throw new Error(parsed.why);
    expect(['10', '9', '100', 'x', undefined].map((n) => parsed.matcher.matches(n === undefined ? {} : { n }))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('field selectors', () => {
  const pod = { spec: { nodeName: 'n1' }, status: { phase: 'Running' } };

  it.each([
    ['', true],
    ['spec.nodeName=n1', true],
    ['spec.nodeName==n1,status.phase!=Failed', true],
    ['spec.nodeName=n2', false],
    ['spec.missing=', true],
    ['__proto__.x=', true],
  ])('%j', (text, matches) => {
    const parsed = parseFieldSelector(text);
    if (parsed.kind === 'Illegal') throw new Error(parsed.why);
    expect(matchesFields(pod, parsed.requirements)).toBe(matches);
  });

  it('escapes what separates', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\\', ',', '='), minLength: 0, maxLength: 6 }), fc.boolean(), (value, equal) => {
        const requirements = [
          { field: 'metadata.name', equal, value },
          { field: 'b', equal: true, value: 'c' },
        ];
        expect(parseFieldSelector(formatFieldSelector(requirements))).toEqual({ kind: 'Selector', requirements });
      }),
    );
  });

  it('refuses a term without an operator', () => {
    expect(parseFieldSelector('spec.nodeName').kind).toBe('Illegal');
  });
});
