import { describe, expect, it } from '@jest/globals';
import { defaultGates, type PodUnavailableBudget } from '@kruise/api';
import { instant, type Pod } from '@kruise/objects';
import { runningCloneSet } from '../fixtures.testing.ts';
import { SimulatedBudgets, type BudgetFacts } from './budgets.ts';

const now = instant(Date.parse('2026-01-01T01:00:00Z'));
const members = runningCloneSet().facts.objects.filter(({ kind }) => kind === 'Pod') as unknown as readonly Pod[];
const [first, second] = members as readonly [Pod, Pod];
const sample = { group: 'apps.kruise.io', kind: 'CloneSet', name: 'sample' };
const gates = { ...defaultGates, PodUnavailableBudgetUpdateGate: true };

const budget = (name: string, spec: PodUnavailableBudget['spec'], allowed?: number): PodUnavailableBudget => ({
  apiVersion: 'policy.kruise.io/v1beta1',
  kind: 'PodUnavailableBudget',
  metadata: { name, namespace: 'default', uid: name },
  spec,
  ...(allowed === undefined
    ? {}
    : { status: { totalReplicas: 5, currentAvailable: 5, desiredAvailable: 5 - allowed, unavailableAllowed: allowed } }),
});
const forSample = (limit: object): PodUnavailableBudget['spec'] => ({ selector: { matchLabels: { app: 'sample' } }, ...limit });

const simulated = (budgets: readonly PodUnavailableBudget[], over: Partial<BudgetFacts> = {}): SimulatedBudgets =>
  new SimulatedBudgets({ budgets, others: [], workloadsOf: () => [sample], growth: 0, gates, ...over });

/** The budgets that refuse updates of the first two Pods, one after the other. */
const asked = (budgets: SimulatedBudgets): readonly unknown[] => [first, second].map((pod) => budgets.ask(pod, 'UPDATE', now));

describe('a request', () => {
  it('is granted from the status that the API server has, and charged', () => {
    expect(asked(simulated([budget('one', forSample({ maxUnavailable: 1 }), 1)]))).toEqual([undefined, 'one']);
  });

  it('is granted again once the Pods have made progress', () => {
    const budgets = simulated([budget('one', forSample({ maxUnavailable: 1 }), 1)]);
    asked(budgets);
    budgets.observe(members, now);
    expect(asked(budgets)).toEqual([undefined, 'one']);
  });

  it.each([
    { name: 'without budgets', budgets: [] },
    {
      name: 'under a budget for other Pods',
      budgets: [budget('other', { selector: { matchLabels: { app: 'other' } }, maxUnavailable: 0 }, 0)],
    },
  ])('is granted $name', ({ budgets }) => {
    expect(asked(simulated(budgets))).toEqual([undefined, undefined]);
  });

  it.each<{ gate: 'PodUnavailableBudgetUpdateGate' | 'PodUnavailableBudgetDeleteGate'; then: readonly unknown[] }>([
    { gate: 'PodUnavailableBudgetUpdateGate', then: [undefined, 'none'] },
    { gate: 'PodUnavailableBudgetDeleteGate', then: ['none', undefined] },
  ])('is granted while $gate is off', ({ gate, then }) => {
    const budgets = simulated([budget('none', forSample({ maxUnavailable: 0 }), 0)], { gates: { ...gates, [gate]: false } });
    expect([budgets.ask(first, 'UPDATE', now), budgets.ask(first, 'DELETE', now)]).toEqual(then);
  });

  it('is refused by a budget that names the workload of the Pod', () => {
    const spec = { targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'sample' }, maxUnavailable: 0 };
    expect(asked(simulated([budget('named', spec, 0)]))).toEqual(['named', 'named']);
    expect(asked(simulated([budget('named', spec, 0)], { workloadsOf: () => [] }))).toEqual([undefined, undefined]);
  });
});

describe('what would be refused', () => {
  it('is known without a charge', () => {
    const budgets = simulated([budget('one', forSample({ maxUnavailable: 1 }), 1)]);
    expect([budgets.refuses(first, 'UPDATE', now), budgets.refuses(second, 'UPDATE', now)]).toEqual([false, false]);
    expect(asked(budgets)).toEqual([undefined, 'one']);
    expect([budgets.refuses(first, 'UPDATE', now), budgets.refuses(second, 'UPDATE', now)]).toEqual([false, true]);
  });

  it('is nothing without a budget', () => {
    expect(simulated([]).refuses(first, 'UPDATE', now)).toBe(false);
  });
});

describe('the Pods that a budget counts', () => {
  const surge = { ...first, metadata: { ...first.metadata, name: 'sample-surge', uid: 'surge' } };
  const grows = budget('half', forSample({ minAvailable: 5 }));

  it.each<{ name: string; over?: Partial<BudgetFacts>; own: readonly (readonly Pod[])[]; then: readonly unknown[] }>([
    { name: 'are those of the workload', own: [members], then: ['half', 'half'] },
    { name: 'include a surge, which adds nothing to the desired ones', own: [members, [...members, surge]], then: [undefined, 'half'] },
    { name: 'include those of other workloads that it selects', over: { others: [surge] }, own: [members], then: [undefined, 'half'] },
  ])('$name', ({ over = {}, own, then }) => {
    const budgets = simulated([grows], over);
    for (const pods of own) budgets.observe(pods, now);
    expect(asked(budgets)).toEqual(then);
  });

  it('grow with the workload that it is for, and with no other', () => {
    const half = budget('half', forSample({ maxUnavailable: '50%' }));
    const other = budget('other', { selector: { matchLabels: { app: 'other' } }, maxUnavailable: '50%' });
    const elsewhere = { ...surge, metadata: { ...surge.metadata, labels: { app: 'other' } } };
    const granted = (growth: number): number => {
      const budgets = simulated([half], { growth });
      budgets.observe([...members, surge], now);
      return members.filter((pod) => budgets.ask(pod, 'UPDATE', now) === undefined).length;
    };
    // Of 6 Pods, 3 of 6 or 5 of 11 must stay available.
    expect([granted(0), granted(5)]).toEqual([3, 1]);
    const unrelated = simulated([other], { growth: 5, others: [elsewhere] });
    unrelated.observe(members, now);
    expect(unrelated.ask(elsewhere, 'UPDATE', now)).toBeUndefined();
  });
});
