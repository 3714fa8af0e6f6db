/** A point in time that only moves forward, and what the clocks of a zone show then. */
import { instant, type Instant } from '@kruise/objects';
import { instantOf, type Zone } from './zone.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** @see spec/advancedcronjob.md 5.4 */
export class WallCursor {
  readonly #zone: Zone;
  #at: Instant;
  #offset = 0;
  /** The date that clocks show, in days since the epoch. */
  #day = 0;
  /** The time of the day that clocks show. */
  #timeMs = 0;
  #date: Date | undefined;
  /** After a step by a higher field minutes have been reset, and a step by hours leaves them as they are. */
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
  /** Counts days, so that two dates differ in it. */
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

  /** To the first day of a later month. */
  forwardMonths(count: number): void {
    this.#toDate(this.year, this.month - 1 + count, 1);
  }

  /** To the beginning of a later day. */
  forwardDays(count: number): void {
    this.#toDate(this.year, this.month - 1, this.dayOfMonth + count);
  }

  /**
   * In absolute time: an hour that clocks show twice comes twice. After a shift by half an hour it goes on at half past.
   *
   * @param most goes on by so many hours at once if clocks are not shifted on the way, else by one
   */
  forwardHours(most: number): void {
    this.#forward(instant(this.#at - (this.#keepsMinutes ? 0 : this.#timeMs % hourMs)), hourMs, most);
  }

  /** In absolute time, as `forwardHours`. */
  forwardMinutes(most: number): void {
    this.#forward(instant(this.#at - (this.#timeMs % minuteMs)), minuteMs, most);
    this.#keepsMinutes = false;
  }

  #forward(from: Instant, unitMs: number, most: number): void {
    const to = instant(from + most * unitMs);
    this.#moveTo(this.#zone.offsetAt(to) === this.#offset ? to : from + unitMs);
  }

  /**
   * To midnight. Where clocks skip it, to what they show first on that day: the calendar's rule gives that already, or an hour of the day before.
   * Upstream goes back into the day before in the first case too, and loses the day.
   */
  #toDate(year: number, monthIndex: number, dayOfMonth: number): void {
    const before = this.#at;
    const midnight = new Date(0).setUTCFullYear(year, monthIndex, dayOfMonth);
    const offset = this.#offset;
    this.#moveTo(instantOf(midnight, this.#zone));
    if (this.hour > 12) this.#moveTo(this.#at + (24 - this.hour) * hourMs);
    // Midnight comes twice and this is the first of them, or the whole date is skipped where the date line is moved.
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
