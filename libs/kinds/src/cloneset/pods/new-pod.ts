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
  type PersistentVolumeClaimTemplate,
  type Pod,
  type PodSpec,
} from '@kruise/objects';
import { lifecycleMetadata, revisionId, revisionLabels, templateOf, type RevisionAdapter } from '@kruise/pods';
import { claimVolumes, newClaim, withClaimVolumes } from '@kruise/workloads';

export const ownerReferenceTo = (cloneSet: CloneSet): OwnerReference => newControllerRef(cloneSet, cloneSets);

/** Undefined for an object without an instance id. */
export const podNameOf = ({ metadata: { name } }: CloneSet, instanceId: string): string | undefined =>
  instanceId === '' ? undefined : `${name}-${instanceId}`;

const claimName = ({ metadata }: PersistentVolumeClaimTemplate, cloneSet: CloneSet, instanceId: string): string =>
  `${metadata.name}-${cloneSet.metadata.name}-${instanceId}`;

const templatesOf = ({ spec }: CloneSet): readonly PersistentVolumeClaimTemplate[] => spec.volumeClaimTemplates ?? [];

/** The claims of one instance, one for each claim template, in their order. */
export const newClaims = (cloneSet: CloneSet, instanceId: string): readonly PersistentVolumeClaim[] =>
  templatesOf(cloneSet).map((template) =>
    newClaim(template, {
      name: claimName(template, cloneSet, instanceId),
      namespace: cloneSet.metadata.namespace ?? '',
      labels: { ...cloneSet.spec.selector.matchLabels, [cloneSetLabels.instanceId]: instanceId },
      owners: [ownerReferenceTo(cloneSet)],
    }),
  );

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
    const own = claimVolumes(templatesOf(cloneSet), (template) => claimName(template, cloneSet, instanceId));
    const volumes = withClaimVolumes(spec, own);
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
