/**
 * Runs the integration tests that take longest first, so that none of them is left over at the end while the other workers are idle. Jest itself
 * knows how long a file took only where it has run before, and goes by the size of the file in a fresh clone.
 */
import { relative } from 'node:path';
import { root } from './run-program.ts';

/** Seconds of each longer file, measured in a run with four workers on two cores. Only the order depends on them. */
const seconds: Readonly<Record<string, number>> = {};
const usual = 15;

interface Test {
  readonly path: string;
}

const secondsOf = ({ path }: Test): number => seconds[relative(root, path)] ?? usual;

// eslint-disable-next-line no-restricted-syntax -- Jest asks for a default export
export default class LongestFirst {
  sort<T extends Test>(tests: readonly T[]): readonly T[] {
    return tests.toSorted((a, b) => secondsOf(b) - secondsOf(a) || a.path.localeCompare(b.path));
  }

  /** Jest's own record of durations is not used. */
  cacheResults(): void {}
}
