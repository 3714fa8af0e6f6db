/** Reads a command line against the table, as cobra and pflag do it for kubectl. */
import { closestText, parseDuration } from '@kruise/objects';
import type { Call, Command, Flag } from './command.ts';
import { FlagValues, type FlagValue } from '../flag-values.ts';
import { globalFlags, helpFlag } from './flags.ts';

/** A command line: something to run, a wish for help, or what is wrong with it. */
export type Parsed =
  | (Omit<Call, 'root'> & { readonly kind: 'Call'; readonly warnings: readonly string[] })
  | { readonly kind: 'Help'; readonly command: Command; readonly path: string }
  /** `message` may have several lines. */
  | { readonly kind: 'Failed'; readonly message: string; readonly path: string; readonly command: Command };

/** A fault of one flag. */
class FlagFault extends Error {}

const isFlag = (word: string): boolean => word.startsWith('-') && word !== '-';

/** All flags below a command: those before the words of the command may be of any. */
const flagsBelow = (command: Command): readonly Flag[] => [...(command.flags ?? []), ...(command.commands ?? []).flatMap(flagsBelow)];

const takesNextWord = (flag: Flag | undefined): boolean => flag !== undefined && flag.kind !== 'bool' && flag.bare === undefined;

function findFlag(flags: readonly Flag[], word: string): Flag | undefined {
  if (word.startsWith('--')) return flags.find(({ name }) => name === word.slice(2).replaceAll('_', '-'));
  return flags.find(({ short }) => short === word.slice(-1));
}

interface Found {
  readonly command: Command;
  readonly path: string;
  /** Positions of the words of the command. */
  readonly words: ReadonlySet<number>;
  /** A word where the name of a command should be. */
  readonly unknown?: string;
}

const isCalled = (command: Command, word: string): boolean => command.name === word || (command.aliases ?? []).includes(word);

/** Which command the line is for; flags and their values are passed over. */
function findCommand(root: Command, words: readonly string[]): Found {
  let [command, path] = [root, root.name];
  const used = new Set<number>();
  const known = [...globalFlags, helpFlag, ...flagsBelow(root)];
  for (let at = 0; at < words.length && command.commands !== undefined; at++) {
    const word = words[at] ?? '';
    if (word === '--') break;
    if (isFlag(word)) {
      if (!word.includes('=') && takesNextWord(findFlag(known, word))) at++;
      continue;
    }
    const next = command.commands.find((one) => isCalled(one, word));
    if (next === undefined && command.kubectl !== undefined) return { command, path, words: used };
    if (next === undefined) return { command, path, words: used, unknown: word };
    [command, path] = [next, `${path} ${next.name}`];
    used.add(at);
    if (command.passThrough === true) break;
  }
  return { command, path, words: used };
}

function unknownCommand({ command, path, unknown = '' }: Found): string {
  const names = (command.commands ?? []).filter(({ hidden }) => hidden !== true).map(({ name }) => name);
  const closest = closestText(unknown, names);
  const hint = closest === undefined ? '' : `\n\nDid you mean this?\n\t${closest}\n`;
  return `unknown command "${unknown}" for "${path}"${hint}`;
}

const trueWords = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const falseWords = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

const spelledAs = ({ name, short }: Flag): string => (short === undefined ? `--${name}` : `-${short}, --${name}`);

function bad(flag: Flag, text: string, why: string): FlagFault {
  return new FlagFault(`invalid argument ${JSON.stringify(text)} for ${JSON.stringify(spelledAs(flag))} flag: ${why}`);
}

