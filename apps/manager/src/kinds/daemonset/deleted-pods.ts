/**
 * Which Pod was the last one deleted from a node. Names of new Pods follow from what exists. Without this record, a node could get a Pod with a
 * name that was just freed, and a client that waits for the old Pod to be deleted would wait indefinitely.
 *
 * In memory only: after a restart a name may be used twice, which is harmless.
 */
import { daemonSets, type DaemonSet } from '@kruise/api';
import type { StoreEvent, StoreReader } from '@kruise/kube';
import { controllerOf, refersToKind, type Node, type Pod } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';

interface Owners {
  readonly sets: StoreReader<DaemonSet>;
  readonly nodes: StoreReader<Node>;
}

/** The last of each node, for all DaemonSets. */
export class DeletedPods {
  readonly #last = new Map<string, Map<string, string>>();

  /** @returns its uid, '' if no deletion was seen */
  lastFrom(setUid: string, node: string): string {
    return this.#last.get(setUid)?.get(node) ?? '';
  }

  /** Only of a DaemonSet and a node that exist: Pods may be deleted after either of them, and no event would remove the entry. */
  note({ kind, object }: StoreEvent<Pod>, { sets, nodes }: Owners): void {
    const owner = kind === 'Deleted' ? controllerOf(object) : undefined;
    const node = owner !== undefined && refersToKind(owner, daemonSets) ? nodeOf(object) : undefined;
    if (owner === undefined || node === undefined) return;
    const { namespace = '', uid = '' } = object.metadata;
    if (sets.get({ namespace, name: owner.name })?.metadata.uid !== owner.uid || nodes.get({ namespace: '', name: node }) === undefined)
      return;
    const last = this.#last.get(owner.uid) ?? new Map<string, string>();
    this.#last.set(owner.uid, last.set(node, uid));
  }

  forget(setUid: string): void {
    this.#last.delete(setUid);
  }

  forgetNode(node: string): void {
    for (const [setUid, last] of this.#last) if (last.delete(node) && last.size === 0) this.#last.delete(setUid);
  }
}
