/** Counts what the cases of a property cover: a property whose cases never reach the checked situation proves nothing. */
import { isQuick } from './search-size.ts';

/** Counts by name, for one property. */
export class Occurrences {
  readonly #times = new Map<string, number>();

  /**
   * Counts an occurrence.
   *
   * @param holds whether `what` occurred; counted only then
   * @returns `holds`, so that the same condition can guard an expectation
   */
  note(what: string, holds = true): boolean {
    this.#times.set(what, this.timesOf(what) + (holds ? 1 : 0));
    return holds;
  }

  timesOf(what: string): number {
    return this.#times.get(what) ?? 0;
  }

  /**
   * Checks the counts at the end of the property. The quick run has too few cases to compare: there it checks nothing.
   *
   * @param least by name; well below the usual counts of random cases, so that no seed falls below it
   * @throws naming all that occurred less often, or that were never counted
   */
  expectAtLeast(least: Readonly<Record<string, number>>, env: Readonly<Record<string, string | undefined>> = process.env): void {
    if (isQuick(env)) return;
    const seldom = Object.entries(least).filter(([what, times]) => this.timesOf(what) < times);
    if (seldom.length === 0) return;
    const list = seldom.map(([what, times]) => `"${what}" ${this.timesOf(what)} of at least ${times} times`);
    throw new Error(`the cases do not come to what the property is about: ${list.join(', ')}`);
  }
}
