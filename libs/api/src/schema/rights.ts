/** What the manager has to be allowed to do for a kind, as the kind declares it; the chart's roles are made from it. @see spec/helm-chart.md 9 */
import type { GateName } from '../gates/feature-gates.ts';

/** Verbs on resources of one group, cluster-wide. */
export interface Right {
  /** '' for the core group. */
  readonly group: string;
  /** Plural names, subresources after a slash: `pods/status`. */
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Needed only while all of these gates are on. */
  readonly gates?: readonly GateName[];
  /** A user may withhold it by a value of the chart: `installation.secretsAccess`. */
  readonly withheldBy?: 'secretsAccess';
  /** A value of the chart that stands for the group: `installation.roleListGroups`; without any group there is no such right. */
  readonly groupsFrom?: 'roleListGroups';
}

/** What the manager may do for one kind. */
export interface KindRights {
  /** All of it is needed only while all of these gates are on. */
  readonly gates?: readonly GateName[];
  /** Writes of the objects themselves, besides reading them. */
  readonly own?: readonly string[];
  /** Writes of their `status`. */
  readonly status?: readonly string[];
  /** Whether it owns objects of other kinds: clusters that enforce permissions on owner references ask for `update` of its `finalizers`. */
  readonly owns?: boolean;
  /** On objects of other kinds. */
  readonly others?: readonly Right[];
}

/** The verbs of a cache. */
export const reading = ['get', 'list', 'watch'] as const;
/** Of what is made, patched and deleted; nothing of the API is ever replaced as a whole but a status and what says so. */
export const managing = ['create', 'delete', ...reading, 'patch'] as const;

/** A right on resources of one group; '' is the core group. */
export const right = (group: string, resources: readonly string[], verbs: readonly string[]): Right => ({ group, resources, verbs });

/** Of a kind that makes Pods and updates them in place. */
export const podWorkloadRights: readonly Right[] = [
  right('', ['pods'], managing),
  right('', ['pods/status', 'pods/resize'], ['patch']),
  right('apps', ['controllerrevisions'], managing),
];

/** The same for one whose Pods have claims. */
export const workloadRights: readonly Right[] = [...podWorkloadRights, right('', ['persistentvolumeclaims'], managing)];

/** On Secrets of every namespace. */
export const secretRights = (verbs: readonly string[]): Right => ({ ...right('', ['secrets'], verbs), withheldBy: 'secretsAccess' });

/**
 * Of a kind that names workloads of any kind: their `scale`. The manager reads the kinds that it knows as objects; others are given by the value
 * `installation.scaledKinds` of the chart.
 */
export const scaleRights: Right = right('apps.kruise.io', ['uniteddeployments/scale'], ['get']);
