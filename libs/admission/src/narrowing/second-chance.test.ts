import { describe, expect, it } from '@jest/globals';
import type { Webhook } from '../webhook-configuration.ts';
import { never, type Formula } from './formula.ts';
import { chancesOf, expressionOf, isRefusedByFailure, membersFor } from './second-chance.ts';

const cel = (text: string): Formula => ({ kind: 'Cel', text });
const base = { prefix: '', part: '', namespace: [], own: never, before: never };
const entry = (reason: string, part: string, own: string, before: Formula = never) => ({
  prefix: `${reason}${part}`,
  part,
  namespace: part === '' ? [] : [{ key: 'a', operator: 'Exists' as const, values: [] }],
  own: cel(own),
  before,
});

describe('the order of the calls', () => {
  it('is again, first, and one entry for each reason, in each part', () => {
    const entries = [base, entry('r', '', 'A'), entry('s', '', 'B', cel('A')), entry('t', '-ns1', 'C', cel('D'))];
    expect(chancesOf(entries).map(({ entry: { prefix, own, before }, chance }) => [prefix, chance, own, before])).toEqual([
      ['', 'Again', { kind: 'Any', of: [cel('A'), cel('B')] }, never],
      ['first', 'First', { kind: 'Any', of: [cel('A'), cel('B')] }, never],
      ['r', 'Last', cel('A'), never],
      ['s', 'Last', cel('B'), cel('A')],
      ['again-ns1', 'Again', cel('C'), cel('D')],
      ['first-ns1', 'First', cel('C'), cel('D')],
      ['t-ns1', 'Last', cel('C'), cel('D')],
    ]);
  });

  it('begins with the installer’s own entry, which covers nothing, when nothing is needed in all namespaces', () => {
    expect(chancesOf([base, entry('t', '-ns1', 'C')]).map(({ entry: { prefix }, chance }) => [prefix, chance])).toEqual([
      ['', undefined],
      ['again-ns1', 'Again'],
      ['first-ns1', 'First'],
      ['t-ns1', 'Last'],
    ]);
    expect(chancesOf([base])).toEqual([{ entry: base }]);
    expect(chancesOf([])).toEqual([]);
  });
});

it('has again and first in the part of the namespaces that is called last', () => {
  const last = entry('t', '-ns1', 'C');
  const asked = chancesOf([base, last]).map(({ entry: { part, namespace } }) => ({ part, namespace }));
  expect(asked.slice(1)).toEqual(Array.from({ length: 3 }, () => ({ part: '-ns1', namespace: last.namespace })));
});

describe('an entry', () => {
  const part: Webhook = { name: 'r.mpod.kb.io', failurePolicy: 'Fail', timeoutSeconds: 30 };

  it.each([
    { chance: 'Again' as const, members: {}, expression: '(A) && B' },
    { chance: 'First' as const, members: { failurePolicy: 'Ignore', timeoutSeconds: 3 }, expression: '!(A) && B' },
    { chance: 'Last' as const, members: {}, expression: '!(A) && B' },
  ])('for the chance $chance', ({ chance, members, expression }) => {
    expect(membersFor(part, chance)).toEqual(members);
    expect(expressionOf('B', chance, 'A')).toBe(expression);
  });

  it('gives the first call no more time than the installer does', () => {
    expect(membersFor({ ...part, timeoutSeconds: 2 }, 'First')['timeoutSeconds']).toBe(2);
    expect(membersFor({ name: 'a' }, 'First')['timeoutSeconds']).toBe(3);
  });

  it('has no second chance when its failure refuses nothing', () => {
    expect([{ name: 'a' }, part, { ...part, failurePolicy: 'Ignore' }].map(isRefusedByFailure)).toEqual([true, true, false]);
  });
});
