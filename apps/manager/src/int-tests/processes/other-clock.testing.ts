/** The environment of a process whose clock is off. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Loaded before the program, in each of its threads. */
const otherClock = `
const Real = Date;
const offset = Number(process.env.KRUISE_TEST_CLOCK_OFFSET_MS);
globalThis.Date = class Date extends Real {
  constructor(...given) {
    super(...(given.length === 0 ? [Real.now() + offset] : given));
  }
  static now() {
    return Real.now() + offset;
  }
};
`;

/** @param dir where a file for it may be @param offsetMs how much the clock is ahead */
export function withClock(dir: string, offsetMs: number): Readonly<Record<string, string>> {
  const file = join(dir, 'clock.mjs');
  writeFileSync(file, otherClock);
  return { NODE_OPTIONS: `--import=${file}`, KRUISE_TEST_CLOCK_OFFSET_MS: String(offsetMs) };
}
