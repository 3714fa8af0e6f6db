/** Tests of features that only some releases of Kubernetes have. */
import { kubernetesUnderTest } from './cluster/binaries/index.ts';
import { type Runs, skipUnless } from './skip-unless.ts';

/** Returns the minor version of the Kubernetes release that control planes run: 34 for 1.34.4. */
export const minorUnderTest = (env: Readonly<Record<string, string | undefined>> = process.env): number =>
  Number(kubernetesUnderTest(env).split('.')[1]);

/**
 * Returns `it` or `describe` for Kubernetes 1.`minor` and later. On older releases the tests are skipped, and their names contain the reason.
 *
 * @example sinceKubernetes(34, it)('starts with a streaming list', async () => { … });
 */
export const sinceKubernetes = <Rest extends readonly unknown[]>(minor: number, run: Runs<Rest>): ((name: string, ...rest: Rest) => void) =>
  skipUnless(minorUnderTest() >= minor, `needs Kubernetes 1.${minor}`, run);

/**
 * Returns the same as {@link sinceKubernetes} for features of releases before 1.`minor`: on 1.`minor` and later the tests are skipped, and their
 * names contain the reason.
 */
export const beforeKubernetes = <Rest extends readonly unknown[]>(
  minor: number,
  run: Runs<Rest>,
): ((name: string, ...rest: Rest) => void) => skipUnless(minorUnderTest() < minor, `needs Kubernetes before 1.${minor}`, run);
