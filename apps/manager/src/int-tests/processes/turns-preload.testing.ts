/**
 * Preloaded (`--import`) into each thread of a manager under test. It measures how long the event loop of the thread holds others up, in CPU of the thread: what
 * else the machine does adds nothing. `turns.testing.ts` reads the file that each thread writes into `TURNS_FOLDER`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const folder = process.env['TURNS_FOLDER'];
/** Timers run once a turn, so that the CPU between two of them is that of one turn, and of at most this long beside it. */
const everyMs = 2;
/** Of these timers, how many pass between two probes. */
const ticksPerProbe = 5;
/** Turns of the loop that a probe waits for: as many as a review takes from its first byte to its answer. */
const turnsOfProbe = 5;

/** CPU of this thread so far, in ms. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Counts by whole ms of CPU. */
class Counts {
  readonly #counts: number[] = [];

  note(ms: number): void {
    const index = Math.round(ms);
    while (this.#counts.length <= index) this.#counts.push(0);
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  toJSON(): readonly number[] {
    return this.#counts;
  }
}

if (folder !== undefined) {
  const file = join(folder, `${process.pid}-${threadId}`);
  const [turns, probes] = [new Counts(), new Counts()];
  const probe = (began: number, turnsLeft: number): void => {
    if (turnsLeft > 0) setImmediate(probe, began, turnsLeft - 1);
    else {
      probes.note(cpuMs() - began);
      writeFileSync(file, JSON.stringify({ turns, probes }));
    }
  };
  let [before, ticks] = [cpuMs(), 0];
  setInterval(() => {
    turns.note(cpuMs() - before);
    if (++ticks % ticksPerProbe === 0) probe(cpuMs(), turnsOfProbe);
    before = cpuMs();
  }, everyMs).unref();
}
