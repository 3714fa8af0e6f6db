/** What one pass over a node looks at: plain data, read once. */
import type { NodeImage } from '@kruise/api';
import type { Instant, Milliseconds, Node } from '@kruise/objects';

export interface Snapshot {
  /** Of the Node and of the NodeImage. */
  readonly name: string;
  readonly node: Node | undefined;
  readonly nodeImage: NodeImage | undefined;
  /** UIDs of owners of tags that are known to be gone; an owner that could not be looked up is not among them. */
  readonly deletedOwners: ReadonlySet<string>;
  /** UIDs of owners of tags that still work on their nodes: their tasks stay. */
  readonly runningOwners: ReadonlySet<string>;
  /** `<namespace>/<name>` of pull secrets, shared copies included, that are known to be gone. */
  readonly deletedSecrets: ReadonlySet<string>;
}

export interface Context {
  readonly now: Instant;
  /** How long a Node must have been ready before it gets a NodeImage: `--nodeimage-creation-delay`. */
  readonly creationDelay: Milliseconds;
}
