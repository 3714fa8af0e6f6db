/**
 * Which nodes get a Pod and which Pods have no place any more, whatever the template. Pure. @see spec/daemonset.md 5.5
 *
 *   for each node, by name: none where one should run -> create; failed, waiting for its hook, too many, or on the wrong node -> delete
 */
import { isTerminating, isPodReady, shortest, type Instant, type Milliseconds, type Pod } from '@kruise/objects';
import { isPreparingDelete, refusedLast, type OnPod } from '@kruise/workloads';
import { isAvailable, isFailed, isUpdated } from '../pods/pod-facts.ts';
import { siteFactsOf } from './site-facts.ts';
import type { Site, Sites } from './sites.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { allowsSurge, isPartitionedScaling, partitionOf } from '../snapshot/strategy.ts';

/** A Pod that is to go. */
export interface Removal extends OnPod {
  /** The node on which it has failed: the next one there stays longer. */
  readonly failedOn?: string;
}

/** A node that is to get a Pod. */
export interface Creation {
  readonly node: string;
  readonly because: string;
}

export interface Placement {
  /** By name of the node, but those that were refused lately come last. */
  readonly creations: readonly Creation[];
  /** In the same order. */
  readonly removals: readonly Removal[];
  /** When a Pod that has failed may go. */
  readonly requeueAfter?: Milliseconds;
}

export interface PlacementInput {
  readonly seen: Pick<Snapshot, 'set' | 'failedPodStays' | 'refused'>;
  readonly sites: Sites;
  /** Of the update revision. */
  readonly hash: string;
  readonly now: Instant;
}

class PlacementWalk {
  readonly #input: PlacementInput;
  readonly #surges: boolean;
  readonly #creations: Creation[] = [];
  readonly #removals: Removal[] = [];
  readonly #waits: Milliseconds[] = [];

  constructor(input: PlacementInput) {
    this.#input = input;
    this.#surges = allowsSurge(input.seen.set);
  }

  walk(): Placement {
    const { seen, sites, hash } = this.#input;
    const all = siteFactsOf(seen.set, sites.all, hash);
    for (const { site, isPlaced } of refusedLast(all, (one) => one.site.name, seen.refused)) if (!isPlaced) this.#visit(site);
    const wait = shortest(this.#waits);
    return {
      creations: this.#withinPartition(),
      removals: this.#removals,
      ...(wait === undefined ? {} : { requeueAfter: wait }),
    };
  }

  #visit(site: Site): void {
    const { name, fit, pods, node } = site;
    if (pods.length === 0) {
      if (fit.shouldRun) this.#create(name, `node ${name} has none`);
    } else if (fit.shouldContinueRunning) this.#keepOne(site);
    else if (node !== undefined) this.#removeAll(pods, `node ${name} is no longer eligible`);
    // Those that were bound to it are the garbage collector's.
    else
      this.#removeAll(
        pods.filter(({ spec }) => (spec.nodeName ?? '') === ''),
        `node ${name}, which it waits for, no longer exists`,
      );
  }

  #create(node: string, because: string): void {
    this.#creations.push({ node, because });
  }

  #remove(pod: Pod, because: string): void {
    this.#removals.push({ pod, because });
  }

  #removeAll(pods: readonly Pod[], because: string): void {
    for (const pod of pods) if (!isTerminating(pod)) this.#remove(pod, because);
  }

  /** Nearly every node of every pass has one Pod that runs. */
  #keepOne(site: Site): void {
    const running = site.pods.filter((pod) => !isTerminating(pod) && this.#isRunning(pod, site.name));
    if (this.#surges) this.#keepPair(site, running);
    else for (const pod of running.slice(1)) this.#remove(pod, `node ${site.name} has another one, Pod ${running[0]?.metadata.name ?? ''}`);
  }

  /** Neither failed nor waiting for its hook to be deleted: such Pods go. */
  #isRunning(pod: Pod, node: string): boolean {
    if (isFailed(pod)) {
      const left = this.#input.seen.failedPodStays(node);
      if (left > 0) this.#waits.push(left);
      else this.#removals.push({ pod, because: `it has failed on node ${node}`, failedOn: node });
      return false;
    }
    if (isPreparingDelete(pod)) this.#remove(pod, 'its deletion is prepared');
    return !isPreparingDelete(pod);
  }

  /** While updates surge a node may have a new Pod and an old one, until the new one is available. */
  #keepPair({ name, fit, pods }: Site, running: readonly Pod[]): void {
    const { seen, hash, now } = this.#input;
    if (running.length === 0 && fit.shouldRun && !this.#isHeldByFailure(pods, name)) this.#create(name, `node ${name} has none that stays`);
    if (running.length < 2) return;
    const fresh = running.find((pod) => isUpdated(seen.set, pod, hash));
    const old = running.find((pod) => !isUpdated(seen.set, pod, hash));
    for (const pod of running) if (pod !== fresh && pod !== old) this.#remove(pod, `node ${name} has another one of its revision`);
    if (fresh === undefined || old === undefined) return;
    if (!isPodReady(old)) this.#remove(old, `Pod ${fresh.metadata.name} replaces it, and it is no longer ready`);
    else if (isAvailable(seen.set, fresh, now)) this.#remove(old, `Pod ${fresh.metadata.name} has taken its place`);
  }

  /** A Pod that has failed and stays for a while keeps the next one back, or there would be another one in every pass. */
  #isHeldByFailure(pods: readonly Pod[], node: string): boolean {
    return pods.some((pod) => isFailed(pod) && !isTerminating(pod)) && this.#input.seen.failedPodStays(node) > 0;
  }

  /** The partition keeps nodes from getting their first Pod where the DaemonSet requests that. */
  #withinPartition(): readonly Creation[] {
    const { seen, sites, hash } = this.#input;
    const partition = partitionOf(seen.set, sites.desired);
    if (partition === 0 || !isPartitionedScaling(seen.set) || this.#creations.length === 0) return this.#creations;
    const updated = sites.all.filter(({ fit, pods }) => {
      if (!fit.shouldRun) return false;
      const staying = pods.filter((pod) => !isTerminating(pod));
      const fresh = staying.filter((pod) => isUpdated(seen.set, pod, hash)).length;
      return fresh === 1 && staying.length - fresh <= 1;
    }).length;
    return this.#creations.slice(0, Math.max(sites.desired - updated - Math.min(partition, sites.desired), 0));
  }
}

/** What to create and delete; nothing while every node has its Pod. */
export const planPlacement = (input: PlacementInput): Placement => new PlacementWalk(input).walk();
