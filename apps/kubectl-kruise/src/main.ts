#!/usr/bin/env node
/** Entry point of kubectl-kruise: `kubectl kruise ...` or `kubectl-kruise ...`. */
import { rootCommand } from './commands/table.ts';
import { processHost } from './process-host.ts';
import { runProgram } from './run-program.ts';

const host = processHost();
process.exitCode = await runProgram(rootCommand, process.argv.slice(2), host);
host.end();
