#!/usr/bin/env node
/** Entry point of kubectl_complete-kruise, which kubectl asks what can follow `kubectl kruise`. */
import { runProcess } from './run-process.ts';

await runProcess(['__complete', ...process.argv.slice(2)]);
