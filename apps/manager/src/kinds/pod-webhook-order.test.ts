/** The order in which a Pod is changed and checked. @see spec/manager.md 4.9, spec/workloadspread.md 4.2, 4.5 */
import { describe, expect, it } from '@jest/globals';
import type { PodOperation } from '../module/pod-check.ts';
import { inOrder, podCheckOrder, podStepOrder, type PodCheckName, type PodStepName } from '../module/pod-webhook-order.ts';
import { modules } from './index.ts';

const kindOf = (name: PodStepName): string =>
  modules.find(({ podSteps = [] }) => podSteps.some((step) => step.name === name))?.declaration?.kind ?? 'feature';

describe('the steps for a new Pod', () => {
  it('are those of the modules, each once', () => {
    const names = modules.flatMap(({ podSteps = [] }) => podSteps.map(({ name }) => name));
    expect(names.toSorted()).toEqual([...podStepOrder].sort());
  });

  it('choose the subset before containers, budgets, nodes and probes are added', () => {
    expect(podStepOrder.map(kindOf)).toEqual([
      'feature', // the readiness gate
      'WorkloadSpread',
      'SidecarSet',
      'feature', // the launch priority
      'PodUnavailableBudget',
      'PersistentPodState',
      'feature', // the liveness of containers
      'PodProbeMarker',
    ]);
  });

  it.each<{ before: PodStepName; after: PodStepName; because: string }>([
    { before: 'workload-spread', after: 'sidecar-injection', because: 'SidecarSets select by the labels that a subset sets' },
    { before: 'workload-spread', after: 'podunavailablebudget', because: 'budgets select by the labels that a subset sets' },
    { before: 'workload-spread', after: 'persistent-pod-state', because: 'recorded nodes are added to the affinity of the subset' },
    { before: 'sidecar-injection', after: 'container-launch-priority', because: 'injected containers start in the order, too' },
    { before: 'sidecar-injection', after: 'enhanced-liveness', because: 'injected containers have liveness probes, too' },
    { before: 'sidecar-injection', after: 'serverless-probes', because: 'injected containers are probed, too' },
  ])('run $before before $after: $because', ({ before, after }) => {
    expect(podStepOrder.indexOf(before)).toBeLessThan(podStepOrder.indexOf(after));
  });
});

describe('the checks of a Pod that exists', () => {
  const checks = modules.flatMap(({ podChecks = [] }) => podChecks);

  it('are those of the modules', () => {
    expect(new Set(checks.map(({ name }) => name))).toEqual(new Set<PodCheckName>(podCheckOrder));
  });

  it.each<PodOperation>(['Delete', 'Evict'])('count a deleted Pod only after its budgets allow it: %s', (operation) => {
    const asked = inOrder(podCheckOrder, checks).filter(({ operations }) => operations.includes(operation));
    expect(asked.map(({ needs }) => needs?.kind)).toEqual(['PodUnavailableBudget', 'WorkloadSpread']);
  });
});
