/** Progress of long work as lines with the elapsed time, so that a wait always says what it waits for. */

/** Takes one line of progress; times are added by {@link createProgress}. */
export interface Progress {
  readonly note: (line: string) => void;
  /** Runs `work` and reports its end and how long it took; a failure is reported by whoever catches it. */
  readonly step: <T>(title: string, work: () => Promise<T>) => Promise<T>;
}

/** Reports nothing. */
export const silent: Progress = { note: () => undefined, step: (_title, work) => work() };

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/**
 * @param write takes a whole line without its end
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
