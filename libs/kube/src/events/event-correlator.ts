import type { Clock } from '../clock.ts';
import { TokenBucket } from '../workqueue/rate-limiter.ts';
import { fittingMessage, type CoreEvent } from './core-event.ts';
import { LruMap } from './lru-map.ts';

/** The rules by which events are compared, joined and limited. The defaults are those of all Kubernetes components. */
export interface CorrelatorLimits {
  /** Entries of each of the three caches; the least recently used one is removed. Default 4096. */
  readonly remembered?: number;
  /** From this many different messages on, events that differ only in the message become one. Default 10. */
  readonly similarEvents?: number;
  /** Messages older than this many seconds no longer count as similar. Default 600. */
  readonly similarSeconds?: number;
  /** Burst of events of one source about one object. Default 25. */
  readonly burst?: number;
  /** Seconds for each further event. Default 300. */
  readonly secondsPerEvent?: number;
}

/** The action for an event. */
export type Correlated =
  | { readonly kind: 'Create'; readonly event: CoreEvent }
  /** The event exists already: its count increases. `event` is the result, in case the stored one no longer exists. */
  | { readonly kind: 'CountUp'; readonly event: CoreEvent }
  /** Too many about this object. */
  | { readonly kind: 'Drop' };

interface Similar {
  messages: Set<string>;
  lastAt: number;
}

interface Counted {
  readonly name: string;
  readonly firstTimestamp: string;
  readonly count: number;
}

const aggregatePrefix = '(combined from similar events): ';

const join = (...parts: readonly (string | undefined)[]): string => parts.map((part) => part ?? '').join('\u0000');

function spamKey({ source, involvedObject: about }: CoreEvent): string {
  return join(source.component, source.host, about.kind, about.namespace, about.name, about.uid, about.apiVersion);
}

const similarKey = (event: CoreEvent): string =>
  join(spamKey(event), event.type, event.reason, event.reportingComponent, event.reportingInstance);
const identityKey = (event: CoreEvent): string => join(similarKey(event), event.involvedObject.fieldPath, event.message);

/**
 * Reduces the number of events. Events that differ only in time increase a count. Of events that differ only in the message, the tenth within ten
 * minutes and all that follow become one. Of one source about one object, 25 events pass, then one in five minutes.
 * @see spec/manager.md 3.5
 */
export class EventCorrelator {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #limits: Required<CorrelatorLimits>;
  readonly #similar: LruMap<string, Similar>;
  readonly #counted: LruMap<string, Counted>;
  readonly #buckets: LruMap<string, TokenBucket>;

  constructor(clock: Pick<Clock, 'monotonic'>, limits: CorrelatorLimits = {}) {
    this.#clock = clock;
    this.#limits = { remembered: 4096, similarEvents: 10, similarSeconds: 600, burst: 25, secondsPerEvent: 300, ...limits };
    this.#similar = new LruMap(this.#limits.remembered);
    this.#counted = new LruMap(this.#limits.remembered);
    this.#buckets = new LruMap(this.#limits.remembered);
  }

  correlate(event: CoreEvent): Correlated {
    const { event: joined, key } = this.#aggregate(event);
    const before = this.#counted.get(key);
    const counted =
      before === undefined
        ? joined
        : {
            ...joined,
            metadata: { ...joined.metadata, name: before.name },
            firstTimestamp: before.firstTimestamp,
            count: before.count + 1,
          };
    this.#counted.set(key, { name: counted.metadata.name, firstTimestamp: counted.firstTimestamp, count: counted.count });
    if (!this.#mayPass(counted)) return { kind: 'Drop' };
    return { kind: before === undefined ? 'Create' : 'CountUp', event: counted };
  }

  #aggregate(event: CoreEvent): { readonly event: CoreEvent; readonly key: string } {
    const now = this.#clock.monotonic();
    const key = similarKey(event);
    const held = this.#similar.get(key);
    const similar =
      held === undefined || now - held.lastAt > this.#limits.similarSeconds * 1000 ? { messages: new Set<string>(), lastAt: now } : held;
    similar.messages.add(event.message);
    similar.lastAt = now;
    this.#similar.set(key, similar);
    if (similar.messages.size < this.#limits.similarEvents) return { event, key: identityKey(event) };
    // The number of messages stays the same: the oldest one is removed.
    const [oldest] = similar.messages;
    similar.messages.delete(oldest as string);
    return { event: { ...event, message: fittingMessage(aggregatePrefix + event.message) }, key };
  }

  #mayPass(event: CoreEvent): boolean {
    const key = spamKey(event);
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.#clock, 1 / this.#limits.secondsPerEvent, this.#limits.burst);
    this.#buckets.set(key, bucket);
    return bucket.tryTake();
  }
}
