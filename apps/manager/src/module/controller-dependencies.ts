/** What controllers are made from, on the leader. */
import type { Gates } from '@kruise/api';
import type { Client, Clock, EventRecorder, Logger } from '@kruise/kube';
import type { ResourceWriting } from '@kruise/pods';
import type { Caches } from '../caches/caches.ts';
import type { ManagerFlags } from '../options/flags.ts';
import type { Installed } from '../process/discovery.ts';
import type { ProtectionRecord } from '../process/protection-log.ts';
import type { UpdateGuard } from '@kruise/workloads';

export interface ControllerDependencies {
  /** Feeds what its writes return into the `caches`; refuses writes once the leadership is lost. */
  readonly client: Client;
  readonly caches: Caches;
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
  /** Asked before a Pod is updated, with feature gate PodUnavailableBudgetUpdateGate; absent without guards. */
  readonly updateGuard?: UpdateGuard;
  /** Called for every refusal by a budget: for the metric and the protection log. */
  readonly onProtected?: (record: ProtectionRecord) => void;
  /** Called for every Pod that bypassed the Pod webhook. */
  readonly onMissedPod?: (reason: string) => void;
}
