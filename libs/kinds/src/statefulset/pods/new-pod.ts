/** A Pod of a StatefulSet as it is created. @see spec/statefulset.md 3, 5.3.3 */
import { labels, statefulSets, type Gates, type StatefulSet } from '@kruise/api';
import { newControllerRef, type ControllerRevision, type Instant, type OwnerReference, type Pod, type Volume } from '@kruise/objects';
import { isAllHooked, lifecycleMetadata, revisionId, revisionLabels, statefulSetRevisions, templateOf } from '@kruise/pods';
import { claimVolumes, withClaimVolumes } from '@kruise/workloads';
import { claimNameOf } from '../claims/claims.ts';
import { claimTemplatesOf } from '../snapshot/strategy.ts';

export const ownerReferenceTo = (set: StatefulSet): OwnerReference => newControllerRef(set, statefulSets);

export const podNameOf = ({ metadata }: StatefulSet, ordinal: number): string => `${metadata.name}-${ordinal}`;

/** The labels by which a Pod is known as the one of its ordinal. */
export const identityOf = (name: string, ordinal: number, gates: Pick<Gates, 'PodIndexLabel'>): Readonly<Record<string, string>> => ({
  [labels.statefulSetPodName]: name,
  ...(gates.PodIndexLabel ? { [labels.podIndex]: String(ordinal) } : {}),
});

/** Volumes of the claims of a Pod, in the order of their templates. */
export const claimVolumesOf = (set: StatefulSet, ordinal: number): readonly Volume[] =>
  claimVolumes(claimTemplatesOf(set), (template) => claimNameOf(template, set, ordinal));

/** A Pod that carries all of its preNormal hook from the start has nothing to wait for. */
function withLifecycle(pod: Pod, { spec }: StatefulSet, now: Instant): Pod {
  const hook = spec.lifecycle?.preNormal;
  const state = lifecycleMetadata(hook === undefined || isAllHooked(hook, pod) ? 'Normal' : 'PreparingNormal', now);
  const { metadata } = pod;
  return {
    ...pod,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...state.labels },
      annotations: { ...metadata.annotations, ...state.annotations },
    },
  };
}

/** What all new Pods of a pass have in common. */
export interface PodMakerOptions {
  readonly set: StatefulSet;
  readonly revision: ControllerRevision;
  readonly gates: Pick<Gates, 'PodIndexLabel'>;
  readonly now: Instant;
}

/** Makes Pods of one revision. What they have in common is worked out once, and shared by them. */
export function podMaker({ set, revision, gates, now }: PodMakerOptions): (ordinal: number) => Pod {
  const { metadata, spec: templated = { containers: [] } } = templateOf(revision) ?? {};
  // That of the template has no effect, also without a Service.
  const { subdomain: _templated, ...spec } = templated;
  const shared = { ...metadata?.labels, ...revisionLabels(statefulSetRevisions, revisionId(statefulSetRevisions, revision)) };
  const common = {
    generateName: `${set.metadata.name}-`,
    namespace: set.metadata.namespace ?? '',
    ...(metadata?.annotations === undefined ? {} : { annotations: metadata.annotations }),
    ...(metadata?.finalizers === undefined ? {} : { finalizers: metadata.finalizers }),
    ownerReferences: [ownerReferenceTo(set)],
  };
  const { serviceName } = set.spec;
  return (ordinal) => {
    const name = podNameOf(set, ordinal);
    const volumes = withClaimVolumes(spec, claimVolumesOf(set, ordinal));
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, ...common, labels: { ...shared, ...identityOf(name, ordinal, gates) } },
      spec: {
        ...spec,
        hostname: name,
        ...(serviceName === undefined || serviceName === '' ? {} : { subdomain: serviceName }),
        ...(volumes.length === 0 ? {} : { volumes }),
      },
    };
    return withLifecycle(pod, set, now);
  };
}
