/** The objects that an event enqueues. Pure. @see spec/resourcedistribution.md 5.1, 8 */
import { resourceDistributions, type ResourceDistribution } from '@kruise/api';
import type { StoreEvent, StoreReader } from '@kruise/kube';
import { controllerOf, deepEqual, keyOf, refersToKind, type KubeObject, type ObjectKey } from '@kruise/objects';
import { type Copy, targetsOf, copyNameOf, type CopyName } from '@kruise/kinds/resourcedistribution';

type Distributions = Pick<StoreReader<ResourceDistribution>, 'list'>;

/** What a status says is our own word. */
export function requestsOfDistribution(event: StoreEvent<ResourceDistribution>): readonly ObjectKey[] {
  const isSame = event.kind === 'Updated' && deepEqual(event.object.spec, event.previous.spec);
  return isSame ? [] : [keyOf(event.object)];
}

/** Those that would put a copy there, or have put one there under its former labels. At the start all of them are looked at anyway. */
export function requestsOfNamespace(event: StoreEvent<KubeObject>, distributions: Distributions): readonly ObjectKey[] {
  if (event.kind === 'Added' && event.initial) return [];
  const { name, labels } = event.object.metadata;
  if (event.kind !== 'Updated') {
    return distributions
      .list()
      .filter((distribution) => targetsOf(distribution).takes(name, labels))
      .map(keyOf);
  }
  const former = event.previous.metadata.labels;
  if (deepEqual(labels ?? {}, former ?? {})) return [];
  const isConcerned = (distribution: ResourceDistribution): boolean => {
    const targets = targetsOf(distribution);
    return targets.picks(labels) || targets.picks(former);
  };
  return distributions.list().filter(isConcerned).map(keyOf);
}

const ownersOf = (objects: readonly Copy[]): readonly string[] => [
  ...new Set(
    objects.flatMap((object) => {
      const owner = controllerOf(object);
      return owner !== undefined && refersToKind(owner, resourceDistributions) ? owner.name : [];
    }),
  ),
];

/**
 * A change of a copy enqueues its owner. The deletion of an object with the name enqueues all distributions of that name, because it may have been in
 * their way; additions are copies, or are found by the distribution that wants the name.
 */
export function requestsOfCopy(event: StoreEvent<Copy>, { of, name }: CopyName, distributions: Distributions): readonly ObjectKey[] {
  if (event.kind === 'Added') return [];
  if (event.kind === 'Updated') return ownersOf([event.object, event.previous]).map((owner) => ({ namespace: '', name: owner }));
  const sharesName = (distribution: ResourceDistribution): boolean => {
    const wanted = copyNameOf(distribution);
    return wanted?.of === of && wanted.name === name;
  };
  return distributions.list().filter(sharesName).map(keyOf);
}
