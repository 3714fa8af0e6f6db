/** The text form of label selectors: `a=b,c in (x,y),d notin (x),e,!f`, as in `status.labelSelector`, queries and flags. @see spec/cloneset.md 5.2 */
import { matchAll, requirement, type LabelMatcher, type LabelOperator, type LabelRequirement } from './label-matcher.ts';
import { checkLabelValue, checkQualifiedName } from '../metadata/names.ts';

/** Returns the requirements sorted by key, with sorted values; '' for a matcher without requirements (for everything and for nothing). */
export const formatLabelMatcher = (matcher: Pick<LabelMatcher, 'requirements'>): string =>
  matcher.requirements.map(formatRequirement).join(',');

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'Equals':
      return `${key}=${values.join(',')}`;
    case 'NotEquals':
      return `${key}!=${values.join(',')}`;
    case 'In':
      return `${key} in (${values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'GreaterThan':
      return `${key}>${values.join(',')}`;
    default:
      return `${key}<${values.join(',')}`;
  }
}

/** A matcher, or why the text is invalid. */
export type ParsedSelectorText =
  { readonly kind: 'Matcher'; readonly matcher: LabelMatcher } | { readonly kind: 'Illegal'; readonly why: string };

/** Parses the text form. Blanks are optional; an empty text selects everything. */
export function parseSelectorText(text: string): ParsedSelectorText {
  try {
    return { kind: 'Matcher', matcher: matchAll(new SelectorParser(text).all()) };
  } catch (failure) {
    if (failure instanceof SelectorSyntaxError) return { kind: 'Illegal', why: failure.message };
    throw failure;
  }
}

class SelectorSyntaxError extends Error {}

const token = /\s*(==|!=|[=!,()<>]|[^\s=!,()<>]+)/y;
const comparisons: Readonly<Record<string, LabelOperator>> = {
  '=': 'Equals',
  '==': 'Equals',
  '!=': 'NotEquals',
  '>': 'GreaterThan',
  '<': 'LessThan',
};
const isWord = (text: string): boolean => text !== '' && !/^[=!,()<>]/.test(text);

/** Recursive descent over one text; '' represents its end. */
class SelectorParser {
  private readonly tokens: readonly string[];
  private at = 0;

  constructor(text: string) {
    const tokens: string[] = [];
    const scan = new RegExp(token);
    for (let found = scan.exec(text); found !== null; found = scan.exec(text)) tokens.push(found[1] ?? '');
    this.tokens = tokens;
  }

  all(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    if (this.peek() === '') return requirements;
    for (;;) {
      requirements.push(this.one());
      const next = this.take();
      if (next === '') return requirements;
      if (next !== ',') throw new SelectorSyntaxError(`found '${next}', expected: ',' or end of text`);
      if (this.peek() === '') throw new SelectorSyntaxError("found end of text after ',', expected: a key or '!'");
    }
  }

  private peek(): string {
    return this.tokens[this.at] ?? '';
  }

  private take(): string {
    const taken = this.peek();
    this.at += 1;
    return taken;
  }

  private one(): LabelRequirement {
    if (this.peek() === '!') {
      this.take();
      return requirement(this.key(), 'DoesNotExist', []);
    }
    const key = this.key();
    const operator = this.peek();
    if (operator === ',' || operator === '') return requirement(key, 'Exists', []);
    this.take();
    if (operator === 'in') return requirement(key, 'In', this.values(key));
    if (operator === 'notin') return requirement(key, 'NotIn', this.values(key));
    return this.comparison(key, operator);
  }

  private key(): string {
    const key = this.take();
    if (!isWord(key)) throw new SelectorSyntaxError(`found '${key}', expected: a key`);
    const [why] = checkQualifiedName(key);
    if (why !== undefined) throw new SelectorSyntaxError(`key ${JSON.stringify(key)}: ${why}`);
    return key;
  }

  private comparison(key: string, text: string): LabelRequirement {
    const operator = Object.hasOwn(comparisons, text) ? comparisons[text] : undefined;
    if (operator === undefined) throw new SelectorSyntaxError(`found '${text}', expected: in, notin, =, ==, !=, >, <`);
    const value = isWord(this.peek()) ? this.take() : '';
    if ((operator === 'GreaterThan' || operator === 'LessThan') && !/^[+-]?\d{1,19}$/.test(value)) {
      throw new SelectorSyntaxError(`values[0][${key}]: ${JSON.stringify(value)}: for '>' and '<' the value must be an integer`);
    }
    return requirement(key, operator, [this.checked(key, value)]);
  }

  /** Parses `(x, y)`. An empty place is the empty value. */
  private values(key: string): string[] {
    const open = this.take();
    if (open !== '(') throw new SelectorSyntaxError(`found '${open}', expected: '('`);
    const values: string[] = [];
    for (;;) {
      values.push(this.checked(key, isWord(this.peek()) ? this.take() : ''));
      const next = this.take();
      if (next === ')') return values;
      if (next !== ',') throw new SelectorSyntaxError(`found '${next}', expected: ',' or ')'`);
    }
  }

  private checked(key: string, value: string): string {
    const [why] = checkLabelValue(value);
    if (why !== undefined) throw new SelectorSyntaxError(`value ${JSON.stringify(value)} of key ${JSON.stringify(key)}: ${why}`);
    return value;
  }
}
