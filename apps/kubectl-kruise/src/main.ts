#!/usr/bin/env node
/** Entry point of kubectl-kruise: `kubectl kruise ...` or `kubectl-kruise ...`. */
import { runProcess } from './run-process.ts';

await runProcess(process.argv.slice(2));
