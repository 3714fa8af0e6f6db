/** Runs a program from its command line to its exit code: the part that manager and daemon have in common. */
import { ConfigError, type Logger } from '@kruise/kube';
import type { LogFlags } from './logging/log-flags.ts';
import { createLogger } from './logging/logger.ts';
import { logSink } from './logging/log-sink.ts';
import { parseVmodule } from './logging/vmodule.ts';

/** A fault that ends the process at its start, reported in one line. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** The options to run with, or what to print before the program ends. */
export type ReadProgramOptions<O> =
  | { readonly kind: 'Run'; readonly options: O }
  /** Print `output` and end with `code`: 0 after --help, 2 for a faulty command line, 1 for faulty values. */
  | { readonly kind: 'End'; readonly code: 0 | 1 | 2; readonly output: string };

/** A program for {@link runProgram}: how it reads its options and what it does until it is stopped. */
export interface Program<O extends { readonly flags: LogFlags }> {
  /**
   * Reads the options.
   *
   * @param argv without program and script
   */
  readonly readOptions: (argv: readonly string[], variables: Readonly<Record<string, string | undefined>>) => ReadProgramOptions<O>;
  /** Runs until `stop` aborts; throws {@link StartError} or `ConfigError` when it cannot start. */
  readonly run: (options: O, logger: Logger, stop: AbortSignal) => Promise<void>;
}

/**
 * Returns the logger for the log flags of a program. Each thread creates its own.
 *
 * @throws StartError when `--log_file` cannot be written
 */
export function createProgramLogger(flags: LogFlags): Logger {
  const vmodule = parseVmodule(flags.vmodule);
  try {
    return createLogger({
      format: flags['logging-format'] === 'json' ? 'json' : 'text',
      verbosity: flags.v,
      ...(vmodule.kind === 'Parsed' ? { verbosityOf: vmodule.verbosityOf } : {}),
      skipHeaders: flags.skip_headers,
      sink: logSink(flags),
    });
  } catch (error) {
    throw new StartError(`--log_file=${flags.log_file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns the program's logger. Ends the process with code 1 when it cannot be created. */
function startLogging(flags: LogFlags): Logger {
  try {
    return createProgramLogger(flags);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

/** Reports what ended the program to readers of its log. The fault of a start is one line without a stack, in JSON when the log is. */
function reportFailure(error: unknown, flags: LogFlags, logger: Logger): void {
  if (!(error instanceof StartError || error instanceof ConfigError))
    logger.error({ error, stack: error instanceof Error ? error.stack : undefined }, 'Exiting after an error');
  else if (flags['logging-format'] === 'json') logger.error({}, error.message);
  else process.stderr.write(`${error.message}\n`);
}

/** Stops on the first SIGTERM or SIGINT. The second one ends the process immediately with code 1. */
function stopOnSignals(logger: Logger): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(1);
      logger.info({ signal }, 'Stopping');
      stop.abort(new Error(`received ${signal}`));
    });
  }
  return stop.signal;
}

/**
 * Runs a program and ends the process: with 0 after a requested stop, with 1 after a failure or a failed start, or as {@link Program.readOptions}
 * returns.
 */
export async function runProgram<O extends { readonly flags: LogFlags }>({ readOptions, run }: Program<O>): Promise<never> {
  const read = readOptions(process.argv.slice(2), process.env);
  if (read.kind === 'End') {
    process[read.code === 0 ? 'stdout' : 'stderr'].write(`${read.output}\n`);
    process.exit(read.code);
  }
  const logger = startLogging(read.options.flags);
  const stop = stopOnSignals(logger);
  process.on('unhandledRejection', (error) => logger.error({ error }, 'Unhandled rejection'));
  try {
    await run(read.options, logger, stop);
    process.exit(0);
  } catch (error) {
    reportFailure(error, read.options.flags, logger);
    // A program that was stopped before it could start reports that.
    process.exit(stop.aborted && !(error instanceof StartError) ? 0 : 1);
  }
}
