/** PersistentPodState: its controller, admission, and the step of the Pod webhook that brings Pods back. */
import { persistentPodStateDeclaration, type PersistentPodState } from '@kruise/api';
import type { KubeObject } from '@kruise/objects';
import type { KindModule } from '../../module/kind-module.ts';
import { persistentPodStateAdmission } from './admission.ts';
import { persistentPodStateNeeds } from './pod-needs.ts';
import { persistentPodStateStep } from './step.ts';

export const persistentPodState: KindModule = {
  declaration: persistentPodStateDeclaration,
  controllers: async () => [(await import('./controller.ts')).persistentPodStateController],
  admission: { handlers: persistentPodStateAdmission },
  podSteps: [{ name: 'persistent-pod-state', needs: persistentPodStateDeclaration, define: persistentPodStateStep }],
  podNeeds: (object: KubeObject) => persistentPodStateNeeds([object as PersistentPodState]),
};
