/** Everything that this manager does for Pods and workloads, in the order in which controllers start: the only list. */
import { containerLaunchPriority } from '../features/containerlaunchpriority/index.ts';
import { deletionProtection } from '../features/deletionprotection/index.ts';
import { enhancedLiveness } from '../features/enhancedliveness/index.ts';
import { podReadiness } from '../features/podreadiness/index.ts';
import { sidecarTerminator } from '../features/sidecarterminator/index.ts';
import type { KindModule } from '../module/kind-module.ts';
import { advancedCronJob } from './advancedcronjob/index.ts';
import { broadcastJob } from './broadcastjob/index.ts';
import { cloneSet } from './cloneset/index.ts';
import { containerRecreateRequest } from './containerrecreaterequest/index.ts';
import { daemonSet } from './daemonset/index.ts';
import { ephemeralJob } from './ephemeraljob/index.ts';
import { imageListPullJob } from './imagelistpulljob/index.ts';
import { imagePullJob } from './imagepulljob/index.ts';
import { nodeImage } from './nodeimage/index.ts';
import { nodePodProbe } from './nodepodprobe/index.ts';
import { persistentPodState } from './persistentpodstate/index.ts';
import { podProbeMarker } from './podprobemarker/index.ts';
import { podUnavailableBudget } from './podunavailablebudget/index.ts';
import { resourceDistribution } from './resourcedistribution/index.ts';
import { sidecarSet } from './sidecarset/index.ts';
import { statefulSet } from './statefulset/index.ts';
import { unitedDeployment } from './uniteddeployment/index.ts';
import { workloadSpread } from './workloadspread/index.ts';

export const modules: readonly KindModule[] = [
  cloneSet,
  statefulSet,
  daemonSet,
  broadcastJob,
  advancedCronJob,
  unitedDeployment,
  podReadiness,
  sidecarSet,
  nodeImage,
  imagePullJob,
  imageListPullJob,
  containerRecreateRequest,
  ephemeralJob,
  containerLaunchPriority,
  persistentPodState,
  podUnavailableBudget,
  workloadSpread,
  sidecarTerminator,
  enhancedLiveness,
  podProbeMarker,
  nodePodProbe,
  deletionProtection,
  resourceDistribution,
];
