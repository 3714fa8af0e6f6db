import { describe, expect, it } from '@jest/globals';
import type { Webhook } from '../webhook-configuration.ts';
import { isNarrowed, narrowWebhook, partsOf, standingFor, withoutNarrowing } from './narrow-webhook.ts';
import type { RequestNeed } from './request-need.ts';

const installed: Webhook = {
  name: 'mpod.kb.io',
  clientConfig: { service: { namespace: 'kruise-system', name: 'kruise-webhook-service', path: '/mutate-pod' } },
  namespaceSelector: { matchExpressions: [{ key: 'control-plane', operator: 'NotIn', values: ['openkruise'] }] },
  failurePolicy: 'Fail',
};
const narrowed = (...needs: readonly RequestNeed[]): readonly Webhook[] => narrowWebhook(installed, { needs });
const expressionsOf = (webhook: Webhook | undefined): readonly string[] =>
  (webhook?.['matchConditions'] as { expression: string }[]).map(({ expression }) => expression);
const labels = (text: string): string => `[has(object.metadata.labels) ? object.metadata.labels : {}].exists(l, ${text})`;

describe('a narrowed webhook', () => {
  it('leaves the name of the installer to the installer, and covers nothing when nothing is needed', () => {
    expect(narrowed()).toEqual([
      { ...installed, name: 'again.mpod.kb.io', matchConditions: [{ name: 'needed.kruise.io/nothing-else', expression: 'false' }] },
    ]);
  });

  it('lets calls fail for a reason that allows it, last of all, so that no request passes whose call must not fail', () => {
    const [, first, last] = narrowed(
      { reason: 'a-count', condition: 'A', failurePolicy: 'Ignore' },
      { reason: 'b-budget', condition: 'B' },
    );
    expect([first, last].map((one) => [one?.name, one?.['failurePolicy']])).toEqual([
      ['b-budget.mpod.kb.io', 'Fail'],
      ['a-count.mpod.kb.io', 'Ignore'],
    ]);
    expect([expressionsOf(first), expressionsOf(last)]).toEqual([['(B)'], ['(A)', '!((B))']]);
  });

  it('covers the Pods of 1,000 namespaces with the longest possible names, and no others', () => {
    const values = Array.from({ length: 1000 }, (_none, index) => `n${index}`.padEnd(63, 'x'));
    const namespaceSelector = { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In' as const, values }] };
    const entries = narrowed(...['a', 'b'].map((reason) => ({ reason, condition: 'A', namespaceSelector })));
    expect(entries.map(({ name }) => name)).toEqual(['again.mpod.kb.io', 'a.mpod.kb.io', 'b.mpod.kb.io']);
    expect(expressionsOf(entries[2])[0]).toContain(JSON.stringify(values[999]));
  });

  it.each<{ name: string; need: Omit<RequestNeed, 'reason'>; expression: string }>([
    {
      name: 'one label',
      need: { objectSelector: { matchLabels: { app: 'web' } } },
      expression: labels('("app" in l && l["app"] == "web")'),
    },
    {
      name: 'every operator',
      need: {
        objectSelector: {
          matchExpressions: [
            { key: 'a', operator: 'In', values: ['2', '1'] },
            { key: 'b', operator: 'NotIn', values: ['1'] },
            { key: 'c', operator: 'Exists' },
            { key: 'd', operator: 'DoesNotExist' },
          ],
        },
      },
      expression: labels('(("a" in l && l["a"] in ["1","2"]) && !("b" in l && l["b"] == "1") && "c" in l && !("d" in l))'),
    },
    {
      name: 'the name of a namespace, without its labels',
      need: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } } },
      expression: 'request.namespace in ["shop"]',
    },
    {
      name: 'all namespaces except one',
      need: { namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['shop'] }] } },
      expression: '!(request.namespace in ["shop"])',
    },
    {
      name: 'selectors that are null',
      need: { namespaceSelector: null, objectSelector: null, condition: 'A' },
      expression: '(A)',
    },
    {
      name: 'namespaces that have a name, which all have',
      need: { namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'Exists' }] }, condition: 'A' },
      expression: '(A)',
    },
    {
      name: 'an expression of its own',
      need: { condition: 'size(object.spec.containers) > 1' },
      expression: '(size(object.spec.containers) > 1)',
    },
  ])('covers $name', ({ need, expression }) => {
    const [base, own, ...others] = narrowed({ reason: 'sidecarset', ...need });
    expect(base?.name).toBe('again.mpod.kb.io');
    expect(own?.name).toBe('sidecarset.mpod.kb.io');
    expect(expressionsOf(own)).toEqual([expression]);
    expect(own?.['namespaceSelector']).toEqual(installed['namespaceSelector']);
    expect(others).toEqual([]);
  });

  it.each<{ name: string; need: Omit<RequestNeed, 'reason'> }>([
    { name: 'a label that no object can have', need: { objectSelector: { matchLabels: { 'not a key"': 'x' } } } },
    { name: 'an unknown operator', need: { objectSelector: { matchExpressions: [{ key: 'a', operator: 'Like', values: ['x'] }] } } },
    {
      name: 'labels that contradict each other',
      need: { namespaceSelector: { matchLabels: { a: '1' }, matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] } },
    },
    {
      name: 'a namespace without a name',
      need: { namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'DoesNotExist' }] } },
    },
    { name: 'a string instead of a selector', need: { objectSelector: 'app=web' as unknown as object } },
    { name: 'an illegal selector of namespaces', need: { namespaceSelector: { matchLabels: { 'not a key"': 'x' } } } },
  ])('covers nothing for $name', ({ need }) => {
    expect(narrowed({ reason: 'sidecarset', ...need })).toEqual(narrowed());
  });

  it('is the installer’s when everything is needed', () => {
    expect(narrowed({ reason: 'sidecarset' }, { reason: 'other', condition: 'A' })).toEqual([installed]);
  });

  it('puts selectors that differ in one value into one list', () => {
    const of = (app: string): RequestNeed => ({ reason: 'sidecarset', objectSelector: { matchLabels: { app } } });
    expect(expressionsOf(narrowed(of('c'), of('a'), of('b'), of('a'))[1])).toEqual([labels('("app" in l && l["app"] in ["a","b","c"])')]);
  });

  it('writes many selectors as data', () => {
    const of = (index: number): RequestNeed => ({
      reason: 'sidecarset',
      namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['x'] }] },
      objectSelector: { matchLabels: { app: `a${index}` }, matchExpressions: [{ key: 'no', operator: 'DoesNotExist' }] },
    });
    const [expression = ''] = expressionsOf(
      narrowed(...Array.from({ length: 17 }, (_, index) => of(index)), { reason: 'sidecarset', condition: 'A' })[1],
    );
    expect(expression).toContain('[{"key":["app"],"In":["a16"]},{"key":["no"],"DoesNotExist":[]},{"namespaceNotIn":["x"]}]');
    expect(expression).toMatch(/\.exists\(s, s\.all\(r, .*\)\) \|\| \(A\)\)\)$/);
  });

  it('is the same in whatever order the needs are', () => {
    const needs = ['a', 'b', 'c'].map((team): RequestNeed => ({
      reason: 'sidecarset',
      namespaceSelector: { matchLabels: { team } },
      objectSelector: { matchLabels: { app: team } },
    }));
    expect(narrowed(...needs.toReversed())).toEqual(narrowed(...needs));
  });

  it('sends a request for the first reason only', () => {
    const [, first, second] = narrowed({ reason: 'sidecarset', condition: 'B' }, { reason: 'kruise-workload', condition: 'A' });
    expect([first?.name, expressionsOf(first)]).toEqual(['kruise-workload.mpod.kb.io', ['(A)']]);
    expect([second?.name, second?.['matchConditions']]).toEqual([
      'sidecarset.mpod.kb.io',
      [
        { name: 'needed.kruise.io/request', expression: '(B)' },
        { name: 'needed.kruise.io/not-asked-before', expression: '!((A))' },
      ],
    ]);
  });

  it('does not cover a second reason where everything is covered for the first', () => {
    const namespaceSelector = { matchLabels: { inject: 'yes' } };
    const result = narrowed({ reason: 'first', namespaceSelector }, { reason: 'second', namespaceSelector, condition: 'A' });
    expect(result.map(({ name }) => name)).toEqual(['again.mpod.kb.io', 'first-ns1.mpod.kb.io']);
  });

  it('does not distinguish namespaces by what is never needed', () => {
    const inNobody = { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'DoesNotExist' }], matchLabels: { other: 'x' } };
    const needed: RequestNeed = { reason: 'r', namespaceSelector: { matchLabels: { inject: 'yes' } } };
    expect(narrowed(needed, { reason: 'r', namespaceSelector: inNobody })).toEqual(narrowed(needed));
  });

  it('leaves labels of namespaces to the API server, in addition to what the installer excludes', () => {
    const [, own, ...others] = narrowed({ reason: 'sidecarset', namespaceSelector: { matchLabels: { inject: 'yes' } } });
    expect(own?.name).toBe('sidecarset-ns1.mpod.kb.io');
    expect(own?.['namespaceSelector']).toEqual({
      matchExpressions: [
        { key: 'control-plane', operator: 'NotIn', values: ['openkruise'] },
        { key: 'inject', operator: 'In', values: ['yes'] },
      ],
    });
    expect(others).toEqual([]);
  });

  it('excludes only the necessary namespaces when the installer excludes none', () => {
    const { namespaceSelector: _none, ...everywhere } = installed;
    const matchExpressions = [{ key: 'inject', operator: 'Exists' }];
    const [, own] = narrowWebhook(everywhere, { needs: [{ reason: 'r', namespaceSelector: { matchExpressions } }] });
    expect(own?.['namespaceSelector']).toEqual({ matchExpressions });
  });

  it('covers more when there are too many parts', () => {
    const of = (index: number): RequestNeed => ({ reason: 'sidecarset', namespaceSelector: { matchLabels: { team: `t${index}` } } });
    const [, anywhere, own, ...others] = narrowed(
      { reason: 'sidecarset', condition: 'A' },
      ...Array.from({ length: 40 }, (_, index) => of(index)),
    );
    expect([anywhere?.name, own?.name]).toEqual(['sidecarset.mpod.kb.io', 'sidecarset-ns1.mpod.kb.io']);
    expect(own?.['namespaceSelector']).toMatchObject({
      matchExpressions: [{}, { key: 'team', operator: 'In', values: expect.arrayContaining(['t0', 't39']) as unknown }],
    });
    expect(others).toEqual([]);
  });

  describe('is the installer’s', () => {
    /** Returns a need whose condition has this length. */
    const long = (reason: string, length: number): RequestNeed => ({ reason, condition: reason.padEnd(length - 2, 'x') });

    it('when a condition is longer than 75,000 characters', () => {
      expect(narrowed(long('r', 75_000))).toHaveLength(2);
      expect(narrowed(long('r', 75_001))).toEqual([installed]);
    });

    it('when all conditions together are longer than 300,000 characters', () => {
      const needs = ['a', 'b', 'c', 'd'].map((reason) => long(reason, 18_500));
      const left =
        300_000 -
        narrowed(...needs, long('e', 3))
          .flatMap(expressionsOf)
          .join('').length;
      expect(narrowed(...needs, long('e', left + 3))).toHaveLength(6);
      expect(narrowed(...needs, long('e', left + 4))).toEqual([installed]);
    });

    it('when there would be more than 24 other entries', () => {
      const of = (index: number): RequestNeed => ({ reason: `r${index}`, condition: `C${index}` });
      expect(narrowed(...Array.from({ length: 24 }, (_, index) => of(index)))).toHaveLength(25);
      expect(narrowed(...Array.from({ length: 25 }, (_, index) => of(index)))).toEqual([installed]);
    });

    it('when it has more than 62 conditions of the installer', () => {
      const matchConditions = Array.from({ length: 63 }, (_, index) => ({ name: `c${index}`, expression: 'true' }));
      const narrowing = { needs: [{ reason: 'r', condition: 'A' }] };
      expect(narrowWebhook({ ...installed, matchConditions: matchConditions.slice(1) }, narrowing)).toHaveLength(2);
      expect(narrowWebhook({ ...installed, matchConditions }, narrowing)).toEqual([{ ...installed, matchConditions }]);
    });
  });

  it('keeps conditions of the installer', () => {
    const condition = { name: 'not-mine', expression: '!request.userInfo.username.startsWith("x")' };
    const [, own] = narrowWebhook({ ...installed, matchConditions: [condition] }, { needs: [{ reason: 'sidecarset', condition: 'A' }] });
    expect(own?.['matchConditions']).toEqual([condition, { name: 'needed.kruise.io/request', expression: '(A)' }]);
  });

  it('uses the labels of the deleted object', () => {
    const [, own] = narrowWebhook(installed, {
      subject: 'oldObject',
      needs: [{ reason: 'budget', objectSelector: { matchLabels: { a: 'b' } } }],
    });
    expect(expressionsOf(own)).toEqual([
      '[has(oldObject.metadata.labels) ? oldObject.metadata.labels : {}].exists(l, ("a" in l && l["a"] == "b"))',
    ]);
  });

  describe('with a mark of answered objects', () => {
    const namesOf = (webhooks: readonly Webhook[]): readonly string[] => webhooks.map(({ name }) => name);
    const of = (index: number): RequestNeed => ({ reason: 'r', namespaceSelector: { matchLabels: { [`t${index}`]: 'x' } } });

    it('calls first with a failure that is ignored, in each part', () => {
      const result = narrowWebhook(installed, { needs: [{ reason: 'r', condition: 'A' }, of(1)], answered: 'B' });
      const names = ['first', 'r', 'again-ns1', 'first-ns1', 'r-ns1'].map((prefix) => `${prefix}.mpod.kb.io`);
      expect(namesOf(result)).toEqual(['again.mpod.kb.io', ...names]);
      expect(result.slice(0, 3).map(expressionsOf)).toEqual([['(B) && (A)'], ['!(B) && (A)'], ['!(B) && (A)']]);
      expect(result.map(({ failurePolicy }) => failurePolicy)).toEqual(['Fail', 'Ignore', 'Fail', 'Fail', 'Ignore', 'Fail']);
      expect(isNarrowed(result)).toBe(true);
      expect(withoutNarrowing(result)).toEqual([installed]);
    });

    it.each<{ name: string; webhook?: object; needs: readonly RequestNeed[] }>([
      { name: 'a failure refuses nothing', webhook: { failurePolicy: 'Ignore' }, needs: [{ reason: 'r', condition: 'A' }] },
      { name: 'there are many parts', needs: Array.from({ length: 4 }, (_, index) => of(index)) },
      {
        name: 'there are thirteen entries',
        needs: Array.from({ length: 13 }, (_, index) => ({ reason: `r${index}`, condition: `C${index}` })),
      },
      { name: 'the conditions are longer than 10,000 characters', needs: [{ reason: 'r', condition: 'x'.repeat(9994) }] },
    ])('calls once when $name', ({ webhook, needs }) => {
      const result = narrowWebhook({ ...installed, ...webhook }, { needs, answered: 'B' });
      expect(isNarrowed(result)).toBe(true);
      expect(namesOf(result).filter((name) => name.startsWith('first'))).toEqual([]);
    });

    it.each<{ name: string; needs: readonly RequestNeed[] }>([
      {
        name: 'there are twelve entries',
        needs: Array.from({ length: 12 }, (_, index) => ({ reason: `r${index}`, condition: `C${index}` })),
      },
      { name: 'the conditions have 10,000 characters', needs: [{ reason: 'r', condition: 'x'.repeat(9993) }] },
    ])('calls twice when $name', ({ needs }) => {
      expect(namesOf(narrowWebhook(installed, { needs, answered: 'B' }))).toContain('first.mpod.kb.io');
    });
  });

  it('can be undone', () => {
    const condition = { name: 'not-mine', expression: 'true' };
    const kept = { ...installed, matchConditions: [condition] };
    const list = [
      ...narrowed({ reason: 'sidecarset' }),
      { name: 'mcloneset.kb.io' },
      { name: 'mstatefulset.kb.io', matchConditions: [] },
      ...narrowWebhook({ ...kept, name: 'vpod.kb.io' }, { needs: [] }),
    ];
    expect(isNarrowed(list)).toBe(true);
    expect(withoutNarrowing(list)).toEqual([
      installed,
      { name: 'mcloneset.kb.io' },
      { name: 'mstatefulset.kb.io', matchConditions: [] },
      { ...kept, name: 'vpod.kb.io' },
    ]);
    expect(isNarrowed(withoutNarrowing(list))).toBe(false);
  });

  it('can be undone beside what the installer applied again, and as it was named before', () => {
    const parts = narrowed({ reason: 'sidecarset', condition: 'A' });
    const renewed = { ...installed, timeoutSeconds: 7 };
    expect(withoutNarrowing([...parts, renewed])).toEqual([renewed]);
    expect(withoutNarrowing([renewed, ...parts])).toEqual([renewed]);
    const [base, ...others] = parts;
    expect(withoutNarrowing([{ ...base, name: 'mpod.kb.io' }, ...others])).toEqual([installed]);
  });

  it('replaces the installer’s webhook as long as that does not exist', () => {
    const parts = narrowed({ reason: 'sidecarset', condition: 'A' });
    expect(partsOf('mpod.kb.io', [{ name: 'other' }, ...parts])).toEqual(parts);
    expect(partsOf('pod.kb.io', parts)).toEqual([]);
    expect(partsOf('mpod.kb.io', [...parts, installed])).toEqual([]);
    expect(partsOf('mpod.kb.io', parts.slice(1))).toEqual([]);
    expect(standingFor('mpod.kb.io', parts)).toBe(parts[0]);
    expect(standingFor('mpod.kb.io', [...parts, installed])).toBe(installed);
    expect(standingFor('pod.kb.io', parts)).toBeUndefined();
  });
});
