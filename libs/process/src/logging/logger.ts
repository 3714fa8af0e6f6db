/** The program's logger: pino for JSON, otherwise klog's text format, both through one destination that is flushed at exit. */
import type { Logger } from '@kruise/kube';
import { pino } from 'pino';
import { formatHeader, formatMessage, type Severity } from './klog-format.ts';
import type { VerbosityOf } from './vmodule.ts';

/** The target of complete lines; a pino destination is one. */
export interface LineSink {
  write(line: string): unknown;
}

/** The verbosity, format and target of logs. */
export interface LoggerOptions {
  readonly format: 'text' | 'json';
  /** `--v`: from 4 on `debug` lines are shown; all others are always shown. */
  readonly verbosity: number;
  /** `--vmodule`: the verbosity of a logger with a name, where it is greater. */
  readonly verbosityOf?: VerbosityOf;
  /** Text only: omits time, process id and place. */
  readonly skipHeaders?: boolean;
  readonly sink: LineSink;
  readonly now?: () => Date;
}

/** From this `--v` on `debug` lines are shown (klog's level of detail for them). */
const debugVerbosity = 4;

type Fields = Readonly<Record<string, unknown>>;

type Level = 'error' | 'warn' | 'info' | 'debug';

/** Writes one line; `caller` is `file:line` of the call. */
type Write = (level: Level, caller: string, fields: Fields, message: string) => void;

/** Returns `file:line` of the logger's caller: the frame above this function and the logger's method. */
function callerPlace(): string {
  const place = /([^/\\(]+):(\d+):\d+\)?$/.exec(new Error().stack?.split('\n')[3] ?? '');
  return place === null ? 'unknown:0' : `${place[1]}:${place[2]}`;
}

/** Returns the name of a logger in its lines: its controller, or a part of the program. */
const nameOf = ({ controller, logger }: Fields): string => {
  const name = controller ?? logger;
  return typeof name === 'string' ? name : '';
};

class PlacedLogger implements Logger {
  readonly #write: Write;
  readonly #isVerbose: (name: string) => boolean;
  readonly #bound: Fields;
  readonly #showsDebug: boolean;

  constructor(write: Write, isVerbose: (name: string) => boolean, bound: Fields = {}) {
    this.#write = write;
    this.#isVerbose = isVerbose;
    this.#bound = bound;
    this.#showsDebug = isVerbose(nameOf(bound));
  }

  error(fields: object, message: string): void {
    this.#write('error', callerPlace(), { ...this.#bound, ...fields }, message);
  }
  warn(fields: object, message: string): void {
    this.#write('warn', callerPlace(), { ...this.#bound, ...fields }, message);
  }
  info(fields: object, message: string): void {
    this.#write('info', callerPlace(), { ...this.#bound, ...fields }, message);
  }
  debug(fields: object, message: string): void {
    if (this.#showsDebug) this.#write('debug', callerPlace(), { ...this.#bound, ...fields }, message);
  }
  child(fields: object): Logger {
    return new PlacedLogger(this.#write, this.#isVerbose, { ...this.#bound, ...fields });
  }
}

const severities: Readonly<Record<Level, Severity>> = { error: 'E', warn: 'W', info: 'I', debug: 'I' };

function textWriter({ skipHeaders, now, sink }: LoggerOptions): Write {
  return (level, caller, fields, message) => {
    const at = now?.() ?? new Date();
    const header = skipHeaders === true ? '' : formatHeader({ severity: severities[level], at, pid: process.pid, caller });
    sink.write(`${header}${formatMessage(message, fields)}\n`);
  };
}

const messageOf = (error: unknown): unknown => (error instanceof Error ? error.message : error);

/** The fields of klog's JSON besides the message: verbosity on normal lines, none on errors (those contain `err`). */
const levelFields: Readonly<Record<string, object>> = { info: { v: 0 }, warn: { v: 0 }, debug: { v: debugVerbosity }, error: {} };

function jsonWriter(options: LoggerOptions): Write {
  const now = options.now ?? ((): Date => new Date());
  const logger = pino(
    {
      base: null,
      level: 'debug',
      timestamp: () => `,"ts":${now().getTime()}`,
      formatters: { level: (label) => levelFields[label] ?? {} },
      serializers: { err: messageOf },
    },
    // An error line has no level field, and pino then writes a comma at the start.
    { write: (line: string) => void options.sink.write(line.startsWith('{,') ? `{${line.slice(2)}` : line) },
  );
  return (level, caller, { error, ...fields }, message) => {
    logger[level]({ caller, ...(error === undefined ? {} : { err: messageOf(error) }), ...fields }, message);
  };
}

/** Returns a logger that writes whole lines to `sink`. Its children inherit their bound fields. */
export function createLogger(options: LoggerOptions): Logger {
  const { format, verbosity, verbosityOf } = options;
  const isVerbose = (name: string): boolean => Math.max(verbosity, verbosityOf?.(name) ?? 0) >= debugVerbosity;
  return new PlacedLogger((format === 'json' ? jsonWriter : textWriter)(options), isVerbose);
}
