/** Progress of long work as lines with the elapsed time, so that a wait always shows what it waits for. */

/** Accepts one line of progress; {@link createProgress} adds the times. */
export interface Progress {
  readonly note: (line: string) => void;
  /** Runs `work` and reports its end and duration. The code that catches a failure reports it. */
  readonly step: <T>(title: string, work: () => Promise<T>) => Promise<T>;
}

/** Reports nothing. */
export const silent: Progress = { note: () => undefined, step: (_title, work) => work() };

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/**
 * Creates a progress.
 *
 * @param write receives a whole line without its end
 * @param now in milliseconds; only differences count
 */
export function createProgress(write: (line: string) => void, now: () => number = () => performance.now()): Progress {
  const start = now();
  const note = (line: string): void => write(`[${inSeconds(now() - start).padStart(7)}] ${line}`);
  const step = async <T>(title: string, work: () => Promise<T>): Promise<T> => {
    const began = now();
    const result = await work();
    note(`${title} (${inSeconds(now() - began)})`);
    return result;
  };
  return { note, step };
}
