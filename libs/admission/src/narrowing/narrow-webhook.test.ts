import { describe, expect, it } from '@jest/globals';
import type { Webhook } from '../configuration/plan-webhook-configuration.ts';
import { isNarrowed, narrowWebhook, withoutNarrowing } from './narrow-webhook.ts';
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
  it('keeps the name of the installer and asks about nothing when nothing is needed', () => {
    expect(narrowed()).toEqual([{ ...installed, matchConditions: [{ name: 'needed.kruise.io/nothing-else', expression: 'false' }] }]);
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
      name: 'all namespaces but one',
      need: { namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['shop'] }] } },
      expression: '!(request.namespace in ["shop"])',
    },
    {
      name: 'an expression of its own',
      need: { condition: 'size(object.spec.containers) > 1' },
      expression: '(size(object.spec.containers) > 1)',
    },
  ])('asks about $name', ({ need, expression }) => {
    const [base, own, ...others] = narrowed({ reason: 'sidecarset', ...need });
    expect(base?.name).toBe('mpod.kb.io');
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
    { name: 'text instead of a selector', need: { objectSelector: 'app=web' as unknown as object } },
  ])('asks about nothing for $name', ({ need }) => {
    expect(narrowed({ reason: 'sidecarset', ...need })).toHaveLength(1);
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

  it('comes out the same in whatever order the needs are', () => {
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
    expect([second?.name, expressionsOf(second)]).toEqual(['sidecarset.mpod.kb.io', ['(B)', '!((A))']]);
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

  it('asks more widely when there are too many parts', () => {
    const of = (index: number): RequestNeed => ({ reason: 'sidecarset', namespaceSelector: { matchLabels: { team: `t${index}` } } });
    const [, own, ...others] = narrowed(...Array.from({ length: 40 }, (_, index) => of(index)));
    expect(own?.['namespaceSelector']).toMatchObject({
      matchExpressions: [{}, { key: 'team', operator: 'In', values: expect.arrayContaining(['t0', 't39']) as unknown }],
    });
    expect(others).toEqual([]);
  });

  it('is the installer’s when the conditions became too long', () => {
    const of = (index: number): RequestNeed => ({
      reason: 'sidecarset',
      condition: `object.metadata.name.startsWith("${'x'.repeat(100)}${index}")`,
    });
    expect(narrowed(...Array.from({ length: 2000 }, (_, index) => of(index)))).toEqual([installed]);
  });

  it('keeps conditions of the installer', () => {
    const condition = { name: 'not-mine', expression: '!request.userInfo.username.startsWith("x")' };
    const [, own] = narrowWebhook({ ...installed, matchConditions: [condition] }, { needs: [{ reason: 'sidecarset', condition: 'A' }] });
    expect(own?.['matchConditions']).toEqual([condition, { name: 'needed.kruise.io/request', expression: '(A)' }]);
  });

  it('asks about the labels of what is deleted', () => {
    const [, own] = narrowWebhook(installed, {
      subject: 'oldObject',
      needs: [{ reason: 'budget', objectSelector: { matchLabels: { a: 'b' } } }],
    });
    expect(expressionsOf(own)).toEqual([
      '[has(oldObject.metadata.labels) ? oldObject.metadata.labels : {}].exists(l, ("a" in l && l["a"] == "b"))',
    ]);
  });

  describe('with a sign of having been answered', () => {
    const namesOf = (webhooks: readonly Webhook[]): readonly string[] => webhooks.map(({ name }) => name);
    const of = (index: number): RequestNeed => ({ reason: 'r', namespaceSelector: { matchLabels: { [`t${index}`]: 'x' } } });

    it('asks first with a failure that is ignored, in each part', () => {
      const result = narrowWebhook(installed, { needs: [{ reason: 'r', condition: 'A' }, of(1)], answered: 'B' });
      const names = ['first', 'r', 'again-ns1', 'first-ns1', 'r-ns1'].map((prefix) => `${prefix}.mpod.kb.io`);
      expect(namesOf(result)).toEqual(['mpod.kb.io', ...names]);
      expect(result.slice(0, 3).map(expressionsOf)).toEqual([['(B) && (A)'], ['!(B) && (A)'], ['!(B) && (A)']]);
      expect(result.map(({ failurePolicy }) => failurePolicy)).toEqual(['Fail', 'Ignore', 'Fail', 'Fail', 'Ignore', 'Fail']);
      expect(isNarrowed(result)).toBe(true);
      expect(withoutNarrowing(result)).toEqual([installed]);
    });

    it.each<{ name: string; webhook?: object; needs: readonly RequestNeed[] }>([
      { name: 'a failure refuses nothing', webhook: { failurePolicy: 'Ignore' }, needs: [{ reason: 'r', condition: 'A' }] },
      { name: 'there are many parts', needs: Array.from({ length: 4 }, (_, index) => of(index)) },
      { name: 'the conditions are long', needs: [{ reason: 'r', condition: `"${'x'.repeat(11_000)}" == ""` }] },
    ])('asks once when $name', ({ webhook, needs }) => {
      expect(
        namesOf(narrowWebhook({ ...installed, ...webhook }, { needs, answered: 'B' })).filter((name) => name.startsWith('first')),
      ).toEqual([]);
    });
  });

  it('can be undone', () => {
    const condition = { name: 'not-mine', expression: 'true' };
    const kept = { ...installed, matchConditions: [condition] };
    const list = [
      ...narrowed({ reason: 'sidecarset' }),
      { name: 'mcloneset.kb.io' },
      ...narrowWebhook({ ...kept, name: 'vpod.kb.io' }, { needs: [] }),
    ];
    expect(isNarrowed(list)).toBe(true);
    expect(withoutNarrowing(list)).toEqual([installed, { name: 'mcloneset.kb.io' }, { ...kept, name: 'vpod.kb.io' }]);
    expect(isNarrowed(withoutNarrowing(list))).toBe(false);
  });
});
