/** PodUnavailableBudget: its controller, admission, what it says when Pods change or go, and the guard that other controllers ask. */
import { podUnavailableBudgetDeclaration, type PodUnavailableBudget } from '@kruise/api';
import type { KubeObject } from '@kruise/objects';
import type { KindModule } from '../../module/kind-module.ts';
import { podUnavailableBudgetAdmission } from './admission/admission.ts';
import { budgetGuard } from './guard.ts';
import { budgetOfGoing, budgetOfUpdates } from './admission/pod-check.ts';
import { evictionNeeds, goingNeeds, updateNeeds } from './admission/pod-needs.ts';
import { podUnavailableBudgetStep } from './admission/pod-step.ts';

const needs = podUnavailableBudgetDeclaration;

export const podUnavailableBudget: KindModule = {
  declaration: podUnavailableBudgetDeclaration,
  controllers: async () => [(await import('./controller.ts')).podUnavailableBudgetController],
  admission: { handlers: podUnavailableBudgetAdmission },
  podSteps: [{ name: 'podunavailablebudget', needs, define: podUnavailableBudgetStep }],
  podChecks: [
    {
      name: 'podunavailablebudget',
      operations: ['Delete', 'Evict'],
      needs,
      gates: ['PodUnavailableBudgetDeleteGate'],
      define: budgetOfGoing,
    },
    {
      name: 'podunavailablebudget',
      operations: ['Update', 'Resize'],
      needs,
      gates: ['PodUnavailableBudgetUpdateGate'],
      define: budgetOfUpdates,
    },
  ],
  existingPodNeeds: (object: KubeObject) => {
    const budgets = [object as PodUnavailableBudget];
    return { pods: [...goingNeeds(budgets), ...updateNeeds(budgets)], evictions: evictionNeeds(budgets) };
  },
  updateGuard: budgetGuard,
};
