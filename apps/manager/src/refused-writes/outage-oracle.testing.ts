/**
 * Counts from the Pods alone how many instances a controller has taken out of service. In a fixture whose kubelets always succeed, every available
 * instance that is lost was lost to the controller.
 */

/** What a workload's specification allows at one moment. */
export interface Demand {
  /** How many instances must run. */
  readonly wanted: number;
  /** How many of them may be unavailable. */
  readonly budget: number;
  /** Which instances must run, where others may take their place. */
  readonly of?: string;
}

const isAnother = (demand: Demand, other: Demand): boolean =>
  demand.budget !== other.budget || demand.wanted !== other.wanted || demand.of !== other.of;

export class OutageOracle {
  /** As many instances as were available before the controller took any of them out of service. */
  #serving = 0;
  /** Instances that were out of service when the specification allowed more of them. */
  #inherited = 0;
  #demand: Demand | undefined;

  /**
   * @param available instances that are available now
   * @returns how many more than allowed are out of service because of the controller; 0 when all is well
   */
  look(demand: Demand, available: number): number {
    if (this.#demand !== undefined && isAnother(demand, this.#demand)) {
      this.#serving = Math.min(this.#serving, demand.wanted);
      this.#inherited = this.#serving - available;
    }
    this.#demand = demand;
    this.#serving = Math.min(Math.max(this.#serving, available), demand.wanted);
    const out = Math.max(this.#serving - available, 0);
    this.#inherited = Math.min(this.#inherited, out);
    return Math.max(out - Math.max(demand.budget, this.#inherited), 0);
  }
}
