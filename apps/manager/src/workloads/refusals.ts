/**
 * Which parts of a workload (nodes, Pods) the API server has refused a write for, and when. What was refused goes behind the others in the next pass:
 * a part that is refused permanently costs one call a pass, and does not keep the parts after it from being tried.
 *
 * In memory only: after a restart the first pass finds out again.
 */
import { isFailure, isRefusal } from '@kruise/kube';
import { messageOf, type Instant, type Milliseconds } from '@kruise/objects';
import { refusalReason } from '@kruise/workloads';

/** The parts of one workload that were refused lately. */
export interface RefusedParts {
  /** When the part was refused last; undefined when it was not, or has been accepted since. */
  readonly since: (part: string) => Instant | undefined;
  readonly size: number;
}

export const nothingRefused: RefusedParts = { since: () => undefined, size: 0 };

/** In their order, but those that were refused come last, the one first whose refusal is the longest ago. */
export function refusedLast<T>(items: readonly T[], partOf: (item: T) => string, refused: RefusedParts): readonly T[] {
  if (refused.size === 0) return items;
  const sinceOf = (item: T): number => refused.since(partOf(item)) ?? Number.NEGATIVE_INFINITY;
  return items.toSorted((a, b) => (sinceOf(a) === sinceOf(b) ? 0 : sinceOf(a) - sinceOf(b)));
}

/** A part that was not refused for so long is one like any other. */
const forgottenAfter = 30 * 60_000;

/** How soon the others are tried after a refusal that says nothing about them. */
export const othersAfter = 1000 as Milliseconds;

/** No answer about the part: another writer was first, or the API server could not be reached. */
const isNoAnswer = (error: unknown): boolean => isFailure(error, 'Conflict', 'NotFound', 'Unreachable', 'Aborted');

/** A policy may refuse one Pod of many; a quota, a webhook that fails and a server that is busy would refuse the others as well. */
const concernsOne = (error: unknown): boolean => isRefusal(error) && refusalReason(messageOf(error)) !== 'QuotaExceeded';

/** One pass over one workload. */
export interface RefusalPass {
  /** Does what is to be done for a part, and remembers what came of it. */
  readonly watch: <T>(part: string, work: () => Promise<T>) => Promise<T>;
  /** Whether a part was refused that had not been refused before, for a reason that says nothing about the others. */
  readonly foundNew: () => boolean;
}

/** The refusals of all workloads of a kind, by the workload's uid. */
export class Refusals {
  readonly #parts = new Map<string, Map<string, Instant>>();

  of(uid: string, now: Instant): RefusedParts {
    const parts = this.#parts.get(uid);
    if (parts === undefined) return nothingRefused;
    for (const [part, since] of parts) if (now - since > forgottenAfter) parts.delete(part);
    return { since: (part) => parts.get(part), size: parts.size };
  }

  pass(uid: string, now: Instant): RefusalPass {
    let foundNew = false;
    return {
      foundNew: () => foundNew,
      watch: async (part, work) => {
        try {
          const result = await work();
          this.#accept(uid, part);
          return result;
        } catch (error) {
          if (!isNoAnswer(error)) foundNew = this.#note(uid, part, now) && concernsOne(error) ? true : foundNew;
          throw error;
        }
      },
    };
  }

  forget(uid: string): void {
    this.#parts.delete(uid);
  }

  #accept(uid: string, part: string): void {
    const parts = this.#parts.get(uid);
    if (parts?.delete(part) === true && parts.size === 0) this.#parts.delete(uid);
  }

  /** @returns whether it had not been refused before */
  #note(uid: string, part: string, now: Instant): boolean {
    const parts = this.#parts.get(uid) ?? new Map<string, Instant>();
    this.#parts.set(uid, parts);
    const isNew = !parts.has(part);
    parts.set(part, now);
    return isNew;
  }
}
