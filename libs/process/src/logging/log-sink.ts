/** Where log lines go: stderr, a file, or both. @see spec/manager.md 2.2 (`--logtostderr`, `--log_file`) */
import { destination } from 'pino';
import type { LogFlags } from './log-flags.ts';
import type { LineSink } from './logger.ts';

/** Lines are written at once, so that none is lost when the process is killed. */
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
