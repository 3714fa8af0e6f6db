/**
 * Tells what the webhooks have to be asked about, each time it has changed: more at once, less only after it stayed less for a moment, so that
 * replicas whose caches are not equally far do not narrow and widen in turns.
 */
import type { HandlerNeeds, Narrowing } from '@kruise/admission';
import type { Clock } from '@kruise/kube';
import { canonicalJson, milliseconds } from '@kruise/objects';

/** Changes that come together are taken together. */
const settleMs = milliseconds(10);
const narrowAfterMs = milliseconds(300);
const readyPollMs = milliseconds(50);

const isSame = (a: Narrowing, b: Narrowing): boolean => canonicalJson(a) === canonicalJson(b);

/** What either needs. */
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
  readonly #tell: (narrowing: Narrowing) => void;
  #told: Narrowing | undefined;
  #isLooking = false;
  readonly #ended: AbortSignal | undefined;
  #narrowing: { cancel(): void } | undefined;

  /**
   * @param tell is called with what is new only
   * @param ended nothing is said any more once it aborts; never when absent
   */
  constructor(sources: readonly HandlerNeeds[], clock: Clock, tell: (narrowing: Narrowing) => void, ended?: AbortSignal) {
    this.#ended = ended;
    this.#sources = sources;
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Says nothing before the caches are filled that are read here, whatever becomes of others. */
  start(): void {
    if (this.#ended?.aborted === true) return;
    if (!this.#sources.every(({ isReady }) => isReady())) {
      this.#clock.schedule(readyPollMs, () => this.start());
      return;
    }
    this.#say(this.#current());
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
    if (this.#told === undefined || isSame(current, this.#told)) return;
    const widened = union(current, this.#told);
    if (!hasSameNeeds(widened, this.#told)) this.#say(widened);
    this.#narrowing = this.#clock.schedule(narrowAfterMs, () => this.#say(this.#current()));
  }

  #say(narrowing: Narrowing): void {
    if (this.#ended?.aborted === true || (this.#told !== undefined && isSame(narrowing, this.#told))) return;
    this.#told = narrowing;
    this.#tell(narrowing);
  }
}

/** One is what the other needs, and perhaps more: so equal numbers are equal needs. */
const hasSameNeeds = (a: Narrowing, b: Narrowing): boolean =>
  Object.entries(a).every(([webhook, { needs }]) => needs.length === b[webhook]?.needs.length);
