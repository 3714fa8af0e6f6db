/**
 * Command-line flags with the syntax that operators know from the Go programs: `--name=value`, `--name value`, booleans as `--name` or
 * `--name=<1|t|T|TRUE|true|True|0|f|F|FALSE|false|False>`, Go durations, one-letter forms as `-v=4`, `-v 4`, `-v4`. A long name may also have one
 * dash.
 * @see spec/manager.md 2.1
 */
import { parseDuration, type Milliseconds } from '@kruise/objects';

interface FlagOf<K extends string, T> {
  readonly kind: K;
  readonly default: T;
  readonly usage: string;
  /** Other spellings of the flag; not printed in the usage. */
  readonly aliases?: readonly string[];
  /** The one-letter form, without the dash. */
  readonly shorthand?: string;
}

interface StringFlag extends FlagOf<'string', string> {
  /** Returns the allowed values when the text is not one; it completes `must be`. */
  readonly mustBe?: (text: string) => string | undefined;
}

/** One flag: its kind, its default, and its line in the usage. */
export type Flag = StringFlag | FlagOf<'bool', boolean> | FlagOf<'int', number> | FlagOf<'duration', Milliseconds>;
/** The flags of a program by name, without dashes. */
export type FlagDefinitions = Readonly<Record<string, Flag>>;
/** The value of each flag, given or default. */
export type FlagValues<D extends FlagDefinitions> = { readonly [K in keyof D]: D[K]['default'] };

/** The content of a command line: values and the remaining arguments, a request for help, or the first fault. */
export type ParsedFlags<D extends FlagDefinitions> =
  | { readonly kind: 'Parsed'; readonly values: FlagValues<D>; readonly given: ReadonlySet<string>; readonly rest: readonly string[] }
  | { readonly kind: 'Help' }
  /** `message` is one line that names the flag, the value and the allowed ones. */
  | { readonly kind: 'Failed'; readonly message: string };

type Extra = { readonly aliases?: readonly string[]; readonly shorthand?: string };
/** Declares a flag with any text. `mustBe` refuses a text that the program cannot use. */
export const stringFlag = (value: string, usage: string, extra: Extra & Pick<StringFlag, 'mustBe'> = {}): StringFlag => ({
  kind: 'string',
  default: value,
  usage,
  ...extra,
});
/** Declares a flag that is true when it is given without a value: `--leader-elect`, `--leader-elect=false`. */
export const boolFlag = (value: boolean, usage: string, extra: Extra = {}): FlagOf<'bool', boolean> => ({
  kind: 'bool',
  default: value,
  usage,
  ...extra,
});
/** Declares a whole number in decimal, of at most 15 digits. A Go prefix such as `0x` is refused. */
export const intFlag = (value: number, usage: string, extra: Extra = {}): FlagOf<'int', number> => ({
  kind: 'int',
  default: value,
  usage,
  ...extra,
});
/** Declares a duration in Go's form, `1h30m` or `500ms`. The value is in milliseconds. */
export const durationFlag = (value: Milliseconds, usage: string, extra: Extra = {}): FlagOf<'duration', Milliseconds> => ({
  kind: 'duration',
  default: value,
  usage,
  ...extra,
});

const trueWords = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const falseWords = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** Parses a boolean in one of the spellings of Go's `strconv.ParseBool`; undefined for anything else. */
const parseBoolean = (text: string): boolean | undefined => (trueWords.has(text) ? true : falseWords.has(text) ? false : undefined);

type Value = { readonly kind: 'Value'; readonly value: string | boolean | number } | { readonly kind: 'Bad'; readonly allowed: string };

function parseValue(flag: Flag, text: string): Value {
  const of = (value: string | boolean | number | undefined, allowed: string): Value =>
    value === undefined ? { kind: 'Bad', allowed } : { kind: 'Value', value };
  switch (flag.kind) {
    case 'string': {
      const allowed = flag.mustBe?.(text);
      return allowed === undefined ? { kind: 'Value', value: text } : { kind: 'Bad', allowed };
    }
    case 'bool':
      return of(parseBoolean(text), 'true or false');
    case 'int':
      return of(/^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined, 'a whole number');
    case 'duration':
      return of(parseDuration(text), 'a duration such as 15s, 1h2m, 500ms or 0');
  }
}

type Token = { readonly name: string; readonly spelled: string; readonly value: string | undefined };

/** Returns whether this is a long name with one dash, as Go's own flag package accepts it. */
const isLongWithOneDash = (argument: string, names: ReadonlyMap<string, string>): boolean =>
  !argument.startsWith('--') && names.has(`-${argument.split('=', 1)[0]}`) && argument.split('=', 1)[0]?.length !== 2;

