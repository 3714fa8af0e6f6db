/**
 * A Pod of a CloneSet as it is created, and its claims.
 * @see spec/cloneset.md 3, 5.6
 */
import { cloneSetLabels, cloneSets, podConditions, type CloneSet } from '@kruise/api';
import {
  newControllerRef,
  type ControllerRevision,
  type Instant,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
  type PodSpec,
  type Volume,
} from '@kruise/objects';
import { lifecycleMetadata, revisionId, revisionLabels, templateOf, type RevisionAdapter } from '@kruise/pods';

export const ownerReferenceTo = (cloneSet: CloneSet): OwnerReference => newControllerRef(cloneSet, cloneSets);

const claimName = (template: string, cloneSet: CloneSet, instanceId: string): string =>
  `${template}-${cloneSet.metadata.name}-${instanceId}`;

/** The claims of one instance, one for each claim template, in their order. */
export const newClaims = (cloneSet: CloneSet, instanceId: string): readonly PersistentVolumeClaim[] =>
  (cloneSet.spec.volumeClaimTemplates ?? []).map((template) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      ...template.metadata,
      name: claimName(template.metadata.name, cloneSet, instanceId),
      namespace: cloneSet.metadata.namespace ?? '',
      labels: { ...template.metadata.labels, ...cloneSet.spec.selector.matchLabels, [cloneSetLabels.instanceId]: instanceId },
      ownerReferences: [ownerReferenceTo(cloneSet)],
    },
    ...(template.spec === undefined ? {} : { spec: template.spec }),
  }));

/** Volumes of the claims first, in the order of their templates; they replace template volumes of the same name. */
function withClaimVolumes(spec: PodSpec, cloneSet: CloneSet, instanceId: string): readonly Volume[] {
  const templates = cloneSet.spec.volumeClaimTemplates ?? [];
  const claimed = new Set(templates.map(({ metadata }) => metadata.name));
  const own = templates.map(({ metadata }) => ({
    name: metadata.name,
    persistentVolumeClaim: { claimName: claimName(metadata.name, cloneSet, instanceId), readOnly: false },
  }));
  return [...own, ...(spec.volumes ?? []).filter(({ name }) => !claimed.has(name))];
}

function withReadinessGate(spec: PodSpec): PodSpec {
  const gates = spec.readinessGates ?? [];
  return gates.some(({ conditionType }) => conditionType === podConditions.inPlaceUpdateReady)
    ? spec
    : { ...spec, readinessGates: [...gates, { conditionType: podConditions.inPlaceUpdateReady }] };
}

export interface PodMakerOptions {
  readonly cloneSet: CloneSet;
  readonly revision: ControllerRevision;
  readonly adapter: RevisionAdapter;
  readonly now: Instant;
}

/**
 * Makes Pods of one revision, named `<cloneset>-<instance id>`, in lifecycle state PreparingNormal. What they have in common is worked out
 * once, and shared by them.
 */
export function podMaker({ cloneSet, revision, adapter, now }: PodMakerOptions): (instanceId: string) => Pod {
  const { metadata, spec = { containers: [] } } = templateOf(revision) ?? {};
  const lifecycle = lifecycleMetadata('PreparingNormal', now);
  const { name, namespace = '' } = cloneSet.metadata;
  const shared = { ...metadata?.labels, ...revisionLabels(adapter, revisionId(adapter, revision)) };
  const common = {
    generateName: `${name}-`,
    namespace,
    annotations: { ...metadata?.annotations, ...lifecycle.annotations },
    ...(metadata?.finalizers === undefined ? {} : { finalizers: metadata.finalizers }),
    ownerReferences: [ownerReferenceTo(cloneSet)],
  };
  const gatedSpec = withReadinessGate(spec);
  return (instanceId) => {
    const volumes = withClaimVolumes(spec, cloneSet, instanceId);
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${name}-${instanceId}`,
        ...common,
        labels: { ...shared, [cloneSetLabels.instanceId]: instanceId, ...lifecycle.labels },
      },
      spec: volumes.length === 0 ? gatedSpec : { ...gatedSpec, volumes },
    };
  };
}
