/** WorkloadSpread: its controller, admission, and what it does when Pods come and go. */
import { workloadSpreadDeclaration, type WorkloadSpread } from '@kruise/api';
import type { KubeObject } from '@kruise/objects';
import type { KindModule } from '../../module/kind-module.ts';
import { workloadSpreadAdmission } from './admission/admission.ts';
import { workloadSpreadDeletionCheck } from './admission/pod-deletion-check.ts';
import { spreadNeeds } from './admission/pod-needs.ts';
import { workloadSpreadStep } from './admission/pod-step.ts';

export const workloadSpread: KindModule = {
  declaration: workloadSpreadDeclaration,
  controllers: async () => [(await import('./controller.ts')).workloadSpreadController],
  admission: { handlers: workloadSpreadAdmission },
  podSteps: [{ name: 'workload-spread', needs: workloadSpreadDeclaration, define: workloadSpreadStep }],
  podChecks: [
    {
      name: 'workloadspread',
      operations: ['Delete', 'Evict'],
      needs: workloadSpreadDeclaration,
      gates: ['WorkloadSpread'],
      define: workloadSpreadDeletionCheck,
    },
  ],
  podNeeds: (object: KubeObject) => spreadNeeds([object as WorkloadSpread], []),
};