function splitToken(given: string, names: ReadonlyMap<string, string>): Token {
  const argument = isLongWithOneDash(given, names) ? `-${given}` : given;
  if (!argument.startsWith('--')) {
    const name = argument.slice(1, 2);
    const rest = argument.slice(2);
    return { name, spelled: `-${name}`, value: rest === '' ? undefined : rest.replace(/^=/, '') };
  }
  const equals = argument.indexOf('=');
  const spelled = equals < 0 ? argument : argument.slice(0, equals);
  return { name: spelled.slice(2), spelled, value: equals < 0 ? undefined : argument.slice(equals + 1) };
}

function namesOf(definitions: FlagDefinitions): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, flag] of Object.entries(definitions)) {
    for (const spelling of [name, ...(flag.aliases ?? [])]) names.set(`--${spelling}`, name);
    if (flag.shorthand !== undefined) names.set(`-${flag.shorthand}`, name);
  }
  return names;
}

/**
 * Parses `argv` (without program and script) with `definitions`. The last value of a repeated flag counts; `--` ends the flags.
 * Never throws: a fault is returned as `Failed`, and the caller prints it with {@link formatUsage} and exits with code 2.
 */
export function parseFlags<D extends FlagDefinitions>(definitions: D, argv: readonly string[]): ParsedFlags<D> {
  const names = namesOf(definitions);
  const values: Record<string, unknown> = Object.fromEntries(Object.entries(definitions).map(([name, flag]) => [name, flag.default]));
  const given = new Set<string>();
  const rest: string[] = [];
  const waiting = [...argv];
  for (let argument = waiting.shift(); argument !== undefined; argument = waiting.shift()) {
    if (argument === '--') rest.push(...waiting.splice(0));
    else if (!argument.startsWith('-') || argument === '-') rest.push(argument);
    else {
      const read = readFlag(argument, waiting, names, definitions);
      if (read.kind !== 'Read') return read;
      values[read.name] = read.value;
      given.add(read.name);
    }
  }
  return { kind: 'Parsed', values: values as FlagValues<D>, given, rest };
}

type ReadFlag =
  | { readonly kind: 'Read'; readonly name: string; readonly value: string | boolean | number }
  | Exclude<ParsedFlags<FlagDefinitions>, { kind: 'Parsed' }>;

/** Reads one flag. Takes its value from `waiting` when the argument has none. */
function readFlag(argument: string, waiting: string[], names: ReadonlyMap<string, string>, definitions: FlagDefinitions): ReadFlag {
  const token = splitToken(argument, names);
  if (token.spelled === '--help' || token.spelled === '-h') return { kind: 'Help' };
  const name = names.get(token.spelled);
  const flag = name === undefined ? undefined : definitions[name];
  if (name === undefined || flag === undefined) return { kind: 'Failed', message: unknownFlag(token, names) };
  const text = token.value ?? (flag.kind === 'bool' ? 'true' : waiting.shift());
  if (text === undefined) return { kind: 'Failed', message: `flag needs an argument: ${token.spelled}` };
  const parsed = parseValue(flag, text);
  if (parsed.kind === 'Bad')
    return { kind: 'Failed', message: `invalid argument ${JSON.stringify(text)} for ${token.spelled}: must be ${parsed.allowed}` };
  return { kind: 'Read', name, value: parsed.value };
}

function unknownFlag(token: Token, names: ReadonlyMap<string, string>): string {
  const near = [...names.keys()].find((name) => name.replaceAll('_', '-') === token.spelled.replaceAll('_', '-'));
  const hint = near === undefined ? '' : ` (did you mean ${near}?)`;
  return token.spelled.startsWith('--')
    ? `unknown flag: ${token.spelled}${hint}`
    : `unknown shorthand flag: '${token.name}' in ${token.spelled}`;
}

/** Returns the flags in alphabetical order with type, default and meaning, as printed by `--help` and after a faulty command line. */
export function formatUsage(program: string, definitions: FlagDefinitions): string {
  const lines = Object.entries(definitions)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, flag]) => {
      const type = flag.kind === 'bool' ? '' : ` ${flag.kind}`;
      const shorthand = flag.shorthand === undefined || flag.shorthand === name ? '' : `-${flag.shorthand}, `;
      const value = flag.kind === 'duration' ? `${flag.default / 1000}s` : String(flag.default);
      return `      ${shorthand}--${name}${type}\n            ${flag.usage}${value === '' ? '' : ` (default ${value})`}`;
    });
  return [`Usage of ${program}:`, ...lines].join('\n');
}
