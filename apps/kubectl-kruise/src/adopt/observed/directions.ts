/** The pairs of kinds between which Pods can change their owner. */
import type { WorkloadKind } from '../../objects/workload-kind.ts';

/** A kind whose Pods can be handed over. */
export type AdoptableKind = 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'CloneSet' | 'AdvancedStatefulSet' | 'AdvancedDaemonSet';

/** The source and the target of a move. */
export interface Direction {
  readonly from: AdoptableKind;
  readonly to: AdoptableKind;
}

const counterparts: Readonly<Record<AdoptableKind, AdoptableKind>> = {
  Deployment: 'CloneSet',
  CloneSet: 'Deployment',
  StatefulSet: 'AdvancedStatefulSet',
  AdvancedStatefulSet: 'StatefulSet',
  DaemonSet: 'AdvancedDaemonSet',
  AdvancedDaemonSet: 'DaemonSet',
};

/** How the command line names each kind without ambiguity. */
export const wordOf: Readonly<Record<AdoptableKind, string>> = {
  Deployment: 'deployments.apps',
  CloneSet: 'clonesets.apps.kruise.io',
  StatefulSet: 'statefulsets.apps',
  AdvancedStatefulSet: 'statefulsets.apps.kruise.io',
  DaemonSet: 'daemonsets.apps',
  AdvancedDaemonSet: 'daemonsets.apps.kruise.io',
};

const isAdoptable = (kind: WorkloadKind): kind is AdoptableKind => Object.hasOwn(counterparts, kind);

/** Returns the only direction in which Pods of the kind can move; undefined for other kinds. */
export const directionFrom = (kind: WorkloadKind): Direction | undefined =>
  isAdoptable(kind) ? { from: kind, to: counterparts[kind] } : undefined;
