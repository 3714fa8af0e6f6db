/** The nodes of Pods, kept from one tree to the next: in a tree that is followed, an event changes one Pod. */
import type { Pod } from '@kruise/objects';
import { Seen, type AnyObject, type Snapshot } from '../seen.ts';
import type { TreeNode } from './node.ts';
import { podNode } from './pod-node.ts';

/** The kinds whose objects the node of a Pod shows, apart from the Pod itself. */
const shownKinds = ['apps.kruise.io/PodProbeMarker', 'apps.kruise.io/NodeImage'];

const isSameList = (a: readonly AnyObject[], b: readonly AnyObject[]): boolean =>
  a.length === b.length && a.every((object, index) => object === b[index]);

/** Keeps the nodes of Pods between trees. @remarks An object must be replaced when it changes, never written to. */
export class PodNodes {
  /** An entry ends with its Pod. */
  #nodes = new WeakMap<Pod, TreeNode>();
  #shown: readonly AnyObject[] = [];

  /** Forgets all nodes if an object of another kind that they show has changed. */
  refresh(seen: Seen): void {
    const shown = shownKinds.flatMap((kind) => seen.all(kind));
    if (isSameList(shown, this.#shown)) return;
    this.#shown = shown;
    this.#nodes = new WeakMap();
  }

  /** Returns the node of a Pod, computed only if the Pod has changed. */
  of(pod: Pod, seen: Seen): TreeNode {
    const known = this.#nodes.get(pod);
    if (known !== undefined) return known;
    const node = podNode(pod, seen);
    this.#nodes.set(pod, node);
    return node;
  }
}

/** A snapshot of which a tree is made. */
export class SeenTree extends Seen {
  readonly #podNodes: PodNodes;

  constructor(snapshot: Snapshot, podNodes: PodNodes) {
    super(snapshot);
    this.#podNodes = podNodes;
    podNodes.refresh(this);
  }

  /** Returns the node of a Pod with its containers. */
  podNode(pod: Pod): TreeNode {
    return this.#podNodes.of(pod, this);
  }
}
