/** Jest's sequencer of the unit tests: searches, which are short files that take long, then the others by size. */
import { statSync } from 'node:fs';
import { longestFirst } from './longest-first.ts';

/** By what is in their names, the longest first. */
const longest = [
  /refused-writes\.property/,
  /uniteddeployment\/runs\/crash/,
  /webhooks\.(cost\.)?property/,
  /recreate\/crash/,
  /daemonset\/runs\/crash/,
  /\/crash\./,
  /profiling-server|webhook-server|churn|probes\/states/,
  /\.property\./,
  /\.golden\.|\.memory\./,
];
/** More than any file has. */
const manyBytes = 10_000_000;

const ranks = new Map<string, number>();

/** Ranks of searches are above the size of any file, in bytes. */
function rankOf(path: string): number {
  const known = ranks.get(path);
  if (known !== undefined) return known;
  const place = longest.findIndex((pattern) => pattern.test(path));
  const rank = (place === -1 ? 0 : (longest.length - place) * manyBytes) + statSync(path).size;
  ranks.set(path, rank);
  return rank;
}

// eslint-disable-next-line no-restricted-syntax -- Jest requires a default export
export default longestFirst(rankOf);
