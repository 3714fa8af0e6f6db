/**
 * What tests get as `fast-check` while mutants are tried: few runs, always of the same seed, and no shrinking, because no user reads the counterexample.
 */
import * as real from 'fast-check';

const mostRuns = 40;
const seed = 20_260_101;

type Parameters = { readonly numRuns?: number } | undefined;
const quick = (given: Parameters): object => ({
  ...given,
  numRuns: Math.min(given?.numRuns ?? 100, mostRuns),
  seed,
  endOnFailure: true,
  verbose: 0,
});

const assert = (property: never, given?: Parameters): unknown => real.assert(property, quick(given));
const sample = (of: never, given?: Parameters | number): unknown =>
  real.sample(of, typeof given === 'object' ? { seed, ...given } : { seed, numRuns: given ?? 10 });

const fc = { ...real.default, assert, sample };

// eslint-disable-next-line no-restricted-syntax -- stands in for a module that has one
export default fc;
