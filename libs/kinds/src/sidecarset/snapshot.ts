/** What one pass over a SidecarSet looks at: plain data, read once, in a stated order. */
import type { SidecarSet } from '@kruise/api';
import type { ControllerRevision, Pod } from '@kruise/objects';
import type { RefusedBefore } from '@kruise/workloads';
import type { Member } from './pods/pod-facts.ts';
import type { SidecarSetView } from './view/sidecar-set-view.ts';

export interface Snapshot {
  readonly sidecarSet: SidecarSet;
  /** Pods into which it was injected by their own account, by namespace and name; ended and terminating ones included. */
  readonly pods: readonly Pod[];
  /** Labels of the namespaces of these Pods, as far as the namespaces are known. */
  readonly namespaceLabels: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** The history, oldest first. */
  readonly revisions: readonly ControllerRevision[];
  /** What was refused lately, by uid of the Pod. */
  readonly refused: RefusedBefore;
  /** Uids of Pods for which something was refused, and which are left alone for a while. */
  readonly resting: ReadonlySet<string>;
  /** The manager's namespace, which contains the history. */
  readonly revisionNamespace: string;
}

export interface Context {
  /** `memberOf` of pod-facts.ts, perhaps from memory: most Pods are the same from one pass to the next. */
  readonly memberOf: (pod: Pod, view: SidecarSetView) => Member;
}
