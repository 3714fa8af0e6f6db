/** Where log lines are written: stderr, a file, or both. @see spec/manager.md 2.2 (`--logtostderr`, `--log_file`) */
import { destination } from 'pino';
import type { LogFlags } from './log-flags.ts';
import type { LineSink } from './logger.ts';

/** Returns a sink that writes lines synchronously, so that none is lost when the process is killed. */
export function logSink(flags: Pick<LogFlags, 'log_file' | 'logtostderr'>): LineSink {
  const stderr = destination({ fd: 2, sync: true });
  if (flags.log_file === '') return stderr;
  const file = destination({ dest: flags.log_file, sync: true, mkdir: true });
  if (!flags.logtostderr) return file;
  return {
    write(line) {
      stderr.write(line);
      file.write(line);
    },
  };
}
