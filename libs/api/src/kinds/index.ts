/**
 * All kinds, in the order of their CRD names: the only list. A kind's folder exports its declaration, its names and, with two versions, its
 * converter.
 */
import type { Converter } from '../conversion/converter.ts';
import type { KindDeclaration } from '../schema/kind.ts';
import { advancedCronJobConverter, advancedCronJobDeclaration } from './advancedcronjob/index.ts';
import { broadcastJobConverter, broadcastJobDeclaration } from './broadcastjob/index.ts';
import { cloneSetConverter, cloneSetDeclaration } from './cloneset/index.ts';
import { containerRecreateRequestConverter, containerRecreateRequestDeclaration } from './containerrecreaterequest/index.ts';
import { daemonSetConverter, daemonSetDeclaration } from './daemonset/index.ts';
import { ephemeralJobDeclaration } from './ephemeraljob/index.ts';
import { imageListPullJobConverter, imageListPullJobDeclaration } from './imagelistpulljob/index.ts';
import { imagePullJobConverter, imagePullJobDeclaration } from './imagepulljob/index.ts';
import { nodeImageConverter, nodeImageDeclaration } from './nodeimage/index.ts';
import { nodePodProbeDeclaration } from './nodepodprobe/index.ts';
import { persistentPodStateConverter, persistentPodStateDeclaration } from './persistentpodstate/index.ts';
import { podProbeMarkerDeclaration } from './podprobemarker/index.ts';
import { podUnavailableBudgetConverter, podUnavailableBudgetDeclaration } from './podunavailablebudget/index.ts';
import { resourceDistributionConverter, resourceDistributionDeclaration } from './resourcedistribution/index.ts';
import { sidecarSetConverter, sidecarSetDeclaration } from './sidecarset/index.ts';
import { statefulSetConverter, statefulSetDeclaration } from './statefulset/index.ts';
import { unitedDeploymentConverter, unitedDeploymentDeclaration } from './uniteddeployment/index.ts';
import { workloadSpreadConverter, workloadSpreadDeclaration } from './workloadspread/index.ts';

/** The declaration of each kind. */
export const allKinds: readonly KindDeclaration[] = [
  advancedCronJobDeclaration,
  broadcastJobDeclaration,
  cloneSetDeclaration,
  containerRecreateRequestDeclaration,
  daemonSetDeclaration,
  ephemeralJobDeclaration,
  imageListPullJobDeclaration,
  imagePullJobDeclaration,
  nodeImageDeclaration,
  nodePodProbeDeclaration,
  persistentPodStateDeclaration,
  podProbeMarkerDeclaration,
  podUnavailableBudgetDeclaration,
  resourceDistributionDeclaration,
  sidecarSetDeclaration,
  statefulSetDeclaration,
  unitedDeploymentDeclaration,
  workloadSpreadDeclaration,
];

/** The conversion of each kind that has two versions. */
export const allConverters: readonly Converter[] = [
  advancedCronJobConverter,
  broadcastJobConverter,
  cloneSetConverter,
  containerRecreateRequestConverter,
  daemonSetConverter,
  imageListPullJobConverter,
  imagePullJobConverter,
  nodeImageConverter,
  persistentPodStateConverter,
  podUnavailableBudgetConverter,
  resourceDistributionConverter,
  sidecarSetConverter,
  statefulSetConverter,
  unitedDeploymentConverter,
  workloadSpreadConverter,
];
