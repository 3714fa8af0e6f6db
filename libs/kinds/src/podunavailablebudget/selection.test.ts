import { expect, it } from '@jest/globals';
import type { PodUnavailableBudget } from '@kruise/api';
import { aPod } from '@kruise/testing';
import type { Target } from '@kruise/workloads';
import { isFor, selections } from './selection.ts';

const budget = (spec: object): PodUnavailableBudget => ({ metadata: { name: 'b', namespace: 'default' }, spec });
const web: Target = { group: 'apps', kind: 'Deployment', name: 'web' };
const targeting = budget({ targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } });

it.each<{ name: string; given: PodUnavailableBudget; workloads: readonly Target[] | undefined; then: boolean }>([
  { name: 'one that targets the workload of the Pod is for it', given: targeting, workloads: [web], then: true },
  { name: 'one that targets another is not', given: targeting, workloads: [{ ...web, name: 'x' }], then: false },
  { name: 'nor for a Pod of no workload', given: targeting, workloads: [], then: false },
  { name: 'unknown while the workloads are unknown: it may be', given: targeting, workloads: undefined, then: true },
  { name: 'one that selects it is', given: budget({ selector: { matchLabels: { app: 'web' } } }), workloads: [], then: true },
  { name: 'one that selects others is not', given: budget({ selector: { matchLabels: { app: 'x' } } }), workloads: undefined, then: false },
  { name: 'one that admission did not check selects none', given: budget({ selector: {} }), workloads: undefined, then: false },
])('$name (4.4)', ({ given, workloads, then }) => {
  expect(isFor(selections()(given), aPod({ labels: { app: 'web' } }), workloads)).toBe(then);
});

it('each state of a budget is read once', () => {
  const selectionOf = selections();
  expect(selectionOf(targeting)).toBe(selectionOf(targeting));
});
