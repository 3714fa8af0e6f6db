/** Parses the text of a schedule as the standard parser of `robfig/cron` v3 does: a zone, then five fields or a descriptor. */
import { milliseconds, parseDuration } from '@kruise/objects';
import { parseField, quoted, type FieldRule } from './parse-field.ts';
import { fieldSchedule, type Field, type Schedule } from './schedule.ts';
import { isZoneName } from './zone-names.ts';

/**
 * A schedule and the zone before it (`''` for `TZ= `), or why the text is invalid: a message for a user that names each faulty field, its value and
 * the allowed ones.
 */
export type ParsedSchedule =
  { readonly kind: 'Schedule'; readonly schedule: Schedule; readonly zone?: string } | { readonly kind: 'Faulty'; readonly why: string };

const rules: readonly FieldRule[] = [
  { name: 'minute', least: 0, most: 59, names: [] },
  { name: 'hour', least: 0, most: 23, names: [] },
  { name: 'day of month', least: 1, most: 31, names: [] },
  { name: 'month', least: 1, most: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { name: 'day of week', least: 0, most: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

const descriptors: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

const prefixes = ['TZ=', 'CRON_TZ='];
const every = '@every ';
/** White space as in Go's `strings.Fields`: with U+0085, without U+FEFF. */
const blanks = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

const faulty = (why: string): ParsedSchedule => ({ kind: 'Faulty', why });

/**
 * Parses a schedule.
 *
 * @param text e.g. `30 9 * * mon-fri`, `TZ=Asia/Shanghai 0 10 * * ?`, `@every 1h30m`
 * @remarks Takes time in proportion to the length of the text. A zone before the schedule is checked by its name, not loaded.
 * @see spec/advancedcronjob.md 5.4
 */
export function parseSchedule(text: string): ParsedSchedule {
  const prefix = prefixes.find((start) => text.startsWith(start));
  if (prefix === undefined) return parseSpec(text);
  const end = text.indexOf(' ');
  if (end < 0) return faulty(`${quoted(text)} needs a blank after the time zone and then a schedule`);
  const zone = text.slice(prefix.length, end);
  if (!isZoneName(zone)) return faulty(`unknown time zone ${quoted(zone)}; allowed are names of the tz database such as Europe/Berlin`);
  const parsed = parseSpec(trimmed(text.slice(end)));
  return parsed.kind === 'Schedule' ? { ...parsed, zone } : parsed;
}

function parseSpec(spec: string): ParsedSchedule {
  if (!spec.startsWith('@')) return parseFields(words(spec));
  const fields = descriptors.get(spec);
  if (fields !== undefined) return parseFields(words(fields));
  if (spec.startsWith(every)) return parseEvery(spec.slice(every.length));
  return faulty(`unknown descriptor ${quoted(spec)}; allowed are ${[...descriptors.keys()].join(', ')} and @every with a duration`);
}

function parseFields(texts: readonly string[]): ParsedSchedule {
  if (texts.length !== rules.length)
    return faulty(
      `expected 5 fields (${rules.map(({ name }) => name).join(', ')}), found ${texts.length}; a descriptor such as @daily is allowed too`,
    );
  const fields: Field[] = [];
  const faults: string[] = [];
  for (const [index, rule] of rules.entries()) {
    const parsed = parseField(texts[index] ?? '', rule);
    if (parsed.kind === 'Field') fields.push(parsed.field);
    else faults.push(`${rule.name}: ${parsed.why}; ${allowed(rule)}`);
  }
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields;
  if (!minute || !hour || !dayOfMonth || !month || !dayOfWeek) return faulty(faults.join('. '));
  return { kind: 'Schedule', schedule: fieldSchedule({ minute, hour, dayOfMonth, month, dayOfWeek }) };
}

function parseEvery(text: string): ParsedSchedule {
  const length = parseDuration(text);
  if (length === undefined) return faulty(`@every: ${quoted(text)} is no duration; allowed are those of Go such as 90s or 1h30m`);
  return { kind: 'Schedule', schedule: { kind: 'Every', period: milliseconds(Math.max(1, Math.floor(length / 1000)) * 1000) } };
}

function allowed({ least, most, names }: FieldRule): string {
  const named = names.length > 0 ? ` or ${names[0] ?? ''} to ${names.at(-1) ?? ''}` : '';
  return `allowed are ${least} to ${most}${named}, alone, as ranges (a-b), with steps (a-b/n) and in lists (a,b), and *`;
}

const words = (text: string): readonly string[] => text.split(blanks).filter((word) => word !== '');

function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && blanks.test(text.charAt(from))) from++;
  while (from < to && blanks.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}
