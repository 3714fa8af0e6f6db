/** Randomness that is the same in every run: without it the jitter of retries and watches makes a failing run drift when it is repeated. */

const multiplier = 1_664_525;
const increment = 1_013_904_223;
const size = 2 ** 32;

/** @returns a generator of numbers in [0, 1), always the same ones */
function seededRandom(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, multiplier) + increment) >>> 0;
    return state / size;
  };
}

/** Controllers take their jitter from `Math.random`, which is seeded until the work has ended. Only one such work may run at a time. */
export async function withSeededRandom<T>(work: () => Promise<T>): Promise<T> {
  const { random } = Math;
  Math.random = seededRandom();
  try {
    return await work();
  } finally {
    Math.random = random;
  }
}
