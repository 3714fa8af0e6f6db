/** `/metrics` as pieces of text, so that the output of a large cluster never exists as a whole. @see spec/kruise-state-metrics.md 2 */
import type { Family } from '../families/family.ts';
import { headerOf } from '../families/render.ts';
import type { ObjectText } from './object-text.ts';

/** A kind as it is written. */
export interface ShownKind {
  readonly families: readonly Family[];
  /** What is known of the objects now. */
  readonly objects: () => Iterable<ObjectText>;
}

/** Characters after which a piece ends. */
const pieceLength = 1 << 16;

/** The texts of each family one after the other, its header first. */
function* texts(kinds: readonly ShownKind[]): Generator<string, void, void> {
  for (const { families, objects } of kinds) {
    const seen = [...objects()];
    for (const [at, family] of families.entries()) {
      yield headerOf(family);
      for (const object of seen) yield object.texts[at] ?? '';
    }
  }
}

/**
 * Headers and samples, family by family. All families of a kind show the same objects in the same states; those of the next kind may be newer.
 */
export function* exposition(kinds: readonly ShownKind[]): Generator<string, void, void> {
  let parts: string[] = [];
  let length = 0;
  for (const text of texts(kinds)) {
    parts.push(text);
    length += text.length;
    if (length < pieceLength) continue;
    yield parts.join('');
    parts = [];
    length = 0;
  }
  if (length > 0) yield parts.join('');
}
