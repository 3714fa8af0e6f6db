/** The order of the steps and checks when a Pod is created, changed or deleted. @see spec/manager.md 4.9, spec/workloadspread.md 4.2, 4.5 */
import { expect, it } from '@jest/globals';
import type { PodOperation } from '../module/pod-check.ts';
import { modules } from './index.ts';

const inOrder = <T extends { readonly order: number }>(all: readonly T[]): readonly T[] => all.toSorted((a, b) => a.order - b.order);

it('a new Pod has its subset before containers, budgets, nodes and probes are added to it', () => {
  const steps = inOrder(
    modules.flatMap(({ declaration, podSteps = [] }) => podSteps.map(({ order }) => ({ order, kind: declaration?.kind }))),
  );
  expect(steps.map(({ kind = 'none' }) => kind)).toEqual([
    'none', // the readiness gate
    'WorkloadSpread',
    'SidecarSet',
    'none', // the launch priority
    'PodUnavailableBudget',
    'PersistentPodState',
    'none', // the liveness of containers
    'PodProbeMarker',
  ]);
});

it.each<PodOperation>(['Delete', 'Evict'])('a deleted Pod is counted only after its budgets allow it: %s', (operation) => {
  const checks = inOrder(modules.flatMap(({ podChecks = [] }) => podChecks)).filter(({ operations }) => operations.includes(operation));
  const told = checks.map(({ needs }) => needs?.kind ?? '').filter((kind) => ['WorkloadSpread', 'PodUnavailableBudget'].includes(kind));
  expect(told).toEqual(['PodUnavailableBudget', 'WorkloadSpread']);
});
