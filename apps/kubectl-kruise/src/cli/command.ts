/** What a command of the plugin is, as data: the parser, the help, completion, the reference page and the tests of flags all read it. */
import type { Session } from '../session.ts';
import type { FlagValues } from '../flag-values.ts';

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
  /** The exit code of a failure, where 1 has a meaning of its own; 1 by default. */
  readonly failureCode?: number;
  /** Whether it never connects to a cluster. */
  readonly offline?: boolean;
  /** Imports the code when the command runs, so that the help costs none of it. */
  readonly load?: () => Promise<Run>;
}
