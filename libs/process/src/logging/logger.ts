/** The program's logger: pino for JSON, klog's text format otherwise, both through one destination that is flushed at exit. */
import type { Logger } from '@kruise/kube';
import { pino } from 'pino';
import { formatHeader, formatMessage, type Severity } from './klog-format.ts';

/** Where finished lines go; a pino destination is one. */
export interface LineSink {
  write(line: string): unknown;
}

export interface LoggerOptions {
  readonly format: 'text' | 'json';
  /** `--v`: 4 and more shows `debug` lines, everything else is always shown. */
  readonly verbosity: number;
  /** Text only: leave out time, process id and place. */
  readonly skipHeaders?: boolean;
  readonly sink: LineSink;
  readonly now?: () => Date;
}

/** From this `--v` on `debug` lines are shown (klog's level of detail for them). */
export const debugVerbosity = 4;

type Fields = Readonly<Record<string, unknown>>;

const thisFile = /[\\/]logger\.ts:/;

/** `file:line` of the nearest caller that is neither this file nor the logging library. */
function callerPlace(): string {
  for (const frame of (new Error().stack ?? '').split('\n').slice(1)) {
    if (thisFile.test(frame) || frame.includes('node_modules')) continue;
    const place = /([^/\\(]+):(\d+):\d+\)?$/.exec(frame);
    if (place !== null) return `${place[1]}:${place[2]}`;
  }
  return 'unknown:0';
}

class TextLogger implements Logger {
  readonly #options: LoggerOptions;
  readonly #bound: Fields;

  constructor(options: LoggerOptions, bound: Fields = {}) {
    this.#options = options;
    this.#bound = bound;
  }

  #write(severity: Severity, fields: object, message: string): void {
    const { skipHeaders, now, sink } = this.#options;
    const header =
      skipHeaders === true ? '' : formatHeader({ severity, at: now?.() ?? new Date(), pid: process.pid, caller: callerPlace() });
    sink.write(`${header}${formatMessage(message, { ...this.#bound, ...fields })}\n`);
  }

  error(fields: object, message: string): void {
    this.#write('E', fields, message);
  }
  warn(fields: object, message: string): void {
    this.#write('W', fields, message);
  }
  info(fields: object, message: string): void {
    this.#write('I', fields, message);
  }
  debug(fields: object, message: string): void {
    if (this.#options.verbosity >= debugVerbosity) this.#write('I', fields, message);
  }
  child(fields: object): Logger {
    return new TextLogger(this.#options, { ...this.#bound, ...fields });
  }
}

const messageOf = (error: unknown): unknown => (error instanceof Error ? error.message : error);

/** What klog's JSON puts beside the message: verbosity on normal lines, none on errors (those carry `err`). */
const levelFields: Readonly<Record<string, object>> = { info: { v: 0 }, warn: { v: 0 }, debug: { v: debugVerbosity }, error: {} };

function jsonLogger(options: LoggerOptions): Logger {
  const now = options.now ?? ((): Date => new Date());
  return pino(
    {
      base: null,
      level: options.verbosity >= debugVerbosity ? 'debug' : 'info',
      timestamp: () => `,"ts":${now().getTime()}`,
      formatters: {
        level: (label) => levelFields[label] ?? {},
        log: ({ error, ...fields }) => (error === undefined ? fields : { err: messageOf(error), ...fields }),
      },
      mixin: () => ({ caller: callerPlace() }),
      serializers: { err: messageOf },
    },
    // An error line has no level field, and pino then leaves a comma at the start.
    { write: (line: string) => void options.sink.write(line.startsWith('{,') ? `{${line.slice(2)}` : line) },
  );
}

export const createLogger = (options: LoggerOptions): Logger => (options.format === 'json' ? jsonLogger(options) : new TextLogger(options));
