/**
 * A second implementation of the rules of schedules, to compare with: fields as sets of numbers, the wall clock from `Intl` for every quarter of an
 * hour, and every minute visited. It uses nothing of the library. All its zones change their clocks at a quarter of an hour in UTC.
 */

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
const noOffset = -32_768;

/** The wall clock of the years from 2008 to 2033. */
export class SlowClock {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #first = Date.UTC(2008, 0) / quarterMs;
  readonly #offsets = new Int16Array(26 * 366 * 96).fill(noOffset);

  constructor(name: string) {
    this.name = name;
    const numeric = 'numeric';
    const fields = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric } as const;
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, hourCycle: 'h23', ...fields });
  }

  /** Returns the offset in milliseconds. */
  offsetAt(at: number): number {
    const quarter = Math.floor(at / quarterMs);
    if (this.#offsets[quarter - this.#first] === noOffset) this.#readDay(quarter - (quarter % 96));
    return this.#offsets[quarter - this.#first]! * minuteMs;
  }

  /** Reads each quarter of an hour of a day at whose end the offset differs. */
  #readDay(quarter: number): void {
    const [start, end] = [this.#read(quarter * quarterMs), this.#read((quarter + 96) * quarterMs)];
    for (let index = 0; index < 96; index++)
      this.#offsets[quarter - this.#first + index] = (start === end ? start : this.#read((quarter + index) * quarterMs)) / minuteMs;
  }

  #read(at: number): number {
    const numbers = this.#format.format(at).split(/\D+/).map(Number);
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = numbers;
    return Date.UTC(year, month - 1, day, hour, minute) - at;
  }

  /** Returns the first instants of other offsets. */
  changes(from: number, to: number): readonly number[] {
    const found: number[] = [];
    for (let at = from; at < to; at += 96 * quarterMs) {
      if (this.offsetAt(at) === this.offsetAt(at + 96 * quarterMs)) continue;
      for (let quarter = at; quarter < at + 96 * quarterMs; quarter += quarterMs)
        if (this.offsetAt(quarter) !== this.offsetAt(quarter + quarterMs)) found.push(quarter + quarterMs);
    }
    return found;
  }
}

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const dayNames = 'sun mon tue wed thu fri sat'.split(' ');

/** The bounds of each field for `numbersOf`. */
const bounds = [
  { least: 0, most: 59, names: [] },
  { least: 0, most: 23, names: [] },
  { least: 1, most: 31, names: [] },
  { least: 1, most: 12, names: ['', ...monthNames] },
  { least: 0, most: 6, names: dayNames },
];

interface Numbers {
  readonly values: ReadonlySet<number>;
  readonly isStar: boolean;
}

/** Returns the numbers of a field. Assumes that the text is valid. */
function numbersOf(text: string, { least, most, names }: (typeof bounds)[number]): Numbers {
  const toNumber = (word: string): number => (names.includes(word.toLowerCase()) ? names.indexOf(word.toLowerCase()) : Number(word));
  const values = new Set<number>();
  let isStar = false;
  for (const [, first = '', end, step] of text.matchAll(/([^,/-]+)(?:-([^,/]+))?(?:\/([^,]+))?/g)) {
    const all = first === '*' || first === '?';
    isStar ||= all && Number(step ?? 1) === 1;
    const from = all ? least : toNumber(first);
    const open = all || (end === undefined && step !== undefined);
    const to = open ? most : toNumber(end ?? first);
    for (let value = least; value <= most; value++)
      if (value >= from && value <= to && (value - from) % Number(step ?? 1) === 0) values.add(value);
  }
  return { values, isStar };
}

/** Returns whether a schedule of five fields runs at a minute that clocks show. */
export class SlowSchedule {
  readonly #fields: readonly Numbers[];

  constructor(text: string) {
    this.#fields = text.split(' ').map((field, index) => numbersOf(field, bounds[index]!));
  }

  matchesDay(wall: Date): boolean {
    const [, , days, months, weekdays] = this.#fields as readonly [Numbers, Numbers, Numbers, Numbers, Numbers];
    const byDay = days.values.has(wall.getUTCDate());
    const byWeekday = weekdays.values.has(wall.getUTCDay());
    const day = days.isStar || weekdays.isStar ? byDay && byWeekday : byDay || byWeekday;
    return day && months.values.has(wall.getUTCMonth() + 1);
  }

  matches(wall: Date): boolean {
    const [minutes, hours] = this.#fields as readonly [Numbers, Numbers];
    return minutes.values.has(wall.getUTCMinutes()) && hours.values.has(wall.getUTCHours()) && this.matchesDay(wall);
  }

  /** Returns the first minute after `after` at which the clock shows what the schedule selects; undefined when there is none before `until`. */
  next(after: number, until: number, clock: SlowClock): number | undefined {
    for (let quarter = Math.floor(after / quarterMs) * quarterMs; quarter < until; quarter += quarterMs) {
      const wall = new Date(quarter + clock.offsetAt(quarter));
      // Up to two hours before the day's end, because clocks may be shifted.
      if (!this.matchesDay(wall)) {
        quarter += Math.max(0, 21 - wall.getUTCHours()) * 4 * quarterMs;
        continue;
      }
      const minutes = Array.from({ length: 15 }, (_, index) => quarter + index * minuteMs);
      const found = minutes.find((at) => at > after && this.matches(new Date(at + clock.offsetAt(at))));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
