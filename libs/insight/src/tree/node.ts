/** What a tree consists of. Nothing in it is drawn: a terminal, a page and `-o json` show the same nodes. */

/** `Good`: as it should be. `Busy`: changing, or held by a setting. `Faulty`: something prevents progress. `Done`: ended, nothing to do. */
export type Health = 'Good' | 'Busy' | 'Faulty' | 'Done';

/** One thing to know about an object. `text` is complete without the name. */
export interface Fact {
  readonly name: string;
  readonly text: string;
}

/** An object, a container, a subset, or several of one kind that are alike. */
export interface TreeNode {
  readonly kind: string;
  /** Of several, the names of the first ones. */
  readonly name: string;
  readonly health: Health;
  /** One or a few words, '' when there is nothing to say. */
  readonly state: string;
  readonly facts: readonly Fact[];
  readonly children: readonly TreeNode[];
  /** How many objects the node represents; 1 when absent. */
  readonly count?: number;
}

/** Returns the facts that have a text, in order. */
export const factsOf = (entries: readonly (readonly [name: string, text: string | undefined])[]): readonly Fact[] =>
  entries.flatMap(([name, text]) => (text === undefined || text === '' ? [] : [{ name, text }]));

/** Returns how many lines the tree has when each node is one line. */
export const linesOf = (node: TreeNode): number => node.children.reduce((sum, child) => sum + linesOf(child), 1);

const worstFirst: readonly Health[] = ['Faulty', 'Busy', 'Good', 'Done'];

/** Returns the worst of the states; `Good` without any. */
export const worstOf = (all: readonly Health[]): Health => worstFirst.find((health) => all.includes(health)) ?? 'Good';

/** Returns `1 Pod`, `2 Pods`. */
export const podsText = (count: number): string => `${count} ${count === 1 ? 'Pod' : 'Pods'}`;
