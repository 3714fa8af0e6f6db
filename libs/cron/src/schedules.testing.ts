/** Schedules for properties, and shorthands of tests. */
import { instant, type Instant } from '@kruise/objects';
import fc from 'fast-check';
import { formatInZone, loadZone, nextTime, parseSchedule, type Schedule, type Zone } from './index.ts';

/** Returns the schedule of a text. Throws for a text that is none. */
export function scheduleOf(text: string): Schedule {
  const parsed = parseSchedule(text);
  if (parsed.kind === 'Faulty') throw new Error(parsed.why);
  return parsed.schedule;
}

/** Returns the zone of a name. Throws for an unknown name. */
export function zoneOf(name: string): Zone {
  const zone = loadZone(name);
  if (zone === undefined) throw new Error(`no zone ${name}`);
  return zone;
}

export const at = (text: string): Instant => instant(Date.parse(text));

/** Returns the next times one after the other, as the clocks of the zone show them. */
export function timesOf(text: string, zoneName: string, after: string, count: number): readonly string[] {
  const zone = zoneOf(zoneName);
  const schedule = scheduleOf(text);
  const times: string[] = [];
  let time = nextTime(schedule, at(after), zone);
  for (; time !== undefined && times.length < count; time = nextTime(schedule, time, zone)) times.push(formatInZone(time, zone));
  return times;
}

const valueArb = (least: number, most: number, names: readonly string[]): fc.Arbitrary<string> => {
  const number = fc.integer({ min: least, max: most }).map(String);
  return names.length === 0 ? number : fc.oneof(number, fc.constantFrom(...names));
};

function itemArb(least: number, most: number, names: readonly string[]): fc.Arbitrary<string> {
  const value = valueArb(least, most, names);
  const range = fc
    .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
    .map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`);
  const step = fc.integer({ min: 1, max: most + 2 });
  const stepped = fc.tuple(fc.oneof(fc.constantFrom('*', '?'), value, range), step).map(([of, by]) => `${of}/${by}`);
  return fc.oneof({ weight: 4, arbitrary: value }, range, stepped);
}

const fieldArb = (stars: number, least: number, most: number, names: readonly string[] = []): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: stars, arbitrary: fc.constantFrom('*', '*', '?', '*/1') },
    { weight: 6, arbitrary: fc.array(itemArb(least, most, names), { minLength: 1, maxLength: 3 }).map((items) => items.join(',')) },
  );

/** Five fields with one blank between them. */
export const fieldsArb: fc.Arbitrary<string> = fc
  .tuple(
    fieldArb(1, 0, 59),
    fieldArb(2, 0, 23),
    fieldArb(6, 1, 31),
    fieldArb(12, 1, 12, ['jan', 'MAR', 'Oct', 'nov']),
    fieldArb(6, 0, 6, ['sun', 'Fri', 'SAT']),
  )
  .map((fields) => fields.join(' '));
