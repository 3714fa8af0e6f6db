/** How long the event loops of managers hold others up, in CPU of their threads, as `turns-preload.testing.ts` measures it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Environment of a manager whose turns are written to this folder. @param options of Node besides */
export const turnsEnvironment = (folder: string, options: string): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `${options} --import=${join(import.meta.dirname, 'turns-preload.testing.ts')}`,
  TURNS_FOLDER: folder,
});

/** How often something took so many ms of CPU; the index is the number of ms. */
type Counts = readonly number[];

export interface Turns {
  /** CPU of the turns of all event loops. */
  readonly turns: Counts;
  /** CPU of a loop from a moment until it has come round a few times: what a request waits for at that moment. */
  readonly probes: Counts;
}

const sum = (all: readonly Counts[]): Counts =>
  Array.from({ length: Math.max(0, ...all.map(({ length }) => length)) }, (_, ms) =>
    all.reduce((total, each) => total + (each[ms] ?? 0), 0),
  );

/** @returns what all threads have measured since they started. A file that is being written counts once it is whole. */
export function readTurns(folder: string): Turns {
  const files = readdirSync(folder).map((name) => {
    for (;;)
      try {
        return JSON.parse(readFileSync(join(folder, name), 'utf8')) as Turns;
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
  });
  return { turns: sum(files.map(({ turns }) => turns)), probes: sum(files.map(({ probes }) => probes)) };
}

const minus = (after: Counts, before: Counts): Counts => after.map((count, ms) => count - (before[ms] ?? 0));

/** @returns what was measured between two readings */
export const turnsBetween = (before: Turns, after: Turns): Turns => ({
  turns: minus(after.turns, before.turns),
  probes: minus(after.probes, before.probes),
});

/** @returns in ms of CPU: the one that at least this share of all does not exceed */
export function quantileOf(counts: Counts, share: number): number {
  const wanted = counts.reduce((total, count) => total + count, 0) * share;
  let seen = 0;
  return counts.findIndex((count) => (seen += count) >= wanted && seen > 0);
}

/** @returns in ms of CPU, 0 when nothing was measured */
export const longestOf = (counts: Counts): number =>
  Math.max(
    0,
    counts.findLastIndex((count) => count > 0),
  );
