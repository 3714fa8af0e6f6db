/** Entry point of kruise-state-metrics. */
import { runProgram } from '@kruise/process';
import { runExporter } from './exporter.ts';
import { readOptions } from './options/options.ts';

await runProgram({ readOptions, run: runExporter });
