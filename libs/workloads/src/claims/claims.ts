/** The claims that a workload creates for each of its Pods, and the volumes with which the Pods use them. */
import type { OwnerReference, PersistentVolumeClaim, PersistentVolumeClaimTemplate, Pod, PodSpec, Volume } from '@kruise/objects';

/** The properties of a claim besides its template. */
export interface ClaimShape {
  readonly name: string;
  readonly namespace: string;
  /** Added to those of the template. */
  readonly labels: Readonly<Record<string, string>>;
  readonly owners: readonly OwnerReference[];
}

/** Returns a claim to create. */
export const newClaim = (
  template: PersistentVolumeClaimTemplate,
  { name, namespace, labels, owners }: ClaimShape,
): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    ...template.metadata,
    name,
    namespace,
    labels: { ...template.metadata.labels, ...labels },
    ...(owners.length === 0 ? {} : { ownerReferences: owners }),
  },
  ...(template.spec === undefined ? {} : { spec: template.spec }),
});

/** Returns the volumes of the claims of one Pod, in the order of their templates. */
export const claimVolumes = (
  templates: readonly PersistentVolumeClaimTemplate[],
  claimName: (template: PersistentVolumeClaimTemplate) => string,
): readonly Volume[] =>
  templates.map((template) => ({
    name: template.metadata.name,
    persistentVolumeClaim: { claimName: claimName(template), readOnly: false },
  }));

/** Returns the volumes of a Pod: first those of its claims, which replace volumes of the template with the same names. */
export function withClaimVolumes({ volumes = [] }: Pick<PodSpec, 'volumes'>, own: readonly Volume[]): readonly Volume[] {
  const claimed = new Set(own.map(({ name }) => name));
  return [...own, ...volumes.filter(({ name }) => !claimed.has(name))];
}

/** Returns the names of the claims that the Pod mounts, each once. */
export const claimsMountedBy = ({ spec }: Pod): readonly string[] => [
  ...new Set((spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])),
];

/** Returns the Pods that mount each claim, by the name of the claim, in the given order. All Pods are in one namespace. */
export function mountsOf(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const users = new Map<string, Pod[]>();
  for (const pod of pods) for (const name of claimsMountedBy(pod)) users.set(name, [...(users.get(name) ?? []), pod]);
  return users;
}
