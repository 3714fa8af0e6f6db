/**
 * Reports the needs that the webhooks must cover, each time they have changed: more immediately, less only after it stayed less for a moment, so that
 * replicas whose caches differ for a moment do not narrow and widen in turns.
 */
import type { HandlerNeeds, Narrowing } from '@kruise/admission';
import type { Clock } from '@kruise/kube';
import { canonicalJson, milliseconds } from '@kruise/objects';

/** Changes within this time are reported together. */
const settleMs = milliseconds(10);
const narrowAfterMs = milliseconds(300);
const readyPollMs = milliseconds(50);

const isSame = (a: Narrowing, b: Narrowing): boolean => canonicalJson(a) === canonicalJson(b);

/** Returns the needs of both. */
function union(current: Narrowing, former: Narrowing): Narrowing {
  const both = Object.entries(current).map(([webhook, narrowing]) => {
    const known = new Set(narrowing.needs.map((need) => canonicalJson(need)));
    const others = (former[webhook]?.needs ?? []).filter((need) => !known.has(canonicalJson(need)));
    return [webhook, { ...narrowing, needs: [...narrowing.needs, ...others] }] as const;
  });
  return Object.fromEntries(both);
}

export class NeedsFeed {
  readonly #sources: readonly HandlerNeeds[];
  readonly #clock: Clock;
  readonly #report: (narrowing: Narrowing) => void;
  #announced: Narrowing | undefined;
  #isLooking = false;
  readonly #ended: AbortSignal | undefined;
  #narrowing: { cancel(): void } | undefined;

  /**
   * Creates a feed.
   *
   * @param report is called only with needs that differ from the last ones
   * @param ended nothing is reported after it aborts
   */
  constructor(sources: readonly HandlerNeeds[], clock: Clock, report: (narrowing: Narrowing) => void, ended?: AbortSignal) {
    this.#ended = ended;
    this.#sources = sources;
    this.#clock = clock;
    this.#report = report;
  }

  /** Reports the needs once the caches that they are read from are filled. Other caches do not matter. */
  start(): void {
    if (this.#ended?.aborted === true) return;
    if (!this.#sources.every(({ isReady }) => isReady())) {
      this.#clock.schedule(readyPollMs, () => this.start());
      return;
    }
    this.#announce(this.#current());
    for (const { watch } of this.#sources) watch(() => this.#lookSoon());
  }

  #current(): Narrowing {
    return Object.fromEntries(this.#sources.map(({ webhook, current }) => [webhook, current()]));
  }

  #lookSoon(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#clock.schedule(settleMs, () => {
      this.#isLooking = false;
      this.#look();
    });
  }

  #look(): void {
    const current = this.#current();
    this.#narrowing?.cancel();
    this.#narrowing = undefined;
    if (this.#announced === undefined || isSame(current, this.#announced)) return;
    const widened = union(current, this.#announced);
    if (!hasSameNeeds(widened, this.#announced)) this.#announce(widened);
    this.#narrowing = this.#clock.schedule(narrowAfterMs, () => this.#announce(this.#current()));
  }

  #announce(narrowing: Narrowing): void {
    if (this.#ended?.aborted === true || (this.#announced !== undefined && isSame(narrowing, this.#announced))) return;
    this.#announced = narrowing;
    this.#report(narrowing);
  }
}

/** Compares needs of which the first contain the second: equal numbers mean equal needs. */
const hasSameNeeds = (a: Narrowing, b: Narrowing): boolean =>
  Object.entries(a).every(([webhook, { needs }]) => needs.length === b[webhook]?.needs.length);
