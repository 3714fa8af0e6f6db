/** Finds the WorkloadSpread that a new Pod is for. @see spec/workloadspread.md 4.2 */
import { unworkableSpread, workloadSpreads, workloadSpreadWhiteListKey, type WorkloadSpread } from '@kruise/api';
import type { Clock, Informer } from '@kruise/kube';
import { controllerOf, isPodActive, labelMatcherOrNothing, type OwnerReference, type Pod } from '@kruise/objects';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { whiteListOf, type WhiteListCache } from '../../workloads/finder/index.ts';
import { type WhiteListedKind, byTarget, chosenFor, targetOf, targetOfOwner, targetText, type Target } from '@kruise/workloads';
import { LiveWorkloads } from './observe-workload.ts';
import { isOwnerKind, mayBeAbove } from '@kruise/kinds/workloadspread';

export type FoundSpread =
  | { readonly kind: 'None' }
  | { readonly kind: 'Found'; readonly spread: WorkloadSpread }
  /** The owner does not exist (yet), so the workload of the Pod is unknown. */
  | { readonly kind: 'OwnerGone'; readonly owner: OwnerReference };

const none: FoundSpread = { kind: 'None' };

/** So many owners one above the other. */
const mostOwners = 5;

/** Whether the WorkloadSpread is for such Pods; without a selector it is for all. */
export function isFiltered({ spec }: Pick<WorkloadSpread, 'spec'>, { metadata }: Pick<Pod, 'metadata'>): boolean {
  const selector = spec.targetFilter?.selector;
  return selector === undefined || selector === null || labelMatcherOrNothing(selector).matches(metadata.labels ?? {});
}

/** What admission sees of WorkloadSpreads. */
export class SpreadLookup {
  readonly spreads: Informer<WorkloadSpread>;
  readonly whiteList: WhiteListCache;
  readonly workloads: LiveWorkloads;

  constructor(
    { caches, client, podNamespace }: Pick<HandlerDependencies, 'caches' | 'client' | 'podNamespace'>,
    clock: Pick<Clock, 'monotonic'>,
  ) {
    this.spreads = caches.of(workloadSpreads, byTarget);
    this.whiteList = whiteListOf(caches, podNamespace, workloadSpreadWhiteListKey);
    this.workloads = new LiveWorkloads(client, clock);
  }

  /** A white list that cannot be read lists nothing. */
  get listed(): readonly WhiteListedKind[] {
    const reading = this.whiteList.reading();
    return reading.kind === 'Read' ? reading.kinds : [];
  }

  async waitForSync(signal: AbortSignal): Promise<void> {
    if (!this.spreads.store.synced) await this.spreads.reflector.waitForSync(signal);
    await this.whiteList.waitForSync(signal);
  }

  /** @param pod its namespace is filled in */
  async find(pod: Pod, signal: AbortSignal): Promise<FoundSpread> {
    const { namespace = '' } = pod.metadata;
    let owner = controllerOf(pod);
    if (owner === undefined || !isPodActive(pod)) return none;
    await this.waitForSync(signal);
    const targets = this.#targetsOf(namespace);
    for (let climbed = 0; climbed < mostOwners && owner !== undefined; climbed += 1) {
      const below: Target = targetOfOwner(owner);
      if (!isOwnerKind(below, this.listed)) return none;
      const spread = this.#spreadFor(below, pod);
      if (spread !== undefined) return { kind: 'Found', spread };
      if (!targets.some((target) => mayBeAbove(target, below))) return none;
      const seen = await this.#climb(owner, namespace, signal);
      if (seen.kind === 'Gone') return { kind: 'OwnerGone', owner };
      owner = seen.controller;
    }
    return none;
  }

  #targetsOf(namespace: string): readonly Target[] {
    return this.spreads.store
      .list({ namespace })
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .flatMap((spread) => targetOf(spread) ?? []);
  }

  #spreadFor(target: Target, pod: Pod): WorkloadSpread | undefined {
    const targeting = this.spreads.store.byIndex(byTarget, targetText(target), { namespace: pod.metadata.namespace ?? '' });
    return chosenFor(targeting.filter((spread) => unworkableSpread({ ...spread }) === undefined && isFiltered(spread, pod)));
  }

  /** An owner that cannot be read, except because it does not exist, counts as having no controller. */
  async #climb(owner: OwnerReference, namespace: string, signal: AbortSignal) {
    try {
      return await this.workloads.controllerOf(owner, namespace, signal);
    } catch {
      signal.throwIfAborted();
      return { kind: 'Seen', controller: undefined } as const;
    }
  }
}
