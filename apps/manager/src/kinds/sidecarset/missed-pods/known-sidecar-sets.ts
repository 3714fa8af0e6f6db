/** Since when each SidecarSet selects what it selects: only Pods that are younger can have been missed. */
import type { SidecarSet } from '@kruise/api';
import type { StoreEvent } from '@kruise/kube';
import { canonicalJson, instant, type Instant } from '@kruise/objects';
import { podMatcherOf, type PodMatcher } from '@kruise/kinds/sidecarset';

export interface KnownSidecarSet {
  readonly set: SidecarSet;
  readonly matcher: PodMatcher;
  readonly since: Instant;
}

const selection = ({ spec }: SidecarSet): string =>
  canonicalJson([spec.selector, spec.namespaceSelector, spec.injectionStrategy?.paused === true]);

export class KnownSidecarSets {
  /** Until the SidecarSet is deleted. */
  readonly #known = new Map<string, KnownSidecarSet>();
  readonly #now: () => Instant;

  constructor(now: () => Instant) {
    this.#now = now;
  }

  take(event: StoreEvent<SidecarSet>): void {
    const { name } = event.object.metadata;
    if (event.kind === 'Deleted') {
      this.#known.delete(name);
      return;
    }
    const before = this.#known.get(name);
    const isSame =
      before !== undefined && before.set.metadata.uid === event.object.metadata.uid && selection(before.set) === selection(event.object);
    const since = isSame ? before.since : this.#firstSelectingAt(event);
    this.#known.set(name, { set: event.object, matcher: podMatcherOf(event.object), since });
  }

  /** One that was never changed selects since it was created; of others that is not known. */
  #firstSelectingAt({ kind, object: { metadata } }: StoreEvent<SidecarSet>): Instant {
    const created = Date.parse(metadata.creationTimestamp ?? '');
    const isUnchanged = kind === 'Added' && metadata.generation === 1 && Number.isFinite(created);
    return isUnchanged ? instant(created) : this.#now();
  }

  /** Those whose injection is on, by name. */
  injecting(): readonly KnownSidecarSet[] {
    const on = [...this.#known.values()].filter(({ set }) => set.spec.injectionStrategy?.paused !== true);
    return on.sort((a, b) => (a.set.metadata.name < b.set.metadata.name ? -1 : 1));
  }
}
