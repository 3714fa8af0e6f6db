/** Entry point of kruise-daemon: reads the options, runs until SIGTERM or SIGINT, and says with its exit code how it went. */
import { ConfigError } from '@kruise/kube';
import { createLogger, logSink } from '@kruise/process';
import { runDaemon, StartError } from './daemon.ts';
import { readOptions } from './options/options.ts';

async function main(): Promise<number> {
  const read = readOptions(process.argv.slice(2), process.env);
  if (read.kind === 'End') {
    process[read.code === 0 ? 'stdout' : 'stderr'].write(`${read.output}\n`);
    return read.code;
  }
  const { flags } = read.options;
  const logger = createLogger({
    format: flags['logging-format'] === 'json' ? 'json' : 'text',
    verbosity: flags.v,
    skipHeaders: flags.skip_headers,
    sink: logSink(flags),
  });
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(1);
      logger.info({ signal }, 'Stopping');
      stop.abort(new Error(`received ${signal}`));
    });
  }
  process.on('unhandledRejection', (error) => logger.error({ error }, 'Unhandled rejection'));
  try {
    await runDaemon(read.options, logger, stop.signal);
    return 0;
  } catch (error) {
    if (error instanceof StartError || error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
    else logger.error({ error, stack: error instanceof Error ? error.stack : undefined }, 'The daemon ends');
    return stop.signal.aborted ? 0 : 1;
  }
}

process.exit(await main());
