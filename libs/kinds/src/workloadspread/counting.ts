/** Counts several Pods, one after the other, on one version of a status. Pure. @see spec/workloadspread.md 4.3, 4.5 */
import type { WorkloadSpread, WorkloadSpreadStatus, WorkloadSpreadSubsetStatus } from '@kruise/api';
import type { Instant } from '@kruise/objects';
import { isBeingCreated, initialStates, placePod, releasePod, widened } from './injection/choose-subset.ts';
import { limitOf, usesPercent } from './subsets/replicas.ts';

type States = readonly WorkloadSpreadSubsetStatus[];
type Subset = WorkloadSpread['spec']['subsets'][number];

/** A creation or deletion of a Pod, of one version of the workload. */
export type Asked =
  /** `again` is the id under which a Pod without a name is already counted, if it is; the id counts until its Pod is seen. */
  | { readonly kind: 'Place'; readonly id: string; readonly again?: string | undefined; readonly version: string }
  | { readonly kind: 'Release'; readonly pod: string; readonly subset: string; readonly version: string };

export type Answer =
  /** `id` is what the Pod is counted under. */
  | { readonly kind: 'Placed'; readonly spread: WorkloadSpread; readonly subset: Subset; readonly id: string }
  | { readonly kind: 'NoRoom' }
  | { readonly kind: 'Released' }
  /** Nothing to count. */
  | { readonly kind: 'Nothing' }
  /** There is no such WorkloadSpread any more. */
  | { readonly kind: 'Gone' };

export class Counting {
  readonly #spread: WorkloadSpread;
  readonly #now: Instant;
  readonly #total: number | undefined;
  readonly #versions: Map<string, States>;
  #isChanged = false;

  /** @param total of the workload's Pods; undefined when it was not looked for */
  constructor(spread: WorkloadSpread, now: Instant, total: number | undefined) {
    this.#spread = spread;
    this.#now = now;
    this.#total = total;
    this.#versions = new Map(Object.entries(spread.status?.versionedSubsetStatuses ?? {}));
  }

  /** As it is after all that was counted; undefined when it is as before. */
  get status(): WorkloadSpreadStatus | undefined {
    return this.#isChanged ? { ...this.#spread.status, versionedSubsetStatuses: Object.fromEntries(this.#versions) } : undefined;
  }

  /** Whether percentages decide on one of them: of a version that is new, or in which no subset has room any more. */
  needsTotal(asked: readonly Asked[]): boolean {
    return asked.some((one) => (this.#versions.get(one.version) ?? []).length === 0 || this.count(one).kind === 'NoRoom');
  }

  count(asked: Asked): Answer {
    return asked.kind === 'Place' ? this.#place(asked) : this.#release(asked);
  }

  #place({ id: fresh, again, version }: Extract<Asked, { readonly kind: 'Place' }>): Answer {
    const states = this.#statesOf(version);
    const id = again !== undefined && isBeingCreated(states, again) ? again : fresh;
    const first = placePod(states, id, this.#now);
    const placing = first.kind === 'NoRoom' ? placePod(this.#widened(states), id, this.#now) : first;
    if (placing.kind === 'NoRoom') return placing;
    if (placing.kind === 'Taken') this.#keep(version, placing.states);
    const subset = this.#subset(placing.subset);
    return subset === undefined
      ? { kind: 'NoRoom' }
      : { kind: 'Placed', spread: this.#spread, subset, id: placing.kind === 'Open' ? (again ?? id) : id };
  }

  #release({ pod, subset, version }: Extract<Asked, { readonly kind: 'Release' }>): Answer {
    const known = this.#subset(subset);
    const limit =
      known === undefined || (typeof known.maxReplicas === 'string' && this.#total === undefined) ? undefined : this.#limitOf(known);
    const releasing = releasePod(this.#statesOf(version), { pod, subset, limit }, this.#now);
    if (releasing.kind === 'Nothing') return releasing;
    this.#keep(version, releasing.states);
    return { kind: 'Released' };
  }

  #subset(wanted: string): Subset | undefined {
    return this.#spread.spec.subsets.find(({ name }) => name === wanted);
  }

  #limitOf(subset: Subset): number {
    return limitOf(subset, this.#total);
  }

  /** In the order of the spec, in which subsets may be new. */
  #statesOf(version: string): States {
    const { subsets } = this.#spread.spec;
    const held = new Map((this.#versions.get(version) ?? []).map((state) => [state.name, state]));
    const fresh = initialStates(
      subsets,
      subsets.map((subset) => this.#limitOf(subset)),
    );
    return fresh.map((state) => held.get(state.name) ?? state);
  }

  #widened(states: States): States {
    if (!usesPercent(this.#spread)) return states;
    const { subsets } = this.#spread.spec;
    return widened(
      states,
      subsets,
      subsets.map((subset) => this.#limitOf(subset)),
    );
  }

  #keep(version: string, states: States): void {
    this.#isChanged = true;
    this.#versions.set(version, states);
  }
}
