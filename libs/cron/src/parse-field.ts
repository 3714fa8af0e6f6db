/** Parses one field of a schedule: `5`, `1-5`, `*`, `0-30/10,mon`. Every step reads each character a fixed number of times. */
import type { Field } from './schedule.ts';

/** What a field may contain. */
export interface FieldRule {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Names of the values from `least` on; lower case. */
  readonly names: readonly string[];
}

/** A field, or why it is invalid, without its name. */
export type ParsedField = { readonly kind: 'Field'; readonly field: Field } | { readonly kind: 'Faulty'; readonly why: string };

/** One item of the list, or its fault. */
type Range =
  | { readonly kind: 'Range'; readonly from: number; readonly to: number; readonly step: number; readonly isStar: boolean }
  | { readonly kind: 'Faulty'; readonly why: string };

const faulty = (why: string): { readonly kind: 'Faulty'; readonly why: string } => ({ kind: 'Faulty', why });

/**
 * Parses a list of ranges with commas between them. Empty items are skipped, so a field with only commas never matches.
 *
 * @see spec/advancedcronjob.md 5.4
 */
export function parseField(text: string, rule: FieldRule): ParsedField {
  const has = Array.from({ length: rule.most + 1 }, () => false);
  let isStar = false;
  for (const item of text.split(',')) {
    if (item === '') continue;
    const range = parseRange(item, rule);
    if (range.kind === 'Faulty') return faulty(`${quoted(item)} ${range.why}`);
    for (let value = range.from; value <= range.to; value += range.step) has[value] = true;
    isStar ||= range.isStar;
  }
  return { kind: 'Field', field: { has, isStar } };
}

/** Parses `*`, `?`, `a` or `a-b`, with an optional `/step`. */
function parseRange(item: string, rule: FieldRule): Range {
  const [ends = '', stepText, ...more] = item.split('/');
  if (more.length > 0) return faulty('has more than one "/"');
  if (stepText === undefined) return parseEnds(ends, 1, undefined, rule);
  const step = parseNumber(stepText);
  return step === undefined || step === 0 ? faulty('has a step that is no whole number above 0') : parseEnds(ends, step, rule.most, rule);
}

/**
 * Parses the ends of a range.
 *
 * @param open the end of a range without a written one; undefined for its beginning
 */
function parseEnds(text: string, step: number, open: number | undefined, rule: FieldRule): Range {
  const [first = '', last, ...more] = text.split('-');
  // The part after a star and a hyphen is ignored.
  if (first === '*' || first === '?') return { kind: 'Range', from: rule.least, to: rule.most, step, isStar: step === 1 };
  if (more.length > 0) return faulty('has more than one "-"');
  const from = parseValue(first, rule);
  const to = last === undefined && open !== undefined ? open : parseValue(last ?? first, rule);
  if (from === undefined || to === undefined) return faulty('is no whole number');
  const why = whyOutside(from, to, rule);
  return why === undefined ? { kind: 'Range', from, to, step, isStar: false } : faulty(why);
}

function whyOutside(from: number, to: number, { least, most }: FieldRule): string | undefined {
  if (from < least) return 'is below the minimum';
  if (from > most || to > most) return 'is above the maximum';
  return from > to ? 'ends before it begins' : undefined;
}

function parseValue(text: string, rule: FieldRule): number | undefined {
  const index = rule.names.indexOf(text.toLowerCase());
  return index < 0 ? parseNumber(text) : rule.least + index;
}

const digits = /^\+?\d+$/;

/** Parses digits after an optional plus; undefined also for a number beyond int64, as in Go. */
function parseNumber(text: string): number | undefined {
  const value = digits.test(text) ? Number(text) : undefined;
  return value !== undefined && value < 2 ** 63 ? value : undefined;
}

const longestQuote = 60;

/** Returns a user's text for a message, truncated when it is long. */
export const quoted = (text: string): string => JSON.stringify(text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text);
