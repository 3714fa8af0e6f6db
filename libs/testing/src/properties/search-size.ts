/**
 * How much a search tries. Every change waits for the normal run, so that run tries what finds the mistakes a test covers; `npm run nightly` tries
 * the full number (`KRUISE_TEST_TIER=nightly`).
 */

type Env = Readonly<Record<string, string | undefined>>;

const isNightly = (env: Env): boolean => env['KRUISE_TEST_TIER'] === 'nightly';

/**
 * The number of cases of a property.
 *
 * @param usual in a normal run
 * @param nightly in the nightly run
 * @returns `FC_RUNS` if it is set, in both runs
 */
export function casesOf(usual: number, nightly = 2000, env: Env = process.env): number {
  const asked = env['FC_RUNS'];
  if (asked !== undefined) return Number(asked);
  return isNightly(env) ? Math.max(usual, nightly) : usual;
}

/** Which of the steps 1, 2, 3… are tried: `first`, and then every `every`th. */
export interface StepChoice {
  readonly first: number;
  readonly every: number;
}

/**
 * Steps that are tried in several ways, such as a death before or after each of them.
 *
 * @returns in a normal run the ways share the steps: each step is tried in one way. In the nightly run each way tries all steps.
 */
export function stepsOf<Way>(way: Way, ways: readonly Way[], env: Env = process.env): StepChoice {
  return isNightly(env) ? { first: 1, every: 1 } : { first: ways.indexOf(way) + 1, every: ways.length };
}
