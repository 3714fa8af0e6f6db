/** `npm run bench [-- SCENARIO ...]`: runs scenarios, prints one table, and ends with 1 when one failed (not when a target is missed). */
import { writeFileSync } from 'node:fs';
import { parseCommand, usage } from './arguments.ts';
import { optionsFor, runScenarios, tablesOf, type BenchRun } from './driver.ts';
import { formatMachine } from './machine.ts';
import { recordTables } from './results/files.ts';
import { isMet, measureTable, type Row } from './table.ts';

const progress = (line: string): void => void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);

function print({ machine, failures }: BenchRun, rows: readonly Row[]): void {
  const held = rows.map(isMet).filter((met) => met !== undefined);
  const measured = `${measureTable(rows)}\n\n${held.filter(Boolean).length} of ${held.length} targets are met.`;
  console.log(formatMachine(machine) + (rows.length > 0 ? `\n\n${measured}` : ''));
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
  const run = await runScenarios(command, progress);
  const rows = Object.values(run.results).flatMap((result) => result.rows);
  print(run, rows);
  if (command.jsonFile !== undefined)
    writeFileSync(
      command.jsonFile,
      `${JSON.stringify({ ...run, options: [...command.scenarios, ...optionsFor(command.sizes)] }, undefined, 1)}\n`,
    );
  if (command.write) recordTables(tablesOf(run, command.sizes));
  return run.failures.length > 0 ? 1 : 0;
}

process.exitCode = await main();
