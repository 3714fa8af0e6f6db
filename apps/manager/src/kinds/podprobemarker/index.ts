/** PodProbeMarker: its controller, admission, and the probes of serverless Pods. */
import { podProbeMarkerDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { podProbeMarkerAdmission } from './admission.ts';
import { serverlessProbesStep } from './serverless-step.ts';

export const podProbeMarker: KindModule = {
  declaration: podProbeMarkerDeclaration,
  controllers: async () => [(await import('./controller.ts')).podProbeMarkerController],
  admission: { handlers: podProbeMarkerAdmission },
  podSteps: [{ name: 'serverless-probes', define: ({ gates, caches }) => serverlessProbesStep(gates, caches) }],
};
