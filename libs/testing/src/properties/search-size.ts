/**
 * How much a search tries. Every change waits for the normal run, so that run tries as many cases as find the mistakes that a test covers. `npm run
 * nightly` tries the full number (`KRUISE_TEST_TIER=nightly`, or `nightly-integration` for tests with a control plane), and `npm test -- --quick` a
 * quarter of the usual one (`KRUISE_TEST_TIER=quick`).
 */

type Env = Readonly<Record<string, string | undefined>>;

/** Returns whether this is the nightly run, with or without a control plane. */
export const isNightly = (env: Env = process.env): boolean => env['KRUISE_TEST_TIER']?.startsWith('nightly') === true;

/** The quick run tries one of this many cases and steps. */
const quickShare = 4;

/** Returns whether this is the quick run, whose few cases do not show how often something occurs. */
export const isQuick = (env: Env = process.env): boolean => env['KRUISE_TEST_TIER'] === 'quick' && env['FC_RUNS'] === undefined;

/**
 * Returns the number of cases of a property.
 *
 * @param usual in a normal run
 * @param nightly in the nightly run
 * @returns `FC_RUNS` if it is set, in every run
 */
export function casesOf(usual: number, nightly = 2000, env: Env = process.env): number {
  const asked = env['FC_RUNS'];
  if (asked !== undefined) return Number(asked);
  if (isQuick(env)) return Math.ceil(usual / quickShare);
  return isNightly(env) ? Math.max(usual, nightly) : usual;
}

/** Which of the steps 1, 2, 3… are tried: `first`, and then every `every`th. */
export interface StepChoice {
  readonly first: number;
  readonly every: number;
}

/**
 * Returns steps that are tried in several ways, such as a death before or after each of them.
 *
 * @returns in a normal run the ways divide the steps: each step is tried in one way. In the quick run the ways divide every fourth step; in the
 * nightly run each way tries all steps.
 */
export function stepsOf<Way>(way: Way, ways: readonly Way[], env: Env = process.env): StepChoice {
  if (isNightly(env)) return { first: 1, every: 1 };
  return { first: ways.indexOf(way) + 1, every: ways.length * (isQuick(env) ? quickShare : 1) };
}

/**
 * Returns the values that a test covers, such as versions to upgrade from, where each takes long.
 *
 * @returns the first one in a normal run; all in the nightly run
 */
export const sampleOf = <Value>(values: readonly Value[], env: Env = process.env): readonly Value[] =>
  isNightly(env) ? values : values.slice(0, 1);
