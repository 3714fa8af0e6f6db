/** Bounds how many series clients can make by the names that they choose. */

export interface SeriesLimits {
  /** Of all holders together. */
  readonly all: number;
  readonly perHolder: number;
}

/** Series leave with the process, as those of a counter do. */
export class BoundedSeries {
  readonly #limits: SeriesLimits;
  readonly #known = new Set<string>();
  readonly #countByHolder = new Map<string, number>();

  constructor(limits: SeriesLimits) {
    this.#limits = limits;
  }

  /**
   * @param series equal for equal series
   * @param holder whose share it takes, such as a namespace
   * @returns whether it is known or may be begun
   */
  admits(series: string, holder: string): boolean {
    if (this.#known.has(series)) return true;
    const count = this.#countByHolder.get(holder) ?? 0;
    if (this.#known.size >= this.#limits.all || count >= this.#limits.perHolder) return false;
    this.#known.add(series);
    this.#countByHolder.set(holder, count + 1);
    return true;
  }
}
