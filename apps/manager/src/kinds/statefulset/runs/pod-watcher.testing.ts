/** What the controller of a StatefulSet may never do to a Pod, looked at when the server gets each of its writes; it shares no code with the planner. */
import { labels, type StatefulSet } from '@kruise/api';
import type { FakeWrite } from '@kruise/kube/testing';
import { isTerminating, isControlledBy, isPodReady, type Pod } from '@kruise/objects';
import { onceFor } from '../../../module/fixtures/once-for.testing.ts';
import { isServing } from '../../../refused-writes/is-serving.testing.ts';
import type { StatefulSetCluster } from '../cluster.testing.ts';

export const ordinalOf = ({ metadata: { name } }: { readonly metadata: { readonly name: string } }): number =>
  Number(name.slice(name.lastIndexOf('-') + 1));

/** The ordinals that a specification requests. */
export const wantedOrdinals = onceFor(({ replicas = 1, reserveOrdinals = [] }: StatefulSet['spec']): ReadonlySet<number> => {
  const wanted = new Set<number>();
  for (let ordinal = 0; wanted.size < replicas; ordinal++) if (!reserveOrdinals.includes(ordinal)) wanted.add(ordinal);
  return wanted;
});

/** A Pod that waits for its hook after an update counts as unavailable until it is Normal. */
const serves = (pod: Pod): boolean => isServing(pod) && ['', 'Normal'].includes(pod.metadata.labels?.[labels.lifecycleState] ?? '');
const imageOf = (pod: Pod): string | undefined => pod.spec.containers[0]?.image;

export class PodWatcher {
  readonly #cluster: StatefulSetCluster;
  /** Uids of Pods that served until the controller deleted them. */
  readonly #taken = new Set<string>();
  /** Images of Pods that a partition keeps back, by ordinal. */
  readonly #kept = new Map<number, string | undefined>();

  constructor(cluster: StatefulSetCluster) {
    this.#cluster = cluster;
  }

  /** Called before the image of the template changes: the partition keeps the Pods that it covers, where all Pods have one template. */
  keepBack(): void {
    const { pods, set } = this.#cluster;
    const template = set.spec.template.spec?.containers[0]?.image;
    const isComplete = [...wantedOrdinals(set.spec)].every((ordinal) => {
      const pod = pods.find((one) => ordinalOf(one) === ordinal && isControlledBy(one, set.metadata.uid));
      return pod !== undefined && isPodReady(pod) && imageOf(pod) === template;
    });
    if (!isComplete) return this.#kept.clear();
    for (const ordinal of this.#covered) this.#kept.set(ordinal, template);
  }

  forgetKept(): void {
    this.#kept.clear();
  }

  /** Called when the StatefulSet is created again: what there is belongs to the one before. */
  forgetAll(): void {
    this.#kept.clear();
    this.#taken.clear();
  }

  /** @param write of a Pod, which the server carried out. @returns what it must not have done */
  look({ call, before, after }: FakeWrite): readonly string[] {
    const covered = this.#covered;
    const created = after as Pod | undefined;
    if (before === undefined) return created === undefined ? [] : this.#lookAtImage(created, covered);
    const pod = before as Pod;
    const isDeletion = call.verb === 'delete';
    const isTaken = serves(pod) && (isDeletion || created === undefined || !serves(created));
    return [
      ...(isDeletion ? this.#lookAtClaims(pod) : this.#lookAtImage(created ?? pod, covered)),
      ...(isTaken ? this.#lookAtOutage(pod, isDeletion) : []),
    ];
  }

  #lookAtOutage(pod: Pod, isDeletion: boolean): readonly string[] {
    const { set, pods } = this.#cluster;
    const wanted = wantedOrdinals(set.spec);
    const held = new Map(pods.map((one) => [ordinalOf(one), one]));
    held.set(ordinalOf(pod), pod);
    const isWanted = wanted.has(ordinalOf(pod));
    const broken = isWanted ? this.#lookAtBudget(pod, held, wanted) : isDeletion ? this.#lookAtStandIns(pod, held, wanted) : [];
    if (!isDeletion) return broken;
    const isOrdered = set.spec.podManagementPolicy !== 'Parallel' && this.#budget === 1;
    const isSecond = isOrdered && pods.some((one) => one !== pod && isTerminating(one) && this.#taken.has(one.metadata.uid ?? ''));
    this.#taken.add(pod.metadata.uid ?? '');
    return [...broken, ...(isSecond ? [`${pod.metadata.name} was deleted while another that was deleted had not ended`] : [])];
  }

  #lookAtImage(pod: Pod, covered: readonly number[]): readonly string[] {
    const image = this.#kept.get(ordinalOf(pod));
    if (image === undefined || imageOf(pod) === image || !covered.includes(ordinalOf(pod))) return [];
    return [`${pod.metadata.name} got ${imageOf(pod)}, though a partition keeps ${image}`];
  }

  /** The collector deletes what the Pod owns. */
  #lookAtClaims(pod: Pod): readonly string[] {
    if (!wantedOrdinals(this.#cluster.set.spec).has(ordinalOf(pod))) return [];
    return this.#cluster.claims
      .filter(({ metadata }) => (metadata.ownerReferences ?? []).some(({ uid }) => uid === pod.metadata.uid))
      .map(({ metadata }) => `${pod.metadata.name} was deleted with ${metadata.name}, which is wanted`);
  }

  #lookAtBudget(pod: Pod, held: ReadonlyMap<number, Pod>, wanted: ReadonlySet<number>): readonly string[] {
    const serving = new Set([...held].filter(([, one]) => serves(one)).map(([ordinal]) => ordinal));
    const unavailable = [...wanted].filter((ordinal) => !serving.has(ordinal)).length;
    return unavailable >= this.#budget
      ? [`${pod.metadata.name} was taken out of service while ${unavailable} of ${this.#budget} were`]
      : [];
  }

  /** One without a slot may be deleted only when there are as many Pods as wanted without it. */
  #lookAtStandIns(pod: Pod, held: ReadonlyMap<number, Pod>, wanted: ReadonlySet<number>): readonly string[] {
    const filled = [...wanted].filter((ordinal) => held.has(ordinal)).length;
    const others = [...held.values()].filter((one) => one !== pod && !wanted.has(ordinalOf(one)) && !isTerminating(one)).length;
    return filled + others < wanted.size ? [`${pod.metadata.name} was deleted while ${wanted.size - filled} Pods were missing`] : [];
  }

  get #budget(): number {
    return Number(this.#cluster.set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1);
  }

  /** Ordinals that the partition covers, lowest first. */
  get #covered(): readonly number[] {
    const { spec } = this.#cluster.set;
    return [...wantedOrdinals(spec)].slice(0, Number(spec.updateStrategy?.rollingUpdate?.partition ?? 0));
  }
}
