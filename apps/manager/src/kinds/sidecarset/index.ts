/** SidecarSet: its controller, admission, injection, and the search for Pods that it was not asked about. */
import { sidecarSetDeclaration, type SidecarSet } from '@kruise/api';
import { SystemClock } from '@kruise/kube';
import type { KindModule } from '../../module/kind-module.ts';
import { sidecarSetAdmission } from './admission/admission.ts';
import { sidecarInjectionStep } from './injection/step.ts';
import { sidecarSetNeeds } from './admission/pod-needs.ts';

export const sidecarSet: KindModule = {
  declaration: sidecarSetDeclaration,
  controllers: async () => [
    (await import('./controller.ts')).sidecarSetController,
    (await import('./missed-pods/controller.ts')).missedPodsController,
  ],
  admission: { readsItsKind: true, handlers: sidecarSetAdmission },
  podSteps: [{ name: 'sidecar-injection', define: (dependencies) => sidecarInjectionStep({ ...dependencies, clock: new SystemClock() }) }],
  podNeeds: (object) => sidecarSetNeeds([object as SidecarSet]),
};
