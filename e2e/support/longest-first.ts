/**
 * The order of the files of a stage. Those that take long begin first: one that began last would keep the others waiting for it alone. Jest knows
 * how long files take only where it has run before.
 */
import { basename } from 'node:path';

const longest = [
  'workloadspread-adaptive',
  'cloneset-resources',
  'daemonset-update',
  'advancedcronjob',
  'uniteddeployment-spread',
  'statefulset-scale',
].map((name) => `${name}.e2e.test.ts`);

/** Installs anew with other gates. */
const last = 'uninstall.e2e.test.ts';

interface TestFile {
  readonly path: string;
}

function placeOf({ path }: TestFile): number {
  const name = basename(path);
  if (name === last) return longest.length + 1;
  const place = longest.indexOf(name);
  return place === -1 ? longest.length : place;
}

// eslint-disable-next-line no-restricted-syntax -- Jest asks for a default export
export default class LongestFirst {
  sort<Test extends TestFile>(tests: readonly Test[]): readonly Test[] {
    return tests.toSorted((a, b) => placeOf(a) - placeOf(b) || a.path.localeCompare(b.path));
  }

  /** The order does not depend on runs before. */
  cacheResults(): void {}
}
