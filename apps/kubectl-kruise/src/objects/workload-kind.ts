/** The kinds that commands treat each in its own way, by group and kind, whatever the version. */
import { memberAt, type ResourceType } from '@kruise/objects';
import type { Untyped } from './untyped.ts';

export type WorkloadKind =
  | 'Deployment'
  | 'DaemonSet'
  | 'StatefulSet'
  | 'CloneSet'
  | 'AdvancedStatefulSet'
  | 'AdvancedDaemonSet'
  | 'UnitedDeployment'
  | 'SidecarSet'
  | 'Rollout'
  | 'Other';

const kinds: Readonly<Record<string, WorkloadKind>> = {
  'apps/Deployment': 'Deployment',
  'apps/DaemonSet': 'DaemonSet',
  'apps/StatefulSet': 'StatefulSet',
  'apps.kruise.io/CloneSet': 'CloneSet',
  'apps.kruise.io/StatefulSet': 'AdvancedStatefulSet',
  'apps.kruise.io/DaemonSet': 'AdvancedDaemonSet',
  'apps.kruise.io/UnitedDeployment': 'UnitedDeployment',
  'apps.kruise.io/SidecarSet': 'SidecarSet',
  'rollouts.kruise.io/Rollout': 'Rollout',
};

/** The kind of an object of this type. */
export const workloadKindOf = ({ group, kind }: Pick<ResourceType, 'group' | 'kind'>): WorkloadKind => kinds[`${group}/${kind}`] ?? 'Other';

/** Kinds of Kubernetes itself, for which the API server takes strategic merge patches. */
export const isBuiltin = ({ group }: Pick<ResourceType, 'group'>): boolean => !group.includes('.') || group.endsWith('.k8s.io');

const templateMembers = ['statefulSetTemplate', 'advancedStatefulSetTemplate', 'cloneSetTemplate', 'deploymentTemplate'] as const;

/** Where the Pod template of an object is; undefined for kinds without one. */
export function templatePath(kind: WorkloadKind, object: Untyped): readonly string[] | undefined {
  if (kind === 'UnitedDeployment') {
    const member = templateMembers.find((name) => memberAt(object, 'spec', 'template', name) !== undefined);
    return member === undefined ? undefined : ['spec', 'template', member, 'spec', 'template'];
  }
  if (kind === 'SidecarSet' || kind === 'Rollout') return undefined;
  return memberAt(object, 'spec', 'template') === undefined ? undefined : ['spec', 'template'];
}

/** Where the Pod spec of an object is: that of its template, of the Pod itself, or what a SidecarSet injects. */
export function podSpecPath(kind: WorkloadKind, object: Untyped): readonly string[] | undefined {
  if (kind === 'SidecarSet') return ['spec'];
  if (kind === 'Other' && object.kind === 'Pod' && object.apiVersion === 'v1') return ['spec'];
  if (kind === 'Other' && memberAt(object, 'spec', 'jobTemplate', 'spec', 'template') !== undefined)
    return ['spec', 'jobTemplate', 'spec', 'template', 'spec'];
  const template = templatePath(kind, object);
  return template === undefined ? undefined : [...template, 'spec'];
}

const rollingPaused = ['spec', 'updateStrategy', 'rollingUpdate', 'paused'];

/** Which field pauses updates of an object; undefined for kinds that have none. */
export function pausedPath(kind: WorkloadKind, apiVersion: string): readonly string[] | undefined {
  switch (kind) {
    case 'CloneSet':
      return apiVersion.endsWith('/v1alpha1') ? ['spec', 'updateStrategy', 'paused'] : rollingPaused;
    case 'AdvancedStatefulSet':
    case 'AdvancedDaemonSet':
      return rollingPaused;
    case 'SidecarSet':
      return ['spec', 'updateStrategy', 'paused'];
    case 'Deployment':
      return ['spec', 'paused'];
    case 'Rollout':
      return ['spec', 'strategy', 'paused'];
    case 'DaemonSet':
    case 'StatefulSet':
    case 'UnitedDeployment':
    case 'Other':
      return undefined;
  }
}

/** `clonesets.apps.kruise.io "abc"`, as messages name an object. */
export const quotedName = ({ plural, group }: Pick<ResourceType, 'plural' | 'group'>, name: string): string =>
  `${plural}${group === '' ? '' : `.${group}`} "${name}"`;

/** `cloneset.apps.kruise.io/abc`, as results name an object. */
export const slashName = ({ kind, group }: Pick<ResourceType, 'kind' | 'group'>, name: string): string =>
  `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${name}`;
