/** Which gates the kinds need: with all of the gates of a kind off, the manager does nothing for its objects. */
import type { GateName } from '@kruise/api';

/** By plural. A kind that is absent needs no gate. */
export const kindGates: Readonly<Record<string, readonly GateName[]>> = {
  containerrecreaterequests: ['KruiseDaemon'],
  imagelistpulljobs: ['ImagePullJobGate'],
  imagepulljobs: ['ImagePullJobGate'],
  podprobemarkers: ['PodProbeMarkerGate', 'EnablePodProbeMarkerOnServerless'],
  podunavailablebudgets: ['PodUnavailableBudgetDeleteGate', 'PodUnavailableBudgetUpdateGate'],
  resourcedistributions: ['ResourceDistributionGate'],
  sidecarsets: ['PodWebhook'],
  workloadspreads: ['WorkloadSpread'],
};
