/**
 * Who is next of those that wait, in turns of the owners on whose behalf they do: each owner that waits has its line, and the owners are served in
 * rounds, one of each line. However many one of them lets wait, the first in the line of another is served within one round. Pure.
 *
 * An owner comes into the round behind all others, and leaves it with the last in its line.
 */

/** @typeParam W tells those that wait apart */
export class Turns<W> {
  /** Each line by its owner, in the order of their turns. */
  readonly #lines = new Map<string, Set<W>>();
  readonly #owners = new Map<W, readonly string[]>();

  get size(): number {
    return this.#owners.size;
  }

  /**
   * Puts `who` at the end of the line of each of its owners: it is served in the turn that comes first.
   *
   * @param owners when there are none, it stands with all others of nobody
   */
  add(who: W, owners: readonly string[]): void {
    this.delete(who);
    const lines = owners.length === 0 ? [''] : owners;
    this.#owners.set(who, lines);
    for (const owner of lines) this.#lines.set(owner, (this.#lines.get(owner) ?? new Set()).add(who));
  }

  /** Takes `who` out of all lines. */
  delete(who: W): void {
    for (const owner of this.#owners.get(who) ?? []) {
      const line = this.#lines.get(owner);
      line?.delete(who);
      if (line?.size === 0) this.#lines.delete(owner);
    }
    this.#owners.delete(who);
  }

  /** Takes out the one whose turn it is; undefined when nobody waits. */
  next(): W | undefined {
    for (const [owner, line] of this.#lines)
      for (const who of line) {
        this.delete(who);
        // Behind the others.
        if (this.#lines.delete(owner)) this.#lines.set(owner, line);
        return who;
      }
    return undefined;
  }
}
