/** The controllers of this manager and what each needs to run. */
import type { Gates } from '@kruise/api';
import type { Client, Clock, ControllerDefinition, EventRecorder, Informers, Logger } from '@kruise/kube';
import type { ResourceWriting } from '@kruise/pods';
import type { ManagerFlags } from '../options/flags.ts';
import type { Installed } from '../process/discovery.ts';
import { missedPodsController } from '../webhooks/missed-pods/controller.ts';
import { cloneSetController } from './cloneset/index.ts';
import { containerLaunchPriorityController } from './containerlaunchpriority/index.ts';
import { containerRecreateRequestController } from './containerrecreaterequest/index.ts';
import { imageListPullJobController } from './imagelistpulljob/index.ts';
import { imagePullJobController } from './imagepulljob/index.ts';
import { nodeImageController } from './nodeimage/index.ts';
import { ephemeralJobController } from './ephemeraljob/index.ts';
import { nodePodProbeController } from './nodepodprobe/index.ts';
import { podProbeMarkerController } from './podprobemarker/index.ts';
import { podReadinessController } from './podreadiness/index.ts';
import { sidecarSetController } from './sidecarset/index.ts';
import { sidecarTerminatorController } from './sidecarterminator/index.ts';
import type { UpdateGuard } from './update-guard.ts';

/** What a controller is made from. */
export interface ControllerDependencies {
  /** Feeds what its writes return into the stores of `informers`; refuses writes once the leadership is lost. */
  readonly client: Client;
  readonly informers: Informers;
  /** The recorder whose events name this controller as their source. */
  readonly recorderFor: (component: string) => EventRecorder;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gates: Gates;
  readonly flags: ManagerFlags;
  readonly installed: Installed;
  /** The manager's own namespace. */
  readonly podNamespace: string;
  /** Where the node agents read pull secrets. */
  readonly daemonConfigNamespace: string;
  /** How cpu and memory of running Pods are changed on this server. */
  readonly resourceWriting: ResourceWriting;
  /** Asked before a Pod is updated, with feature gate PodUnavailableBudgetUpdateGate; absent when nobody guards Pods. */
  readonly updateGuard?: UpdateGuard;
  /** Told of every Pod that is found to have been created past the Pod webhook. */
  readonly onMissedPod?: (reason: string) => void;
}

interface Candidate {
  /** The kind without which the controller has nothing to do; absent when it works on built-in kinds alone. */
  readonly needs?: readonly [group: string, version: string, kind: string];
  /** Whether the gates let it run; always when absent. */
  readonly when?: (gates: Gates) => boolean;
  readonly define: (dependencies: ControllerDependencies) => ControllerDefinition;
}

const hasPodWebhook = ({ PodWebhook }: Gates): boolean => PodWebhook;
const hasProbes = ({ KruiseDaemon, PodProbeMarkerGate }: Gates): boolean => KruiseDaemon && PodProbeMarkerGate;

const pullsImages = ({ KruiseDaemon, ImagePullJobGate }: Gates): boolean => KruiseDaemon && ImagePullJobGate;

const candidates: readonly Candidate[] = [
  { needs: ['apps.kruise.io', 'v1beta1', 'CloneSet'], define: cloneSetController },
  { define: podReadinessController },
  { needs: ['apps.kruise.io', 'v1beta1', 'SidecarSet'], define: sidecarSetController },
  { needs: ['apps.kruise.io', 'v1beta1', 'NodeImage'], when: ({ KruiseDaemon }) => KruiseDaemon, define: nodeImageController },
  { needs: ['apps.kruise.io', 'v1beta1', 'ImagePullJob'], when: pullsImages, define: imagePullJobController },
  { needs: ['apps.kruise.io', 'v1beta1', 'ImageListPullJob'], when: pullsImages, define: imageListPullJobController },
  {
    needs: ['apps.kruise.io', 'v1beta1', 'ContainerRecreateRequest'],
    when: ({ KruiseDaemon }) => KruiseDaemon,
    define: containerRecreateRequestController,
  },
  { needs: ['apps.kruise.io', 'v1alpha1', 'EphemeralJob'], define: ephemeralJobController },
  { define: containerLaunchPriorityController },
  {
    needs: ['apps.kruise.io', 'v1beta1', 'ContainerRecreateRequest'],
    when: ({ KruiseDaemon, SidecarTerminator }) => KruiseDaemon && SidecarTerminator,
    define: sidecarTerminatorController,
  },
  { needs: ['apps.kruise.io', 'v1alpha1', 'PodProbeMarker'], when: hasProbes, define: podProbeMarkerController },
  { needs: ['apps.kruise.io', 'v1alpha1', 'NodePodProbe'], when: hasProbes, define: nodePodProbeController },
  { needs: ['apps.kruise.io', 'v1beta1', 'SidecarSet'], when: hasPodWebhook, define: missedPodsController },
];

/** The controllers whose kind is installed, in the order of their start. */
export const defineControllers = (dependencies: ControllerDependencies): readonly ControllerDefinition[] =>
  candidates
    .filter(({ needs, when }) => (needs === undefined || dependencies.installed(...needs)) && when?.(dependencies.gates) !== false)
    .map(({ define }) => define(dependencies));
