/**
 * The permissions that the manager needs for a kind, as the kind declares them; the chart's roles are generated from them. @see spec/helm-chart.md 9
 */
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
  /** A value of the chart without which there is no such right: `installation.secretsAccess`. */
  readonly withheldBy?: 'secretsAccess' | 'configRolloutSecrets';
  /** A value of the chart that replaces the group: `installation.roleListGroups`; without any group there is no such right. */
  readonly groupsFrom?: 'roleListGroups';
}

/** What the manager may do for one kind. */
export interface KindRights {
  /** All of it is needed only while all of these gates are on. */
  readonly gates?: readonly GateName[];
  /** Verbs on the objects themselves, besides reading them. */
  readonly own?: readonly string[];
  /** Verbs on their `status`. */
  readonly status?: readonly string[];
  /** Whether it owns objects of other kinds: clusters that enforce permissions on owner references require `update` of its `finalizers`. */
  readonly owns?: boolean;
  /** Rights on objects of other kinds. */
  readonly others?: readonly Right[];
}

/** The verbs of a cache. */
export const reading = ['get', 'list', 'watch'] as const;
/** The verbs for objects that are created, patched and deleted. Only a status is ever replaced as a whole, and objects that declare so. */
export const managing = ['create', 'delete', ...reading, 'patch'] as const;

/** Returns a right on resources of one group; '' is the core group. */
export const right = (group: string, resources: readonly string[], verbs: readonly string[]): Right => ({ group, resources, verbs });

/** Rights to watch the ConfigMaps and Secrets that workloads name. */
const configRights: readonly Right[] = [
  { ...right('', ['configmaps'], reading), gates: ['ConfigRollout'] },
  { ...right('', ['secrets'], reading), gates: ['ConfigRollout'], withheldBy: 'configRolloutSecrets' },
];

/** Rights of a kind that creates Pods and updates them in place. */
export const podWorkloadRights: readonly Right[] = [
  ...configRights,
  right('', ['pods'], managing),
  right('', ['pods/status', 'pods/resize'], ['patch']),
  right('apps', ['controllerrevisions'], managing),
];

/** Rights of a kind whose Pods also have claims. */
export const workloadRights: readonly Right[] = [...podWorkloadRights, right('', ['persistentvolumeclaims'], managing)];

/** Returns a right on Secrets of every namespace. */
export const secretRights = (verbs: readonly string[]): Right => ({ ...right('', ['secrets'], verbs), withheldBy: 'secretsAccess' });

/**
 * The right of a kind that refers to workloads of any kind: their `scale`. The manager reads the kinds that it knows as objects; the chart's value
 * `installation.scaledKinds` adds others.
 */
export const scaleRights: Right = right('apps.kruise.io', ['uniteddeployments/scale'], ['get']);
