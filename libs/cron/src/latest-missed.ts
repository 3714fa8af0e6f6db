/** Finds the latest time at which a schedule should have run, however long ago it was last checked. */
import { instant, type Instant } from '@kruise/objects';
import { nextTime, wholeSecond } from './next-time.ts';
import type { EverySchedule, FieldSchedule, Schedule } from './schedule.ts';
import type { Zone } from './zone.ts';

/** The latest time that was missed. */
export interface LatestMissed {
  /** Undefined when nothing was missed. */
  readonly time: Instant | undefined;
  /** Whether more than 100 times were missed. */
  readonly tooMany: boolean;
}

const most = 100;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Shorter than the time after which `nextTime` gives up: runs within it are reached step by step from its beginning. */
const spanMs = 4 * 365 * dayMs;

/**
 * Returns the last of the times that follow one another from `earliest` until `now`, each the `nextTime` of the previous one. Not all of them are
 * visited: years take a fraction of a millisecond, however many times there are in them. Only a schedule that runs each minute, in the days after
 * clocks were shifted by a part of an hour, takes some milliseconds.
 *
 * @param earliest the last time at which it ran, which does not count
 * @see spec/advancedcronjob.md 5.3, 5.4
 */
export function latestMissed(schedule: Schedule, earliest: Instant, now: Instant, zone: Zone): LatestMissed {
  if (schedule.kind === 'Every') return latestOfEvery(schedule, earliest, now);
  const times = new Times(schedule, zone);
  let time: Instant | undefined;
  for (let count = 0; count <= most; count++) {
    const following = times.after(time ?? earliest, now);
    if (following === undefined) return { time, tooMany: false };
    time = following;
  }
  return { time: time && times.last(time, now), tooMany: true };
}

function latestOfEvery({ period }: EverySchedule, earliest: Instant, now: Instant): LatestMissed {
  const start = wholeSecond(earliest);
  const count = Math.floor((now - start) / period);
  return { time: count > 0 ? instant(start + count * period) : undefined, tooMany: count > most };
}

/** The times of a schedule, each of which follows from the previous one. */
class Times {
  readonly #schedule: FieldSchedule;
  readonly #zone: Zone;

  constructor(schedule: FieldSchedule, zone: Zone) {
    this.#schedule = schedule;
    this.#zone = zone;
  }

  /** Returns the next time, undefined when there is none up to `until`. */
  after(at: Instant, until: Instant): Instant | undefined {
    const following = nextTime(this.#schedule, at, this.#zone);
    return following !== undefined && following <= until ? following : undefined;
  }

  /** Returns the last time up to `until` of those that follow `from`, which is one of them. */
  last(from: Instant, until: Instant): Instant {
    let at = from;
    while (at + spanMs < until) {
      const last = this.#lastWithin(at, instant(at + spanMs));
      const following = last > at ? last : this.after(at, until);
      if (following === undefined) return at;
      at = following;
    }
    return this.#lastWithin(at, until);
  }

  /** Returns the same as `last`, for a span that is not too long. */
  #lastWithin(from: Instant, until: Instant): Instant {
    const found = this.#bisect(from, until);
    const doubtMs = this.#doubtAround(found);
    if (found === from || doubtMs === 0) return found;
    const certain = instant(found - doubtMs);
    let last = certain > from ? this.#lastWithin(from, certain) : from;
    for (let at = this.after(last, until); at !== undefined; at = this.after(at, until)) last = at;
    return last;
  }

  /** Returns a time after which no other comes. It follows `from` unless it is doubtful. */
  #bisect(from: Instant, until: Instant): Instant {
    let last = from;
    let none: number = until;
    for (let following = this.after(last, until); following !== undefined; following = this.after(last, until)) {
      last = following;
      const middle = instant(Math.floor((last + Math.max(last, none)) / 2));
      const later = this.after(middle, until);
      if (later === undefined) none = middle;
      else last = instant(Math.max(last, later));
    }
    return last;
  }

  /**
   * Determines where `nextTime` may skip a time that it finds when it starts closer to it: around midnights that occur twice, and in the days after a
   * shift by a part of an hour.
   *
   * @returns for how many milliseconds before it steps must be followed one by one; 0 for a time that is never skipped
   */
  #doubtAround(at: Instant): number {
    const shift = (before: number, after: number): number =>
      this.#zone.offsetAt(instant(at + after)) - this.#zone.offsetAt(instant(at - before));
    if (shift(4 * dayMs, dayMs / 2) % hourMs !== 0) return 4 * dayMs;
    return shift(dayMs / 2, dayMs / 2) === 0 ? 0 : dayMs / 2;
  }
}
