/** What a command of the plugin is, as data: the parser, the help, completion, the reference page and the tests of flags all read it. */
import type { Session } from '../session/session.ts';

/** What a flag takes: `list` may be given several times and splits at commas; `texts` may be given several times and does not. */
export type FlagKind = 'bool' | 'text' | 'int' | 'duration' | 'list' | 'texts';

/** One flag. `default` is its value as text, '' for an empty list. */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  readonly kind: FlagKind;
  readonly default: string;
  readonly help: string;
  /** The value of the flag when it is given without one; then `--flag value` is no value. */
  readonly bare?: string;
  /** Accepted, but in no help. */
  readonly hidden?: boolean;
  /** Printed when the flag is given. */
  readonly deprecated?: string;
}

/** What a flag came to. */
export type FlagValue = string | boolean | number | readonly string[];

/** A command line after parsing, as the code of a command gets it. */
export interface Call {
  readonly command: Command;
  /** e.g. `kubectl-kruise rollout status`. */
  readonly path: string;
  /** What is no flag, without the words of the command. */
  readonly args: readonly string[];
  /** How many of `args` come before `--`; undefined without one. */
  readonly dash: number | undefined;
  readonly flags: FlagValues;
  /** The command line without the words of the command, for kubectl. */
  readonly raw: readonly string[];
  readonly root: Command;
}

/** Runs a command; resolves to the exit code, 0 when undefined. */
export type Run = (call: Call, session: Session) => Promise<number | undefined>;

/** A command or a group of commands. */
export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** What follows the name in the usage line. */
  readonly usage?: string;
  readonly short: string;
  readonly long?: string;
  readonly examples?: readonly string[];
  readonly flags?: readonly Flag[];
  /** Heading in the help of the root. */
  readonly group?: string;
  readonly hidden?: boolean;
  readonly commands?: readonly Command[];
  /** Whether flags are left alone and handed on, because kubectl parses them. */
  readonly passThrough?: boolean;
  /** The words of the command of kubectl that runs when none of `commands` is named. */
  readonly kubectl?: readonly string[];
  /** Whether it never connects to a cluster. */
  readonly offline?: boolean;
  /** Imports the code when the command runs, so that the help costs none of it. */
  readonly load?: () => Promise<Run>;
}

/** The values of all flags of a command. A name or a kind that the table does not have is a mistake of the program and throws. */
export class FlagValues {
  readonly #values: ReadonlyMap<string, FlagValue>;
  readonly #given: ReadonlySet<string>;

  constructor(values: ReadonlyMap<string, FlagValue>, given: ReadonlySet<string>) {
    this.#values = values;
    this.#given = given;
  }

  text(name: string): string {
    const value = this.#value(name);
    if (typeof value !== 'string') throw new Error(`--${name} is no text`);
    return value;
  }

  /** Of a global flag as text; '' where the command has a flag of its own by this name. */
  global(name: string): string {
    const value = this.#values.get(name);
    return typeof value === 'string' ? value : '';
  }

  bool(name: string): boolean {
    const value = this.#value(name);
    if (typeof value !== 'boolean') throw new Error(`--${name} is no bool`);
    return value;
  }

  /** Of `int`; of `duration` in milliseconds. */
  number(name: string): number {
    const value = this.#value(name);
    if (typeof value !== 'number') throw new Error(`--${name} is no number`);
    return value;
  }

  list(name: string): readonly string[] {
    const value = this.#value(name);
    if (typeof value !== 'object') throw new Error(`--${name} is no list`);
    return value;
  }

  /** Whether the command line has the flag. */
  given(name: string): boolean {
    return this.#given.has(name);
  }

  /** Whether the command has the flag. */
  has(name: string): boolean {
    return this.#values.has(name);
  }

  #value(name: string): FlagValue {
    const value = this.#values.get(name);
    if (value === undefined) throw new Error(`no flag --${name} in the table`);
    return value;
  }
}
