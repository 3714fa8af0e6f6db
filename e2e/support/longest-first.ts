/**
 * Files whose tests take long, most of it waiting, begin first: one that began last would keep the others waiting for it alone. Jest knows how long
 * files take only where it has run before.
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

interface TestFile {
  readonly path: string;
}

const placeOf = ({ path }: TestFile): number => {
  const place = longest.indexOf(basename(path));
  return place === -1 ? longest.length : place;
};

// eslint-disable-next-line no-restricted-syntax -- Jest asks for a default export
export default class LongestFirst {
  sort<Test extends TestFile>(tests: readonly Test[]): readonly Test[] {
    return tests.toSorted((a, b) => placeOf(a) - placeOf(b) || a.path.localeCompare(b.path));
  }

  /** The order does not depend on runs before. */
  cacheResults(): void {}
}
