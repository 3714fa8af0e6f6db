/** From what a rollout does to Pods, in its order, to batches as people see them. */
import type { Batch, BatchEnd } from './change-plan.ts';
import type { Act } from './run/simulated-pods.ts';
import type { Round } from './run/workload-run.ts';

/** A batch, without what ends it. */
export type OpenBatch = Omit<Batch, 'endedBy'>;

/** What a batch did, without what it means. */
interface RawBatch {
  readonly inPlace: readonly string[];
  /** Deletions, in their order. */
  readonly deletions: readonly Act[];
  /** Number of Pods that were created and replace none that was deleted before. */
  readonly created: number;
  /** The last round of the batch. */
  readonly round: Round;
}

interface Growing {
  readonly inPlace: Set<string>;
  readonly deletions: Act[];
  created: number;
  round: Round;
}

/** How many Pods each place gains in the whole rollout. */
function growthOf(rounds: readonly Round[]): Map<string, number> {
  const growth = new Map<string, number>();
  for (const { kind, place = '' } of rounds.flatMap(({ acts }) => acts))
    if (kind !== 'InPlace') growth.set(place, (growth.get(place) ?? 0) + (kind === 'Create' ? 1 : -1));
  return growth;
}

/** Distinguishes replacements from Pods that come first or are new. */
class Places {
  /** Deletions that wait for a replacement less than 0, creations before the deletion more than 0. */
  readonly #balance = new Map<string, number>();
  /** New Pods are created first. */
  readonly #growth: Map<string, number>;

  constructor(rounds: readonly Round[]) {
    this.#growth = growthOf(rounds);
  }

  /** Notes a deletion or creation. @returns whether a Pod is created that replaces none which was deleted before */
  note({ kind, place = '' }: Act): boolean {
    const growth = this.#growth.get(place) ?? 0;
    if (kind === 'Create' && growth > 0) {
      this.#growth.set(place, growth - 1);
      return true;
    }
    const before = this.#balance.get(place) ?? 0;
    this.#balance.set(place, before + (kind === 'Create' ? 1 : -1));
    return kind === 'Create' && before >= 0;
  }
}

/** Joins rounds that only replace Pods which were deleted before: they belong to the batch of the deletion. */
function joined(rounds: readonly Round[]): readonly RawBatch[] {
  const batches: Growing[] = [];
  const places = new Places(rounds);
  for (const round of rounds) {
    const ahead = round.acts.filter(({ kind }) => kind !== 'InPlace').filter((act) => places.note(act)).length;
    const isReplacement = ahead === 0 && round.acts.every(({ kind }) => kind === 'Create');
    const last = batches.at(-1);
    const batch = last !== undefined && isReplacement ? last : { inPlace: new Set<string>(), deletions: [], created: 0, round };
    if (batch !== last) batches.push(batch);
    batch.created += ahead;
    batch.round = round;
    for (const act of round.acts) {
      if (act.kind === 'InPlace') batch.inPlace.add(act.pod);
      if (act.kind === 'Delete') batch.deletions.push(act);
    }
  }
  return batches.map((batch) => ({ ...batch, inPlace: [...batch.inPlace] }));
}

/** Returns the deletions without a successor: of equal places the first ones, as a workload is scaled in before it is updated. */
function withoutSuccessor(batches: readonly RawBatch[], rounds: readonly Round[]): ReadonlySet<Act> {
  const left = new Map<string, number>();
  for (const { place = '' } of batches.flatMap(({ deletions }) => deletions)) left.set(place, (left.get(place) ?? 0) + 1);
  for (const { kind, place = '' } of rounds.flatMap(({ acts }) => acts))
    if (kind === 'Create') left.set(place, Math.max(0, (left.get(place) ?? 0) - 1));
  return new Set(
    batches.flatMap(({ deletions }) =>
      deletions.filter(({ place = '' }) => {
        const open = left.get(place) ?? 0;
        left.set(place, open - 1);
        return open > 0;
      }),
    ),
  );
}

/** Returns the batches of a rollout. @param endOf what ends a batch, of which `round` is the last one */
export function batchesOf(
  rounds: readonly Round[],
  endOf: (batch: OpenBatch, round: Round, isLast: boolean) => BatchEnd,
): readonly Batch[] {
  const raw = joined(rounds);
  const deleted = withoutSuccessor(raw, rounds);
  return raw.map(({ inPlace, deletions, created, round }, index) => {
    const [gone, replaced] = [deletions.filter((act) => deleted.has(act)), deletions.filter((act) => !deleted.has(act))];
    const batch = { inPlace, recreated: replaced.map(({ pod }) => pod), deleted: gone.map(({ pod }) => pod), created };
    return { ...batch, endedBy: endOf(batch, round, index === raw.length - 1) };
  });
}
