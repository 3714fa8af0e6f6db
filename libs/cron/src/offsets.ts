/**
 * The offset of a zone at any instant. `Intl` takes a microsecond to compute one, so time is divided into blocks of some months, and the changes of
 * the offset within a block are searched once: by samples, then by bisection between two that differ.
 */

/** Returns how far a zone is ahead of UTC at an instant according to `Intl`, both in milliseconds. */
export type OffsetSource = (at: number) => number;

/** 99 days. */
const blockMs = 2 ** 33;
/** Three days: the shortest time between two changes since 1970 is a week (Gaza around Ramadan, in 2040 again). */
const sampleMs = 2 ** 28;
/** About 70 years. All are removed when there are more. */
const mostBlocks = 256;
const latestDate = 8.64e15;

/** A time in which the offset is constant. */
interface Period {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly offset: number;
}

const offsetText = /GMT(?:([+\-\u2212])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Returns the offsets of a zone, undefined when this `Intl` does not have it. Without a name it is the zone of the process. */
export function intlOffsets(timeZone?: string): OffsetSource | undefined {
  const format = dateFormat(timeZone);
  if (format === undefined) return undefined;
  return (at) => {
    const [, sign, hours, minutes, seconds = '0'] = offsetText.exec(format.format(Math.max(-latestDate, Math.min(latestDate, at)))) ?? [];
    if (sign === undefined) return 0;
    const length = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
    return sign === '+' ? length : -length;
  };
}

function dateFormat(timeZone: string | undefined): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { ...(timeZone !== undefined && { timeZone }), second: 'numeric', timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
}

/** Returns the same offsets with a cache. */
export function rememberedOffsets(source: OffsetSource): OffsetSource {
  const blocks = new Map<number, readonly Period[]>();
  const blockAt = (index: number): readonly Period[] => {
    const known = blocks.get(index);
    if (known !== undefined) return known;
    if (blocks.size >= mostBlocks) blocks.clear();
    const periods = periodsFrom(index * blockMs, source);
    blocks.set(index, periods);
    return periods;
  };
  // The one requested last: its neighbours are likely to be requested next.
  let last: Period = { from: 0, to: 0, offset: 0 };
  return (at) => {
    if (at < last.from || at >= last.to) last = blockAt(Math.floor(at / blockMs)).findLast(({ from }) => from <= at) ?? last;
    return last.offset;
  };
}

/** Returns the periods of a block, in order. */
function periodsFrom(start: number, source: OffsetSource): readonly Period[] {
  const periods: Period[] = [];
  let current = { from: start, offset: source(start) };
  for (let at = start + sampleMs; at <= start + blockMs; at += sampleMs) {
    const offset = source(at);
    if (offset === current.offset) continue;
    const from = firstInstantOf(offset, source, { from: at - sampleMs, to: at });
    periods.push({ ...current, to: from });
    current = { from, offset };
  }
  return [...periods, { ...current, to: start + blockMs }];
}

/** Returns the first instant with the offset, which holds at `to`, but not at `from`. */
function firstInstantOf(offset: number, source: OffsetSource, { from, to }: { readonly from: number; readonly to: number }): number {
  let [without, having] = [from, to];
  while (having - without > 1) {
    const middle = Math.floor((without + having) / 2);
    if (source(middle) === offset) having = middle;
    else without = middle;
  }
  return having;
}
