/** A point in time that only moves forward, and what the clocks of a zone show at it. */
import { instant, type Instant } from '@kruise/objects';
import { instantOf, type Zone } from './zone.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Moves by the steps of the specification. @see spec/advancedcronjob.md 5.4 */
export class WallCursor {
  readonly #zone: Zone;
  #at: Instant;
  #offset = 0;
  /** The date that clocks show, in days since the epoch. */
  #day = 0;
  /** The time of day that clocks show. */
  #timeMs = 0;
  #date: Date | undefined;
  /** After a step by a higher field minutes have been reset; a step by hours leaves them unchanged. */
  #keepsMinutes = false;

  constructor(at: Instant, zone: Zone) {
    this.#zone = zone;
    this.#at = at;
    this.#readClock();
  }

  get at(): Instant {
    return this.#at;
  }
  get year(): number {
    return this.#calendar.getUTCFullYear();
  }
  /** January is 1. */
  get month(): number {
    return this.#calendar.getUTCMonth() + 1;
  }
  get dayOfMonth(): number {
    return this.#calendar.getUTCDate();
  }
  /** Sunday is 0. */
  get dayOfWeek(): number {
    return this.#calendar.getUTCDay();
  }
  get daysInMonth(): number {
    return new Date(new Date(0).setUTCFullYear(this.year, this.month, 0)).getUTCDate();
  }
  /** Counts days, so that it differs between two dates. */
  get day(): number {
    return this.#day;
  }
  get hour(): number {
    return Math.floor(this.#timeMs / hourMs);
  }
  get minute(): number {
    return Math.floor((this.#timeMs % hourMs) / minuteMs);
  }
  get isAtFullMinute(): boolean {
    return this.#timeMs % minuteMs === 0;
  }

  /** Moves to the first day of a later month. */
  forwardMonths(count: number): void {
    this.#toDate(this.year, this.month - 1 + count, 1);
  }

  /** Moves to the beginning of a later day. */
  forwardDays(count: number): void {
    this.#toDate(this.year, this.month - 1, this.dayOfMonth + count);
  }

  /**
   * Moves in absolute time: an hour that clocks show twice occurs twice. After a shift by half an hour it continues at half past.
   *
   * @param most moves by this many hours in one step if clocks are not shifted in between, otherwise by one
   */
  forwardHours(most: number): void {
    this.#forward(instant(this.#at - (this.#keepsMinutes ? 0 : this.#timeMs % hourMs)), hourMs, most);
  }

  /** Moves in absolute time, as `forwardHours` does. */
  forwardMinutes(most: number): void {
    this.#forward(instant(this.#at - (this.#timeMs % minuteMs)), minuteMs, most);
    this.#keepsMinutes = false;
  }

  #forward(from: Instant, unitMs: number, most: number): void {
    const to = instant(from + most * unitMs);
    this.#moveTo(this.#zone.offsetAt(to) === this.#offset ? to : from + unitMs);
  }

  /**
   * Moves to midnight. When clocks skip it, to the first time that they show on that day: the calendar's rule results in that already, or in an hour
   * of the previous day. Upstream moves back to the previous day in the first case too, and loses the day.
   */
  #toDate(year: number, monthIndex: number, dayOfMonth: number): void {
    const before = this.#at;
    const midnight = new Date(0).setUTCFullYear(year, monthIndex, dayOfMonth);
    const offset = this.#offset;
    this.#moveTo(instantOf(midnight, this.#zone));
    if (this.hour > 12) this.#moveTo(this.#at + (24 - this.hour) * hourMs);
    // Midnight occurs twice and this is the first of them, or the whole date is skipped because the date line is moved.
    if (this.#at <= before) this.#moveTo(midnight - offset);
  }

  get #calendar(): Date {
    return (this.#date ??= new Date(this.#day * dayMs));
  }

  #moveTo(at: number): void {
    this.#at = instant(at);
    this.#keepsMinutes = true;
    this.#readClock();
  }

  #readClock(): void {
    this.#offset = this.#zone.offsetAt(this.#at);
    const wall = this.#at + this.#offset;
    const day = Math.floor(wall / dayMs);
    this.#timeMs = wall - day * dayMs;
    if (day === this.#day) return;
    this.#day = day;
    this.#date = undefined;
  }
}
