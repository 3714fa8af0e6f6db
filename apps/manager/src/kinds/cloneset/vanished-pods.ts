/**
 * Which Pod of each CloneSet went last. Names of new Pods follow from what exists, so that without this a CloneSet that is back at the Pods it
 * had before would give a name that is just free again: whoever waits for the old Pod to go would never see it gone.
 *
 * In memory only: after a restart a name may come twice, which harms nothing. An entry leaves with its CloneSet.
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

  /** @returns '' when none was seen to go */
  lastOf(cloneSetUid: string): string {
    return this.#last.get(cloneSetUid) ?? '';
  }

  /** Watches that wake nobody. */
  watches(pods: Informer<Pod>): readonly Watch[] {
    return [
      onEvent(pods, (event) => this.#note(event)),
      onEvent(this.#cloneSets, ({ kind, object }) => {
        if (kind === 'Deleted') this.#last.delete(object.metadata.uid ?? '');
      }),
    ];
  }

  /** Only of a CloneSet that is there: its Pods may go after it, and nobody would take the entry away. */
  #note({ kind, object: { metadata } }: StoreEvent<Pod>): void {
    const owner = kind === 'Deleted' ? controllerOf({ metadata }) : undefined;
    if (owner === undefined || !refersToKind(owner, cloneSets)) return;
    const cloneSet = this.#cloneSets.store.get({ namespace: metadata.namespace ?? '', name: owner.name });
    if (cloneSet?.metadata.uid === owner.uid) this.#last.set(owner.uid, metadata.uid ?? '');
  }
}
