/** The order in which Jest runs test files: those that take longest first, so that none is left over at the end while the other workers are idle. */

interface TestFile {
  readonly path: string;
}

interface Sequencer {
  sort<T extends TestFile>(tests: readonly T[]): readonly T[];
  cacheResults(): void;
}

/**
 * Returns a sequencer for Jest, which itself knows how long a file took only where it has run before.
 *
 * @param secondsOf how long a file takes, by its path; only the order matters. Equal files run in the order of their paths.
 */
export const longestFirst = (secondsOf: (path: string) => number): new () => Sequencer =>
  class LongestFirst {
    sort<T extends TestFile>(tests: readonly T[]): readonly T[] {
      return tests.toSorted((a, b) => secondsOf(b.path) - secondsOf(a.path) || a.path.localeCompare(b.path));
    }

    /** Jest's own record of durations is not used. */
    cacheResults(): void {}
  };
