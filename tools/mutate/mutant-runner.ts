/**
 * A test runner for Stryker that loads the tests once and runs those that reach a mutant again for each, in the same process. Stryker's runner for
 * Jest starts Jest again for each mutant: seconds, for thousands of mutants.
 */
import { readFileSync, writeFileSync } from 'node:fs';
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

/** Milliseconds that each test took without a mutant, by its id; only of those that can detect a mutant. */
type Times = Readonly<Record<string, number>>;

const stemOf = (file: string): string => basename(file).replace(/\..*$/, '');

/** 0 for the tests of `file` itself, 1 for those in its folder. */
const distanceTo = (file: string, test: string): number => (dirname(test) !== dirname(file) ? 2 : stemOf(test) === stemOf(file) ? 0 : 1);

const messageOf = (failure: unknown): string => (failure instanceof Error ? (failure.stack ?? failure.message) : String(failure));

/**
 * A test that fails without a mutant, for what is slower or done less often here: a limit of time, a number of cases. It could not detect a mutant
 * from none, so it is omitted, as is one that comes near the limit of its time. That it passes is for `npm test` to say.
 */
const isFit = ({ status, timeSpentMs }: TestResult): boolean => status !== TestStatus.Failed && timeSpentMs < longestMs / 2;

const loadTests = (file: string): Promise<readonly CollectedTest[]> =>
  collect(file, () => import(pathToFileURL(join(process.cwd(), file)).href));

class MutantRunner implements TestRunner {
  static readonly inject = tokens(commonTokens.options);
  readonly #files: readonly string[];
  /** Where the first process writes the times for the others. */
  readonly #timesFile: string;
  readonly #context: InstrumenterContext;
  #tests: readonly CollectedTest[] | undefined;
  #times: Times | undefined;

  constructor(options: StrykerOptions) {
    const { testFilesFrom } = options['mutantRunner'] as { readonly testFilesFrom: string };
    this.#files = JSON.parse(readFileSync(testFilesFrom, 'utf8')) as readonly string[];
    this.#timesFile = join(dirname(testFilesFrom), 'times.json');
    const scope = globalThis as unknown as { __stryker__?: InstrumenterContext };
    this.#context = scope.__stryker__ ??= {};
    // A mutant may leave promises behind that no code waits for; they are not the next mutant's.
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
      const results = (await this.#run(tests, false)).filter(isFit);
      writeFileSync(this.#timesFile, JSON.stringify(Object.fromEntries(results.map(({ id, timeSpentMs }) => [id, timeSpentMs]))));
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
    const file = relative(process.cwd(), sandboxFileName);
    const chosen = isStatic ? [] : this.#likeliestFirst(await this.#load(), file, testFilter);
    this.#context.activeMutant = activeMutant.id;
    const results = isStatic ? await this.#runFromLoad(file) : await this.#run(chosen, true);
    if (isStatic) this.#forget();
    delete this.#context.activeMutant;
    const complete: CompleteDryRunResult = { status: DryRunStatus.Complete, tests: [...results] };
    return toMutantRunResult(determineHitLimitReached(this.#context.hitCount, this.#context.hitLimit) ?? complete);
  }

  #forget(): void {
    newGeneration();
    this.#tests = undefined;
  }

  /**
   * Those of a file's own tests that take least time come first, and then all others that do.
   *
   * @param among only tests with these ids; all that are fit when undefined
   */
  #likeliestFirst(tests: readonly CollectedTest[], file: string, among?: readonly string[]): readonly CollectedTest[] {
    const times = (this.#times ??= JSON.parse(readFileSync(this.#timesFile, 'utf8')) as Times);
    const wanted = among === undefined ? undefined : new Set(among);
    const isWanted = ({ id }: CollectedTest): boolean => times[id] !== undefined && (wanted?.has(id) ?? true);
    const rank = (test: CollectedTest): number => Math.min(distanceTo(file, test.file), 1) * longestMs + (times[test.id] ?? 0);
    return tests.filter(isWanted).toSorted((a, b) => rank(a) - rank(b));
  }

  /** A mutant of module scope is there while modules load: file by file, so that most of them need not be loaded again. */
  async #runFromLoad(mutated: string): Promise<readonly TestResult[]> {
    const all: TestResult[] = [];
    for (const file of this.#files.toSorted((a, b) => distanceTo(mutated, a) - distanceTo(mutated, b))) {
      let tests: readonly CollectedTest[];
      try {
        tests = await loadTests(file);
      } catch (error) {
        return [{ id: 'load', name: `${file} loads`, timeSpentMs: 0, status: TestStatus.Failed, failureMessage: messageOf(error) }];
      }
      const results = await this.#run(this.#likeliestFirst(tests, mutated), true);
      all.push(...results);
      if (results.some(({ status }) => status === TestStatus.Failed)) return all;
    }
    return all;
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
