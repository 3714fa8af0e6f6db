/** The example of README.md. */
import { seconds } from '@kruise/objects';
import { boolFlag, durationFlag, formatUsage, parseFlags, stringFlag, type FlagValues } from './index.ts';

const flags = {
  'metrics-addr': stringFlag(':8080', 'The address of the metrics server.'),
  'leader-elect': boolFlag(true, 'Work only while holding the lease.'),
  resync: durationFlag(seconds(600), 'How often all objects are reconciled again.'),
};

/** Options to run with, or what to print before the program ends with `code`. */
export function readOptions(
  argv: readonly string[],
): { readonly options: FlagValues<typeof flags> } | { readonly output: string; readonly code: 0 | 2 } {
  const parsed = parseFlags(flags, argv);
  if (parsed.kind === 'Parsed') return { options: parsed.values };
  const usage = formatUsage('example', flags);
  return parsed.kind === 'Help' ? { output: usage, code: 0 } : { output: `${parsed.message}\n${usage}`, code: 2 };
}
