/** Entry point of kruise-daemon. */
import { runProgram } from '@kruise/process';
import { runDaemon } from './daemon.ts';
import { readOptions } from './options/options.ts';

await runProgram({ readOptions, run: runDaemon });
