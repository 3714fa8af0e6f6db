/** The static checks of `npm test`, in two lanes: project graph, types and lint in one, everything else in the other. */
import type { Progress } from '@kruise/testing';
import { runProgram } from '../run-program.ts';
import { countOnly, failedStep, joined, nothing, type Report } from './tally.ts';

interface Check {
  readonly title: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Without it the linter knows nothing of the layers. Nx is asked about the projects by tests, too, which start when it has answered. */
const projectGraph: Check = {
  title: 'project graph',
  file: 'node_modules/nx/dist/bin/nx.js',
  args: ['graph', '--file=node_modules/.cache/project-graph.json'],
  env: { NX_DAEMON: 'false' },
};
const long: readonly Check[] = [{ title: 'types and lint', file: 'tools/tasks/stages/types-and-lint.ts', args: [] }];
const short: readonly Check[] = [
  { title: 'format', file: 'tools/tasks/stages/format.ts', args: [] },
  { title: 'unused exports, files and dependencies', file: 'node_modules/knip/bin/knip.js', args: [] },
  { title: 'generated files', file: 'tools/generate/main.ts', args: ['--check'] },
];

/** Long enough for checks beside tests that keep both cores busy. */
const timeoutMs = 15 * 60_000;

export class StaticChecks {
  readonly #progress: Progress;
  readonly #room = Promise.withResolvers<void>();

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  /** Resolves when another stage may start beside the checks, which then need one core: when the shorter lane has ended. */
  get leaveRoom(): Promise<void> {
    return this.#room.promise;
  }

  async run(signal: AbortSignal): Promise<Report> {
    const began = performance.now();
    const graph = this.#check(projectGraph, signal);
    const shorter = this.#lane(short, signal);
    const longer = graph.then(() => this.#lane(long, signal));
    const leaveRoom = (): void => this.#room.resolve();
    void Promise.all([graph, shorter]).then(leaveRoom, leaveRoom);
    const report = joined(await Promise.all([graph, longer, shorter]));
    return { ...report, stages: [{ name: 'static', ms: performance.now() - began }] };
  }

  async #lane(checks: readonly Check[], signal: AbortSignal): Promise<Report> {
    const reports: Report[] = [];
    for (const check of checks) reports.push(await this.#check(check, signal));
    return joined(reports);
  }

  async #check(check: Check, signal: AbortSignal): Promise<Report> {
    // What is not looked at because the run was ended shows nothing.
    if (signal.aborted) return countOnly(nothing);
    const began = performance.now();
    const { code, output, timedOut } = await runProgram({ ...check, passOn: false, timeoutMs, signal });
    const seconds = `${((performance.now() - began) / 1000).toFixed(1)} s`;
    if (code === 0) {
      this.#progress.note(`${check.title}: good (${seconds})`);
      return countOnly(nothing);
    }
    if (signal.aborted) return countOnly(nothing);
    this.#progress.note(`${check.title}: FAILED${timedOut ? ', it took too long' : ''} (${seconds})\n${output.trim()}`);
    return failedStep(check.title, output.trim());
  }
}
