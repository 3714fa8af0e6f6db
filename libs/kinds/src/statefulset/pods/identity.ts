/**
 * What ties a Pod to its ordinal: labels, and the claims that it mounts.
 * @see spec/statefulset.md 5.4 step 7
 */
import { labels, type StatefulSet } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import type { Action } from '../snapshot/action.ts';
import { newClaimOf, type ClaimOfPod } from '../claims/claims.ts';
import { claimVolumesOf, identityOf } from './new-pod.ts';
import type { Context } from '../snapshot/snapshot.ts';
import { podUpdatePolicyOf } from '../snapshot/strategy.ts';

/** Names of the volumes that do not mount the Pod's own claims, as those of templates that were added after it was made. */
export function strayVolumes(set: StatefulSet, ordinal: number, { spec }: Pod): readonly string[] {
  const held = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume.persistentVolumeClaim?.claimName]));
  return claimVolumesOf(set, ordinal)
    .filter(({ name, persistentVolumeClaim }) => held.get(name) !== persistentVolumeClaim?.claimName)
    .map(({ name }) => name);
}

/**
 * Whether the rolling update recreates the Pod because it does not mount its claims: only a new Pod mounts them. `InPlaceOnly` promises that no
 * Pod is replaced.
 *
 * @see spec/statefulset.md 8
 */
export const isRecreatedForClaims = (set: StatefulSet, ordinal: number, pod: Pod, { gates }: Pick<Context, 'gates'>): boolean =>
  gates.RecreatePodWhenChangeVCTInStatefulSetGate && podUpdatePolicyOf(set) !== 'InPlaceOnly' && strayVolumes(set, ordinal, pod).length > 0;

/** The claims that the Pod needs and that are not there. */
export const missingClaims = (claims: readonly ClaimOfPod[]): readonly ClaimOfPod[] => claims.filter(({ claim }) => claim === undefined);

/** Creates claims for a Pod that is there; nothing when none is missing. */
export function planMissingClaims(set: StatefulSet, pod: Pod, claims: readonly ClaimOfPod[], { gates }: Context): readonly Action[] {
  const missing = missingClaims(claims).map((one) => newClaimOf(one, set, gates));
  if (missing.length === 0) return [];
  const because = `Pod ${pod.metadata.name} needs ${missing.map(({ metadata }) => metadata.name).join(', ')}`;
  return [{ kind: 'CreateClaims', pod, claims: missing, because }];
}

/** Whether the Pod has the label that it is known by. */
export const hasIdentity = ({ metadata }: Pod): boolean => metadata.labels?.[labels.statefulSetPodName] === metadata.name;

/** The labels of the Pod's identity, where the one that it is known by was changed. */
export function planIdentity(pod: Pod, ordinal: number, { gates }: Context): readonly Action[] {
  if (hasIdentity(pod)) return [];
  const { name } = pod.metadata;
  return [
    { kind: 'RepairPod', pod, labels: identityOf(name, ordinal, gates), because: `label ${labels.statefulSetPodName} is not its name` },
  ];
}
