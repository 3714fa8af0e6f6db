/**
 * Which Pod of each CloneSet went last. Names of new Pods follow from what exists, so that without this a CloneSet that is back at the Pods it
 * had before would give a name that is just free again: whoever waits for the old Pod to go would never see it gone.
 *
 * In memory only: after a restart a name may come twice, which harms nothing. An entry leaves with its CloneSet.
 */
export class VanishedPods {
  readonly #last = new Map<string, string>();

  /** @param owner uid of a CloneSet that is there */
  note(owner: string, pod: string): void {
    this.#last.set(owner, pod);
  }

  forget(owner: string): void {
    this.#last.delete(owner);
  }

  /** @returns '' when none was seen to go */
  lastOf(owner: string): string {
    return this.#last.get(owner) ?? '';
  }

  get size(): number {
    return this.#last.size;
  }
}
