/** `npm run bench [-- PART ...]`: runs the parts, prints one table, and ends with 1 when a part failed (not when a target is missed). */
import { writeFileSync } from 'node:fs';
import { parseCommand, usage, type BenchCommand, type PartName } from './arguments.ts';
import { describeMachine, formatMachine } from './machine.ts';
import { isMet, renderTable, type Row } from './table.ts';

interface PartResult {
  readonly rows: readonly Row[];
  readonly details?: unknown;
}

/** Of the parts about one workload. */
const usualPods = 1_000;

const progress = (line: string): void => void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);

const parts: Readonly<Record<PartName, (command: BenchCommand) => Promise<PartResult>>> = {
  async store({ stored }) {
    const { run } = await import('./store/index.ts');
    return run({ objects: stored, progress });
  },
  async client() {
    const { run } = await import('./client/index.ts');
    return run({ progress });
  },
  async manager({ stored }) {
    const { runMemory } = await import('./manager/index.ts');
    return runMemory({ stored, progress });
  },
  async rollout({ pods = usualPods, profileFolder }) {
    const { runRollout } = await import('./manager/index.ts');
    return runRollout({ pods, progress, ...(profileFolder === undefined ? {} : { profileFolder }) });
  },
  async stateful({ pods = usualPods, profileFolder }) {
    const { runStateful } = await import('./manager/index.ts');
    return runStateful({ pods, progress, ...(profileFolder === undefined ? {} : { profileFolder }) });
  },
  async spread({ pods = usualPods, profileFolder }) {
    const { runSpread } = await import('./manager/index.ts');
    return runSpread({ pods, progress, ...(profileFolder === undefined ? {} : { profileFolder }) });
  },
  async podstates({ pods = 5_000 }) {
    const { runPodStates } = await import('./manager/index.ts');
    return runPodStates({ pods, progress });
  },
  async pernode({ nodes = 1_000, profileFolder }) {
    const { runPerNode } = await import('./manager/index.ts');
    return runPerNode({ nodes, progress, ...(profileFolder === undefined ? {} : { profileFolder }) });
  },
  async cron() {
    const { runCronJobs } = await import('./manager/index.ts');
    return runCronJobs({ count: 1_000, progress });
  },
  async united({ pods = 2_000 }) {
    const { runUnited } = await import('./manager/index.ts');
    return runUnited({ pods, subsets: 20, progress });
  },
  async budget({ pods = 10_000 }) {
    const { runBudget } = await import('./manager/index.ts');
    return runBudget({ pods, progress });
  },
  async distribute({ namespaces }) {
    const { runDistribute } = await import('./manager/index.ts');
    return runDistribute({ namespaces, progress });
  },
  async hostile() {
    const { runHostile } = await import('./manager/index.ts');
    return runHostile({ progress });
  },
  async sidecars({ pods = usualPods, profileFolder }) {
    const { runSidecars } = await import('./manager/index.ts');
    return runSidecars({ pods, progress, ...(profileFolder === undefined ? {} : { profileFolder }) });
  },
  async daemon() {
    const { runIdle } = await import('./daemon/index.ts');
    return { rows: await runIdle(progress) };
  },
  async images() {
    const { runImages } = await import('./daemon/index.ts');
    return { rows: await runImages(progress) };
  },
  async pulljob({ nodes = 500 }) {
    const { run } = await import('./pulljob/index.ts');
    return run({ nodes, progress });
  },
  async admission({ reviews, pods = usualPods }) {
    const { run } = await import('./admission/index.ts');
    return run({ reviews, pods, progress });
  },
  async exporter() {
    const { run } = await import('./exporter/index.ts');
    return run({ progress });
  },
  async churn({ pods = usualPods, minutes, rate }) {
    const { run } = await import('./churn/index.ts');
    return run({ pods, minutes, changesPerSecond: rate, progress });
  },
  async recreate() {
    const { run } = await import('./recreate/index.ts');
    return { rows: await run({ progress }) };
  },
};

function summarise(rows: readonly Row[], failures: readonly string[]): void {
  const held = rows.map(isMet).filter((met) => met !== undefined);
  console.log(`\n${held.filter(Boolean).length} of ${held.length} targets are met.`);
  for (const failure of failures) console.error(failure);
}

async function main(): Promise<number> {
  const command = parseCommand(process.argv.slice(2));
  if (command.kind === 'Help') {
    process.stdout.write(usage);
    return 0;
  }
  if (command.kind === 'Wrong') {
    process.stderr.write(`${command.message}\n\n${usage}`);
    return 2;
  }
  const machine = describeMachine();
  const measuredAt = new Date().toISOString();
  const results: Partial<Record<PartName, PartResult>> = {};
  const failures: string[] = [];
  for (const name of command.parts) {
    try {
      results[name] = await parts[name](command);
    } catch (error) {
      failures.push(`${name} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const rows = Object.values(results).flatMap((result) => result.rows);
  console.log(`${formatMachine(machine)}\n\n${renderTable(rows)}`);
  summarise(rows, failures);
  const options = process.argv.slice(2).filter((text, at, all) => text !== '--json' && all[at - 1] !== '--json');
  const raw = { measuredAt, machine, options, results, failures };
  if (command.jsonFile !== undefined) writeFileSync(command.jsonFile, `${JSON.stringify(raw, undefined, 1)}\n`);
  return failures.length > 0 ? 1 : 0;
}

process.exitCode = await main();
