import { describe, expect, it } from '@jest/globals';
import { podUnavailableBudget } from '../index.ts';
import { evictionNeeds, goingNeeds, updateNeeds } from './pod-needs.ts';

const budget = (name: string, namespace: string) => ({ metadata: { name, namespace } });
const named = (count: number) => Array.from({ length: count }, (_, i) => budget(`b${i}`, 'shop'));
const namespacesOf = (needs: ReturnType<typeof goingNeeds>) =>
  needs.map(({ reason, namespaceSelector }) => [reason, namespaceSelector?.matchExpressions?.[0]?.values ?? 'any']);

describe('what the Pod webhooks are called for', () => {
  it('is nothing without a budget', () => {
    expect([goingNeeds([]), updateNeeds([]), evictionNeeds([])]).toEqual([[], [], []]);
  });

  it('are Pods that name a budget, under its name, in its namespaces', () => {
    const all = [budget('web', 'shop'), budget('db.main', 'shop'), budget('web', 'test')];
    expect(namespacesOf(goingNeeds(all))).toEqual([
      ['budget-db-main', ['shop']],
      ['budget-web', ['shop', 'test']],
    ]);
    expect(goingNeeds(all)[1]?.condition).toBe(
      'request.operation == "DELETE" && !has(oldObject.metadata.deletionTimestamp) && has(oldObject.metadata.annotations) && ' +
        '["pub.kruise.io/related-pub", "kruise.io/related-pub"].exists(k, k in oldObject.metadata.annotations && oldObject.metadata.annotations[k] == "web")',
    );
    expect(updateNeeds(all)[1]?.condition).toContain(
      '(object.spec != oldObject.spec || (has(object.metadata.labels) && object.metadata.labels.exists(k, k.startsWith("unavailable-pod.kruise.io/"))))',
    );
  });

  it('are not distinguished when there are many', () => {
    expect(namespacesOf(goingNeeds(named(8)))).toHaveLength(8);
    expect(namespacesOf(goingNeeds(named(9)))).toEqual([['podunavailablebudget', ['shop']]]);
    expect(goingNeeds(named(9))[0]?.condition).toContain('oldObject.metadata.annotations[k] != ""');
  });

  it('are evictions in a namespace with budgets, under the name of the only one', () => {
    expect(namespacesOf(evictionNeeds([budget('web', 'shop'), budget('db', 'data'), budget('cache', 'data')]))).toEqual([
      ['budget-web', ['shop']],
      ['podunavailablebudget', ['data']],
    ]);
    expect(namespacesOf(evictionNeeds(named(9)))).toEqual([['podunavailablebudget', ['shop']]]);
    const ofTheirOwn = (count: number) => Array.from({ length: count }, (_, i) => budget(`b${i}`, `shop-${i}`));
    expect(evictionNeeds(ofTheirOwn(8)).map(({ reason }) => reason)).toEqual(
      ofTheirOwn(8).map(({ metadata }) => `budget-${metadata.name}`),
    );
    expect(evictionNeeds(ofTheirOwn(9)).map(({ reason }) => reason)).toEqual(['podunavailablebudget']);
  });

  it('a reason is a part of a name, however the budget is called', () => {
    for (const name of [`a.${'x'.repeat(250)}`, 'UPPER_case', '9', 'a-', 'ends-at-34-with-a-dash-----------x', `a${'.'.repeat(60)}`])
      expect(goingNeeds([budget(name, 'shop')])[0]?.reason).toMatch(/^[a-z]([-a-z0-9]{0,40}[a-z0-9])?$/);
    expect(goingNeeds([budget('a"b', 'shop')])[0]?.reason).toBe('podunavailablebudget');
  });

  it('are announced before a budget is admitted', () => {
    const needs = podUnavailableBudget.existingPodNeeds?.({ metadata: { name: 'web', namespace: 'shop' } });
    expect([needs?.pods.map(({ reason }) => reason), needs?.evictions.map(({ reason }) => reason)]).toEqual([
      ['budget-web', 'budget-web'],
      ['budget-web'],
    ]);
  });

  it('a new Pod is not asked about for its budget alone', () => {
    expect(podUnavailableBudget.podNeeds).toBeUndefined();
  });
});
