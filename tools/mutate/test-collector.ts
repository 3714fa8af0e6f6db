/**
 * What stands in for `@jest/globals` while mutants are tried: it collects tests instead of running them, so that one loaded process can run any of
 * them repeatedly, a mutant at a time. Loading a file and its modules takes a hundred times as long as running a table.
 *
 * Only what the tests of pure rules use is here; anything else throws when it is called, and the file that calls it cannot be loaded.
 */
import { bind } from 'jest-each';

type Body = () => unknown;

export interface CollectedTest {
  /** File, describe blocks and title: unique within a run. */
  readonly id: string;
  readonly file: string;
  readonly body: Body;
  readonly suite: Suite;
}

interface Suite {
  readonly parent: Suite | undefined;
  readonly title: string;
  readonly beforeAll: Body[];
  readonly afterAll: Body[];
  readonly beforeEach: Body[];
  readonly afterEach: Body[];
}

const newSuite = (parent: Suite | undefined, title: string): Suite => ({
  parent,
  title,
  beforeAll: [],
  afterAll: [],
  beforeEach: [],
  afterEach: [],
});

let file = '';
let suite = newSuite(undefined, '');
let tests: CollectedTest[] = [];

/** Loads one test file by `load` and returns its tests in their order. */
export async function collect(name: string, load: () => Promise<unknown>): Promise<readonly CollectedTest[]> {
  file = name;
  suite = newSuite(undefined, '');
  tests = [];
  await load();
  return tests;
}

const titles = (of: Suite | undefined): readonly string[] => (of === undefined ? [] : [...titles(of.parent), of.title]);

function addTest(title: string, body: Body): void {
  const name = [file, ...titles(suite).slice(1), title].join(' > ');
  const same = tests.filter(({ id }) => id === name || id.startsWith(`${name} #`)).length;
  tests.push({ id: same === 0 ? name : `${name} #${same + 1}`, file, body, suite });
}

function addSuite(title: string, body: () => void): void {
  const outer = suite;
  suite = newSuite(outer, title);
  body();
  suite = outer;
}

/** Takes a table, then title and body as Jest's `each` does. */
type Each = (table: readonly unknown[]) => (title: string, body: (...row: readonly unknown[]) => unknown) => void;

type Bound = Parameters<typeof bind>[0];

const nothing = (): void => undefined;
const skip = Object.assign(nothing, { each: () => nothing });

export const it = Object.assign(addTest, { each: bind(addTest as Bound, false) as Each, skip });
export const test = it;
export const describe = Object.assign(addSuite, { each: bind(addSuite as Bound, false) as Each, skip });

export const beforeAll = (body: Body): void => void suite.beforeAll.push(body);
export const afterAll = (body: Body): void => void suite.afterAll.push(body);
export const beforeEach = (body: Body): void => void suite.beforeEach.push(body);
export const afterEach = (body: Body): void => void suite.afterEach.push(body);

export const jest = new Proxy(
  {},
  {
    get: (_target, name) => {
      throw new Error(`jest.${String(name)} is not there while mutants are tried`);
    },
  },
);

const suitesOf = (of: Suite | undefined): readonly Suite[] => (of === undefined ? [] : [...suitesOf(of.parent), of]);

/** Rejects when a test, or a hook, takes longer than this: a promise that a mutant left open. */
export const longestMs = 5_000;

function limited<T>(work: T | PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${longestMs / 1000} s`)), longestMs);
  });
  return Promise.race([Promise.resolve(work), limit]).finally(() => clearTimeout(timer));
}

/** The suites that have begun, each with what its `beforeAll` hooks failed with. */
class Begun {
  readonly #failures = new Map<Suite, { readonly error: unknown } | undefined>();

  /** @throws what the hooks of the suite failed with, now or before */
  async begin(suite: Suite): Promise<void> {
    if (!this.#failures.has(suite)) this.#failures.set(suite, await failureOf(suite.beforeAll));
    const failure = this.#failures.get(suite);
    if (failure !== undefined) throw failure.error;
  }

  async end(): Promise<void> {
    for (const suite of [...this.#failures.keys()].toReversed()) await failureOf(suite.afterAll);
  }
}

async function failureOf(bodies: readonly Body[]): Promise<{ readonly error: unknown } | undefined> {
  try {
    for (const body of bodies) await limited(body());
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** Rejects with what the test, or a hook around it, fails with. */
async function runTest({ suite: inner, body }: CollectedTest, begun: Begun): Promise<void> {
  const suites = suitesOf(inner);
  for (const one of suites) await begun.begin(one);
  for (const hook of suites.flatMap(({ beforeEach: hooks }) => hooks)) await limited(hook());
  try {
    await limited(body());
  } finally {
    for (const hook of suites.toReversed().flatMap(({ afterEach: hooks }) => hooks)) await limited(hook());
  }
}

/**
 * Runs tests in the order given, those of a suite between its hooks.
 *
 * @param each called with the result of each, `failure` undefined for a test that passed; `false` ends the run
 */
export async function run(
  chosen: readonly CollectedTest[],
  begin: (test: CollectedTest) => void,
  each: (test: CollectedTest, failure: { readonly error: unknown } | undefined, ms: number) => boolean,
): Promise<void> {
  const begun = new Begun();
  for (const one of chosen) {
    begin(one);
    const began = performance.now();
    const failure = await failureOf([() => runTest(one, begun)]);
    if (!each(one, failure, performance.now() - began)) break;
  }
  await begun.end();
}
