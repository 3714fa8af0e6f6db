/**
 * Decides which waiting caller is next, in turns of the owners that they wait for. Each owner has a line, and the owners are served in rounds, one of
 * each line. However many callers of one owner wait, the first in the line of another is served within one round. Pure.
 *
 * An owner joins the round behind all others, and leaves it with the last in its line.
 */

/** @typeParam W distinguishes the waiting callers */
export class Turns<W> {
  /** The lines by owner, in the order of their turns. */
  readonly #lines = new Map<string, Set<W>>();
  readonly #owners = new Map<W, readonly string[]>();

  get size(): number {
    return this.#owners.size;
  }

  /**
   * Adds `who` to the end of the line of each of its owners. It is served in the turn that comes first.
   *
   * @param owners when empty, it joins the common line of those without an owner
   */
  add(who: W, owners: readonly string[]): void {
    this.delete(who);
    const lines = owners.length === 0 ? [''] : owners;
    this.#owners.set(who, lines);
    for (const owner of lines) this.#lines.set(owner, (this.#lines.get(owner) ?? new Set()).add(who));
  }

  /** Removes `who` from all lines. */
  delete(who: W): void {
    for (const owner of this.#owners.get(who) ?? []) {
      const line = this.#lines.get(owner);
      line?.delete(who);
      if (line?.size === 0) this.#lines.delete(owner);
    }
    this.#owners.delete(who);
  }

  /** Removes and returns the next one; undefined when none waits. */
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
