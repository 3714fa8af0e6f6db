/** Entry point of kruise-manager. */
import { runProgram } from '@kruise/process';
import { runManager } from './manager.ts';
import { readOptions } from './options/options.ts';

await runProgram({ readOptions, run: runManager });
