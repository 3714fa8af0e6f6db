/** The part of Jest's `it` or `describe` that is used here. This project does not depend on Jest, because programs use it too. */
export interface Runs<Rest extends readonly unknown[]> {
  (name: string, ...rest: Rest): void;
  readonly skip: (name: string, ...rest: Rest) => void;
}

/**
 * Returns `it` or `describe` when the machine has what the tests need. Otherwise they are skipped, and their names end with the reason, which the end
 * of every run repeats. This is the only way to skip: lint refuses `.skip`, and a skipped test without a reason fails the run.
 *
 * @param reason what is missing when the condition is false, e.g. `needs root`
 * @example skipUnless(process.getuid() === 0, 'needs root', it)('mounts what it unpacks', async () => { … });
 */
export const skipUnless =
  <Rest extends readonly unknown[]>(condition: boolean, reason: string, run: Runs<Rest>): ((name: string, ...rest: Rest) => void) =>
  (name, ...rest) =>
    condition ? run(name, ...rest) : run.skip(`${name} (skipped: ${reason})`, ...rest);
