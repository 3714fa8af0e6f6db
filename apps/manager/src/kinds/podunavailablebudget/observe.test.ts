/** What a pass sees of a budget. @see spec/podunavailablebudget.md 5.5 */
import { expect, it } from '@jest/globals';
import type { PodUnavailableBudget } from '@kruise/api';
import { FakeClock } from '@kruise/kube/testing';
import { EntryAges, entriesOf, selections } from '@kruise/kinds/podunavailablebudget';
import type { PassView } from '../../workloads/passes/plan-definition.ts';
import { observe, type Known } from './observe.ts';

const budget: PodUnavailableBudget = {
  metadata: { name: 'b', namespace: 'default', uid: 'u', resourceVersion: '100' },
  spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 },
  status: {
    currentAvailable: 1,
    desiredAvailable: 1,
    totalReplicas: 2,
    unavailableAllowed: 0,
    disruptedPods: { late: '2026-01-01T00:00:00Z' },
  },
};

it.each<{ name: string; cached: string; then: boolean }>([
  { name: 'is behind the record of a Pod that it does not contain yet', cached: '99', then: true },
  { name: 'is not behind a record that is older', cached: '101', then: false },
])('the cache of Pods $name, as far as it was when the Pods were read', async ({ cached, then }) => {
  const pods = { resourceVersion: cached };
  const known = { pods, ages: new EntryAges(), selectionOf: selections(), members: { podsOf: () => [] } } as unknown as Known;
  const view = { clock: new FakeClock(), signal: new AbortController().signal } as unknown as PassView;
  const { signs } = await observe(known, budget, view);
  pods.resourceVersion = '102';
  expect(entriesOf(budget.status).map((entry) => signs.isBehind(entry))).toEqual([then]);
});
