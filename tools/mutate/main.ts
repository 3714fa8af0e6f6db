/**
 * `npm run mutate`: mutation testing of the pure rules with Stryker. Prints a line a scope, every survivor without a reason, and fails when a scope
 * has less than 90 % of its mutants killed.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createProgress } from '@kruise/testing';
import { root, signalOfEnd } from '../tasks/run-program.ts';
import { parseCommand, usage, type MutateCommand } from './arguments.ts';
import { readKnownSurvivors } from './known-survivors.ts';
import { percentOf, scoreOf, wantedPercent, type Score } from './results.ts';
import { chooseScopes, scopes, type Scope } from './scopes.ts';
import { mutateScope } from './stryker.ts';

const progress = createProgress((line) => console.error(line));

const git = (...args: readonly string[]): readonly string[] =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');

/** Files of the tree that differ from `commit`, new ones included. */
const changedSince = (commit: string): readonly string[] => [
  ...git('diff', '--name-only', '--diff-filter=d', commit),
  ...git('ls-files', '--others', '--exclude-standard'),
];

interface Result {
  readonly scope: Scope;
  readonly score: Score;
}

const line = ({ scope, score }: Result): string =>
  `${String(percentOf(score)).padStart(5)} %  ${String(score.killed).padStart(5)} of ${String(score.mutants).padEnd(5)} ${scope.name}` +
  ` (${score.known.length} survivors with a reason, ${score.unknown.length} without)`;

function print(results: readonly Result[]): void {
  for (const { score } of results) {
    for (const { file, line: at, code, mutant, covered } of score.unknown)
      console.log(`${file}:${at}: ${covered ? 'survived' : 'no test comes by'}\n    ${code}\n    ${mutant}`);
    for (const { code, mutant } of score.stale) console.log(`no survivor any more, take it off the list:\n    ${code}\n    ${mutant}`);
  }
  for (const result of results) console.log(line(result));
}

const asJson = (results: readonly Result[]): string =>
  JSON.stringify(
    results.map(({ scope, score }) => ({ scope: scope.name, percent: percentOf(score), ...score })),
    undefined,
    2,
  );

async function run(command: MutateCommand, signal: AbortSignal): Promise<number> {
  const { chosen, since, jobs, json, list } = command;
  const all = scopes(root);
  if (list) {
    for (const { name, files } of all) console.log(`${name} (${files.length} files)`);
    return 0;
  }
  const wanted = chooseScopes(all, chosen, since === undefined ? undefined : new Set(changedSince(since)));
  if (wanted.kind === 'Unknown') {
    console.error(`${wanted.name}: must be a scope (see --list) or a file of one\n${usage}`);
    return 2;
  }
  const results: Result[] = [];
  let failed = false;
  for (const scope of wanted.scopes) {
    if (signal.aborted) return 1;
    try {
      const report = await mutateScope(scope, jobs, signal);
      const score = scoreOf(report, readKnownSurvivors(scope.name));
      results.push({ scope, score });
      progress.note(line({ scope, score }));
    } catch (error) {
      failed = true;
      progress.note(`${scope.name}: FAILED ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  print(results);
  if (json !== undefined) writeFileSync(json, `${asJson(results)}\n`);
  const short = results.filter(({ score }) => percentOf(score) < wantedPercent);
  for (const { scope } of short) console.log(`${scope.name}: less than ${wantedPercent} % of its mutants are killed`);
  return failed || short.length > 0 ? 1 : 0;
}

const command = parseCommand(process.argv.slice(2), availableParallelism());
switch (command.kind) {
  case 'Help':
    console.error(usage);
    break;
  case 'Wrong':
    console.error(`${command.problem}\n${usage}`);
    process.exitCode = 2;
    break;
  case 'Run':
    process.exitCode = await run(command, signalOfEnd());
}