function parseValue(flag: Flag, text: string): FlagValue {
  switch (flag.kind) {
    case 'bool':
      if (trueWords.has(text)) return true;
      if (falseWords.has(text)) return false;
      throw bad(flag, text, `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`);
    case 'int':
      if (/^[+-]?\d{1,15}$/.test(text)) return Number(text);
      throw bad(flag, text, `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
    case 'duration': {
      const value = parseDuration(text);
      if (value === undefined) throw bad(flag, text, `time: invalid duration ${JSON.stringify(text)}`);
      return value;
    }
    case 'list':
      return text === '' ? [] : text.split(',');
    case 'texts':
      return [text];
    case 'text':
      return text;
  }
}

const defaultOf = (flag: Flag): FlagValue => (flag.kind === 'texts' && flag.default === '' ? [] : parseValue(flag, flag.default));

/** Reads the words of one command line into values, in order. */
class Reader {
  readonly values: Map<string, FlagValue>;
  readonly given = new Set<string>();
  readonly args: string[] = [];
  readonly warnings: string[] = [];
  dash: number | undefined;
  help = false;
  readonly #flags: readonly Flag[];
  readonly #words: string[];

  constructor(flags: readonly Flag[], words: readonly string[]) {
    this.#flags = flags;
    this.#words = [...words];
    this.values = new Map(flags.map((flag) => [flag.name, defaultOf(flag)]));
  }

  readAll(): this {
    for (let word = this.#words.shift(); word !== undefined; word = this.#words.shift()) {
      if (word === '--') {
        this.dash = this.args.length;
        this.args.push(...this.#words.splice(0));
      } else if (!isFlag(word)) this.args.push(word);
      else if (word.startsWith('--')) this.#readLong(word);
      else this.#readShort(word);
    }
    return this;
  }

  #readLong(word: string): void {
    const equals = word.indexOf('=');
    const spelled = equals < 0 ? word.slice(2) : word.slice(2, equals);
    const name = spelled.replaceAll('_', '-');
    if (name !== spelled)
      this.warnings.push(`using an underscore in a flag name is not supported. ${spelled} has been converted to ${name}.`);
    const flag = this.#flags.find((one) => one.name === name);
    if (flag === undefined) throw new FlagFault(`unknown flag: --${spelled}`);
    if (equals >= 0) return this.#take(flag, word.slice(equals + 1));
    const bare = flag.kind === 'bool' ? 'true' : flag.bare;
    this.#take(flag, bare ?? this.#nextWord(`flag needs an argument: --${name}`));
  }

  /** `-it`, `-n x`, `-nx`, `-n=x`. */
  #readShort(word: string): void {
    for (let at = 1; at < word.length; at++) {
      const letter = word[at] ?? '';
      const flag = this.#flags.find(({ short }) => short === letter);
      if (flag === undefined) throw new FlagFault(`unknown shorthand flag: '${letter}' in ${word}`);
      const rest = word.slice(at + 1);
      if (rest.startsWith('=')) return this.#take(flag, rest.slice(1));
      const bare = flag.kind === 'bool' ? 'true' : flag.bare;
      if (bare === undefined)
        return this.#take(flag, rest === '' ? this.#nextWord(`flag needs an argument: '${letter}' in ${word}`) : rest);
      this.#take(flag, bare);
    }
  }

  #nextWord(missing: string): string {
    const word = this.#words.shift();
    if (word === undefined) throw new FlagFault(missing);
    return word;
  }

  #take(flag: Flag, text: string): void {
    const value = parseValue(flag, text);
    const before = this.values.get(flag.name);
    const joined =
      Array.isArray(value) && this.given.has(flag.name) ? [...(before as readonly string[]), ...(value as readonly string[])] : value;
    this.values.set(flag.name, joined);
    if (flag.deprecated !== undefined && !this.given.has(flag.name))
      this.warnings.push(`Flag --${flag.name} has been deprecated, ${flag.deprecated}`);
    this.given.add(flag.name);
    if (flag === helpFlag && value === true) this.help = true;
  }
}

/** The flags that a command takes, the global ones included; of one name the command's own. */
export function flagsOf(command: Command): readonly Flag[] {
  const own = command.flags ?? [];
  const names = new Set(own.map(({ name }) => name));
  const letters = new Set(own.map(({ short }) => short));
  const others = [...globalFlags, helpFlag].filter(({ name }) => !names.has(name));
  return [...own, ...others.map((flag) => (flag.short !== undefined && letters.has(flag.short) ? withoutShort(flag) : flag))];
}

const withoutShort = ({ short: _short, ...flag }: Flag): Flag => flag;

/** Whether kubectl gets the words as they are. */
function isForKubectl({ passThrough, kubectl }: Command, words: readonly string[]): boolean {
  const asksHelp = words.length === 0 || words.includes('--help') || words.includes('-h');
  return passThrough === true || (kubectl !== undefined && !asksHelp);
}

const forwarded = (command: Command, path: string, raw: readonly string[]): Parsed => ({
  kind: 'Call',
  command,
  path,
  args: raw,
  dash: undefined,
  flags: new FlagValues(new Map(), new Set()),
  raw,
  warnings: [],
});

function readCall(found: Found, raw: readonly string[]): Parsed {
  const { command, path } = found;
  const flags = command.commands === undefined ? flagsOf(command) : [...globalFlags, helpFlag];
  const read = new Reader(flags, raw).readAll();
  if (read.help) return { kind: 'Help', command, path };
  if (found.unknown !== undefined) return { kind: 'Failed', message: unknownCommand(found), path, command };
  if (command.load === undefined) return { kind: 'Help', command, path };
  const { args, dash, values, given, warnings } = read;
  return { kind: 'Call', command, path, args, dash, flags: new FlagValues(values, given), raw, warnings };
}

/** @param words without the program */
export function parseArguments(root: Command, words: readonly string[]): Parsed {
  const found = findCommand(root, words);
  const { command, path } = found;
  const raw = words.filter((_word, at) => !found.words.has(at));
  if (isForKubectl(command, raw)) return forwarded(command, path, raw);
  try {
    return readCall(found, raw);
  } catch (error) {
    if (!(error instanceof FlagFault)) throw error;
    return { kind: 'Failed', message: found.unknown === undefined ? error.message : unknownCommand(found), path, command };
  }
}
