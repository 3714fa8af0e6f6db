/**
 * A test runner for Stryker that loads the tests once and runs those that reach a mutant again for each, in the same process. Stryker's runner for
 * Jest starts Jest anew for each mutant: seconds, for thousands of mutants.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type InstrumenterContext, type MutantCoverage, type StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  determineHitLimitReached,
  DryRunStatus,
  toMutantRunResult,
  TestStatus,
  type CompleteDryRunResult,
  type DryRunResult,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
} from '@stryker-mutator/api/test-runner';
import { newGeneration } from './resolve-hooks.ts';
import { collect, longestMs, run, type CollectedTest } from './test-collector.ts';

/** Of the tests that reach a mutant, those that cost little first: most mutants die of the first table that they meet. */
const costOf = (file: string): number =>
  /\.property\.|disturbed|no-deadlock/.test(file) ? 3 : /crash|controller|simulation/.test(file) ? 4 : /golden|takeover/.test(file) ? 2 : 1;

const stemOf = (file: string): string => basename(file).replace(/\..*$/, '');

/** Test files in the order in which they are likely to tell of a change in `file`. */
function likeliestFirst(tests: readonly string[], file: string): readonly string[] {
  const distance = (test: string): number => (dirname(test) !== dirname(file) ? 20 : stemOf(test) === stemOf(file) ? 0 : 10) + costOf(test);
  return tests.toSorted((a, b) => distance(a) - distance(b));
}

const messageOf = (failure: unknown): string => (failure instanceof Error ? (failure.stack ?? failure.message) : String(failure));

const isSkipped = ({ status }: TestResult): boolean => status === TestStatus.Skipped;

/**
 * A test that fails without a mutant, for what is slower or done less often here: a limit of time, a number of cases. It could not tell a mutant
 * from none, so it is left out, as is one that comes near the limit of its time. That it passes is for `npm test` to say.
 */
const asUnfit = (result: TestResult): TestResult =>
  result.status === TestStatus.Failed || result.timeSpentMs > longestMs / 2
    ? { id: result.id, name: result.name, timeSpentMs: result.timeSpentMs, status: TestStatus.Skipped }
    : result;

const loadTests = (file: string): Promise<readonly CollectedTest[]> =>
  collect(file, () => import(pathToFileURL(join(process.cwd(), file)).href));

class MutantRunner implements TestRunner {
  static readonly inject = tokens(commonTokens.options);
  readonly #files: readonly string[];
  /** Where the first process writes for the others which tests fail without any mutant. */
  readonly #unfitFile: string;
  readonly #context: InstrumenterContext;
  #tests: readonly CollectedTest[] | undefined;
  #unfit: ReadonlySet<string> | undefined;

  constructor(options: StrykerOptions) {
    const { testFilesFrom } = options['mutantRunner'] as { readonly testFilesFrom: string };
    this.#files = JSON.parse(readFileSync(testFilesFrom, 'utf8')) as readonly string[];
    this.#unfitFile = join(dirname(testFilesFrom), 'unfit-tests.json');
    const scope = globalThis as unknown as { __stryker__?: InstrumenterContext };
    this.#context = scope.__stryker__ ??= {};
    // A mutant may leave promises behind that nobody waits for; they are not the next mutant's.
    process.on('unhandledRejection', () => undefined);
    process.on('uncaughtException', () => undefined);
  }

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: true };
  }

  async dryRun(): Promise<DryRunResult> {
    try {
      const tests = await this.#load();
      delete this.#context.activeMutant;
      const results = (await this.#run(tests, false)).map(asUnfit);
      writeFileSync(this.#unfitFile, JSON.stringify(results.filter(isSkipped).map(({ id }) => id)));
      return { status: DryRunStatus.Complete, tests: results, mutantCoverage: this.#context.mutantCoverage as MutantCoverage };
    } catch (error) {
      return { status: DryRunStatus.Error, errorMessage: messageOf(error) };
    }
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, sandboxFileName, testFilter, hitLimit, mutantActivation, reloadEnvironment } = options;
    this.#context.hitCount = 0;
    if (hitLimit === undefined) delete this.#context.hitLimit;
    else this.#context.hitLimit = hitLimit;
    const isStatic = mutantActivation === 'static';
    if (reloadEnvironment || isStatic) this.#forget();
    const chosen = isStatic ? [] : await this.#choose(testFilter);
    this.#context.activeMutant = activeMutant.id;
    const results = isStatic ? await this.#runFromLoad(sandboxFileName) : await this.#run(chosen, true);
    if (isStatic) this.#forget();
    delete this.#context.activeMutant;
    const complete: CompleteDryRunResult = { status: DryRunStatus.Complete, tests: [...results] };
    return toMutantRunResult(determineHitLimitReached(this.#context.hitCount, this.#context.hitLimit) ?? complete);
  }

  #forget(): void {
    newGeneration();
    this.#tests = undefined;
  }

  async #choose(testFilter: readonly string[] | undefined): Promise<readonly CollectedTest[]> {
    const wanted = testFilter === undefined ? undefined : new Set(testFilter);
    const tests = await this.#load();
    return tests.filter(({ id }) => this.#isFit(id) && (wanted?.has(id) ?? true)).toSorted((a, b) => costOf(a.file) - costOf(b.file));
  }

  /** A mutant of module scope is there while modules load: file by file, so that most of them need not be loaded anew. */
  async #runFromLoad(mutated: string): Promise<readonly TestResult[]> {
    const all: TestResult[] = [];
    for (const file of likeliestFirst(this.#files, relative(process.cwd(), mutated))) {
      let tests: readonly CollectedTest[];
      try {
        tests = await loadTests(file);
      } catch (error) {
        return [{ id: 'load', name: `${file} loads`, timeSpentMs: 0, status: TestStatus.Failed, failureMessage: messageOf(error) }];
      }
      const results = await this.#run(
        tests.filter(({ id }) => this.#isFit(id)),
        true,
      );
      all.push(...results);
      if (results.some(({ status }) => status === TestStatus.Failed)) return all;
    }
    return all;
  }

  #isFit(id: string): boolean {
    this.#unfit ??= this.#readUnfit();
    return !this.#unfit.has(id);
  }

  #readUnfit(): ReadonlySet<string> {
    return new Set(existsSync(this.#unfitFile) ? (JSON.parse(readFileSync(this.#unfitFile, 'utf8')) as readonly string[]) : []);
  }

  async #load(): Promise<readonly CollectedTest[]> {
    if (this.#tests !== undefined) return this.#tests;
    const tests: CollectedTest[] = [];
    for (const file of this.#files) tests.push(...(await loadTests(file)));
    this.#tests = tests;
    return tests;
  }

  async #run(tests: readonly CollectedTest[], bail: boolean): Promise<TestResult[]> {
    const results: TestResult[] = [];
    await run(
      tests,
      ({ id }) => (this.#context.currentTestId = id),
      ({ id, file }, failure, timeSpentMs) => {
        const common = { id, name: id, fileName: join(process.cwd(), file), timeSpentMs };
        results.push(
          failure === undefined
            ? { ...common, status: TestStatus.Success }
            : { ...common, status: TestStatus.Failed, failureMessage: messageOf(failure.error) },
        );
        return failure === undefined || !bail;
      },
    );
    delete this.#context.currentTestId;
    return results;
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'mutant-runner', MutantRunner)];
