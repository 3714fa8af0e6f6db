/** Jest's `it` or `describe`, as far as it is used here: this project knows no Jest, as programs use it too. */
export interface Runs<Rest extends readonly unknown[]> {
  (name: string, ...rest: Rest): void;
  readonly skip: (name: string, ...rest: Rest) => void;
}

/**
 * `it` or `describe` where a machine has what the tests need; elsewhere they are skipped, and their names end with the reason, which the end of
 * every run repeats. The only way to skip: lint refuses `.skip`, and a skipped test without a reason fails the run.
 *
 * @param reason what is missing where the condition does not hold, e.g. `needs root`
 * @example skipUnless(process.getuid() === 0, 'needs root', it)('mounts what it unpacks', async () => { … });
 */
export const skipUnless =
  <Rest extends readonly unknown[]>(condition: boolean, reason: string, run: Runs<Rest>): ((name: string, ...rest: Rest) => void) =>
  (name, ...rest) =>
    condition ? run(name, ...rest) : run.skip(`${name} (skipped: ${reason})`, ...rest);
