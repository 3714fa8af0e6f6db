/**
 * What tests get as `fast-check` (`moduleNameMapper` of Jest). A normal run tries the same cases every time, so a change fails for its own mistakes only.
 * New cases are tried in the nightly run and wherever `FC_RUNS` requests more; `FC_SEED` repeats a run.
 */
import fc from '../../../node_modules/fast-check/lib/fast-check.js';
import { isNightly } from '../../../libs/testing/src/properties/search-size.ts';

const usualSeed = 20_260_302;

/** @returns undefined for a new seed in every run */
export function seedOf(env: Readonly<Record<string, string | undefined>>): number | undefined {
  if (env['FC_SEED'] !== undefined) return Number(env['FC_SEED']);
  return env['FC_RUNS'] === undefined && !isNightly(env) ? usualSeed : undefined;
}

const seed = seedOf(process.env);
if (seed !== undefined) fc.configureGlobal({ seed });

// eslint-disable-next-line no-restricted-syntax -- takes the place of a module that has one
export default fc;
