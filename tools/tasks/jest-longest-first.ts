/**
 * Starts the unit test files that take long before all others, so that both workers end at about the same time. Jest itself knows how long a file takes
 * only after a run on the same machine; without one it starts large files first, and searches are short files that take long.
 */
import { statSync } from 'node:fs';

/** By what is in their names, the longest first. */
const longest = [
  /uniteddeployment\/crash/,
  /webhooks\.(cost\.)?property/,
  /recreate\/crash/,
  /daemonset\/crash/,
  /\/crash\./,
  /profiling-server|webhook-server|churn|probes\/states/,
  /\.property\./,
  /\.golden\.|\.memory\./,
];

interface TestFile {
  readonly path: string;
}

const placeOf = (path: string): number => {
  const place = longest.findIndex((pattern) => pattern.test(path));
  return place === -1 ? longest.length : place;
};

// eslint-disable-next-line no-restricted-syntax -- Jest asks for a default export
export default class LongestFirst {
  sort<Test extends TestFile>(tests: readonly Test[]): readonly Test[] {
    const places = new Map(tests.map(({ path }) => [path, { place: placeOf(path), bytes: statSync(path).size }]));
    const of = ({ path }: Test): { readonly place: number; readonly bytes: number } => places.get(path) ?? { place: Infinity, bytes: 0 };
    return tests.toSorted((a, b) => of(a).place - of(b).place || of(b).bytes - of(a).bytes);
  }

  /** The order does not depend on earlier runs. */
  cacheResults(): void {}
}
