/**
 * Which Pod of each CloneSet was deleted last. Names of new Pods follow from what exists. Without this record, a CloneSet that has the same
 * Pods as before could reuse a name that was just freed, and a client that waits for the old Pod to be deleted would wait indefinitely.
 *
 * In memory only: after a restart a name may be used twice, which is harmless. An entry is removed with its CloneSet.
 */
import { cloneSets, type CloneSet } from '@kruise/api';
import { onEvent, type Informer, type StoreEvent, type Watch } from '@kruise/kube';
import { controllerOf, refersToKind, type Pod } from '@kruise/objects';

export class VanishedPods {
  readonly #cloneSets: Informer<CloneSet>;
  readonly #last = new Map<string, string>();

  constructor(source: Informer<CloneSet>) {
    this.#cloneSets = source;
  }

  /** @returns '' if no deletion was seen */
  lastOf(cloneSetUid: string): string {
    return this.#last.get(cloneSetUid) ?? '';
  }

  /** Watches that enqueue no key. */
  watches(pods: Informer<Pod>): readonly Watch[] {
    return [
      onEvent(pods, (event) => this.#note(event)),
      onEvent(this.#cloneSets, ({ kind, object }) => {
        if (kind === 'Deleted') this.#last.delete(object.metadata.uid ?? '');
      }),
    ];
  }

  /** Only for a CloneSet that exists: its Pods may be deleted after it, and no event would then remove the entry. */
  #note({ kind, object: { metadata } }: StoreEvent<Pod>): void {
    const owner = kind === 'Deleted' ? controllerOf({ metadata }) : undefined;
    if (owner === undefined || !refersToKind(owner, cloneSets)) return;
    const cloneSet = this.#cloneSets.store.get({ namespace: metadata.namespace ?? '', name: owner.name });
    if (cloneSet?.metadata.uid === owner.uid) this.#last.set(owner.uid, metadata.uid ?? '');
  }
}
