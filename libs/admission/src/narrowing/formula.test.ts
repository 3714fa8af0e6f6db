import { describe, expect, it } from '@jest/globals';
import { allOf, always, anyOf, formatCel, never, not, type Formula } from './formula.ts';
import type { Requirement } from './namespace-partition.ts';

const cel = (text: string): Formula => ({ kind: 'Cel', text });
const [a, b, c] = [cel('A'), cel('B'), cel('C')];
const label = (operator: Requirement['operator'], ...values: readonly string[]): Formula => ({
  kind: 'Label',
  requirement: { key: 'app', operator, values },
});
const inNamespaces = (...names: readonly string[]): Formula => ({ kind: 'InNamespaces', names });

describe('a condition', () => {
  it.each<{ name: string; is: Formula; as: Formula }>([
    { name: 'all of nothing always holds', is: allOf([]), as: always },
    { name: 'any of nothing never holds', is: anyOf([]), as: never },
    { name: 'all of one is that one', is: allOf([a]), as: a },
    { name: 'what always holds adds nothing to all', is: allOf([always, a]), as: a },
    { name: 'what never holds adds nothing to any', is: anyOf([never, a]), as: a },
    { name: 'all with what never holds never holds', is: allOf([a, never, b]), as: never },
    { name: 'any with what always holds always holds', is: anyOf([a, always, b]), as: always },
    { name: 'order and repetition do not matter to all', is: allOf([c, a, b, a]), as: { kind: 'All', of: [a, b, c] } },
    { name: 'order and repetition do not matter to any', is: anyOf([b, c, a, c]), as: { kind: 'Any', of: [a, b, c] } },
    { name: 'all of all is one list', is: allOf([allOf([c, a]), b]), as: { kind: 'All', of: [a, b, c] } },
    { name: 'any of any is one list', is: anyOf([b, anyOf([c, a])]), as: { kind: 'Any', of: [a, b, c] } },
    { name: 'any of all stays unchanged', is: anyOf([allOf([a, b]), c]), as: { kind: 'Any', of: [{ kind: 'All', of: [a, b] }, c] } },
    { name: 'not always is never', is: not(always), as: never },
    { name: 'not never is always', is: not(never), as: always },
    { name: 'not not is the original', is: not(not(a)), as: a },
    { name: 'lists of values are combined', is: anyOf([label('In', '2'), label('In', '3', '1')]), as: label('In', '1', '2', '3') },
    {
      name: 'excluded values are not combined',
      is: anyOf([label('NotIn', '1'), label('NotIn', '2')]),
      as: { kind: 'Any', of: [label('NotIn', '1'), label('NotIn', '2')] },
    },
  ])('$name', ({ is, as }) => {
    expect(is).toEqual(as);
  });
});

describe('the CEL text', () => {
  const withLabels = (text: string): string => `[has(object.metadata.labels) ? object.metadata.labels : {}].exists(l, ${text})`;

  it.each<{ formula: Formula; text: string }>([
    { formula: always, text: 'true' },
    { formula: never, text: 'false' },
    { formula: allOf([a, b]), text: '((A) && (B))' },
    { formula: anyOf([a, b]), text: '((A) || (B))' },
    { formula: not(a), text: '!((A))' },
    { formula: inNamespaces('x', 'y'), text: 'request.namespace in ["x","y"]' },
    { formula: label('In', '1'), text: withLabels('("app" in l && l["app"] == "1")') },
    { formula: label('In', '1', '2'), text: withLabels('("app" in l && l["app"] in ["1","2"])') },
    { formula: label('NotIn', '1', '2'), text: withLabels('!("app" in l && l["app"] in ["1","2"])') },
    { formula: label('Exists'), text: withLabels('"app" in l') },
    { formula: label('DoesNotExist'), text: withLabels('!("app" in l)') },
    { formula: not(label('Exists')), text: withLabels('!("app" in l)') },
    { formula: anyOf([a, not(label('Exists'))]), text: withLabels('((A) || !("app" in l))') },
  ])('may be $text', ({ formula, text }) => {
    expect(formatCel(formula, 'object')).toBe(text);
  });

  const labelled = (count: number): readonly Formula[] =>
    Array.from({ length: count }, (_, index) => allOf([label('Exists'), inNamespaces(`n${index + 10}`)]));

  it('spells out sixteen alternatives', () => {
    expect(formatCel(anyOf(labelled(16)), 'object')).toMatch(/^[^|]*( \|\| [^|]*){15}$/);
  });

  it('has a table of all that can be in one beyond that, and spells out the rest', () => {
    const inTable = [
      ...labelled(13),
      allOf([label('In', '1', '2'), inNamespaces('x')]),
      allOf([label('NotIn', '1'), not(inNamespaces('y'))]),
      label('DoesNotExist'),
      label('In', '3'),
    ];
    const table = [
      ...Array.from({ length: 13 }, (_, index) => [{ namespaceIn: [`n${index + 10}`] }, { key: ['app'], Exists: [] }]),
      [{ namespaceIn: ['x'] }, { key: ['app'], In: ['1', '2'] }],
      [{ key: ['app'], NotIn: ['1'] }, { namespaceNotIn: ['y'] }],
      [{ key: ['app'], DoesNotExist: [] }],
      [{ key: ['app'], In: ['3'] }],
    ];
    const rowHolds = [
      '"In" in r ? (r["key"][0] in l && l[r["key"][0]] in r["In"])',
      '"NotIn" in r ? !(r["key"][0] in l && l[r["key"][0]] in r["NotIn"])',
      '"Exists" in r ? r["key"][0] in l',
      '"DoesNotExist" in r ? !(r["key"][0] in l)',
      '"namespaceIn" in r ? request.namespace in r["namespaceIn"]',
      '!(request.namespace in r["namespaceNotIn"])',
    ].join(' : ');
    const rest = [allOf([c, label('Exists')]), a, not(b)];
    const text = formatCel(anyOf([...rest, ...inTable]), 'object');
    const [written = '', after] = text.split('.exists(s, ');
    const rows = JSON.parse(written.slice(written.indexOf('[[{'))) as readonly unknown[];
    expect(rows).toHaveLength(table.length);
    expect(rows).toEqual(expect.arrayContaining(table));
    expect(after).toBe(`s.all(r, ${rowHolds})) || ((C) && "app" in l) || (A) || !((B))))`);
  });

  const requirements = (count: number): Formula =>
    allOf(
      Array.from({ length: count }, (_, index): Formula => ({
        kind: 'Label',
        requirement: { key: `k${index}`, operator: 'Exists', values: [] },
      })),
    );

  it('spells out 32 requirements that must all hold, and has a table of more', () => {
    expect(formatCel(requirements(32), 'object')).toMatch(/^[^&]*( && [^&]*){31}$/);
    const text = formatCel(allOf([requirements(33), a]), 'object');
    expect(text).toMatch(/^\[has.*\.exists\(l, \(\[\{"key":\["k0"\],"Exists":\[\]\},.*\]\.all\(r, "In" in r \? .*\) && \(A\)\)\)$/);
    expect(text).not.toContain('"k0" in l');
  });

  it('has a table of few alternatives with many requirements', () => {
    expect(formatCel(anyOf([requirements(30), label('In', 'x')]), 'object')).toContain(' || ');
    expect(formatCel(anyOf([requirements(32), label('In', 'x')]), 'object')).toMatch(/\]\]\.exists\(s, s\.all\(r, /);
  });
});
