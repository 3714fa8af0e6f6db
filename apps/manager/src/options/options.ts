/** Everything that decides how this manager runs, read once at start from command line and environment. */
import { parseGates, type Gates } from '@kruise/api';
import { formatUsage, parseFlags, parseListenAddress, profilingFaults, type ReadProgramOptions } from '@kruise/process';
import { parseEnvironment, type Environment } from './environment.ts';
import { faultsOf, managerFlags, type ManagerFlags } from './flags.ts';

export interface Options {
  readonly flags: ManagerFlags;
  readonly environment: Environment;
  readonly gates: Gates;
  readonly warnings: readonly string[];
}

export type ReadOptions = ReadProgramOptions<Options>;

const end = (code: 0 | 1 | 2, ...lines: readonly string[]): ReadOptions => ({ kind: 'End', code, output: lines.join('\n') });

function addressFaults(flags: ManagerFlags): readonly string[] {
  const listening = (['metrics-addr', 'health-probe-addr'] as const)
    .filter((name) => flags[name] !== '0' && parseListenAddress(flags[name]) === undefined)
    .map((name) => `--${name} must be host:port or :port, not "${flags[name]}"`);
  return [...listening, ...profilingFaults(flags)];
}

/** @param argv without program and script */
export function readOptions(argv: readonly string[], variables: Readonly<Record<string, string | undefined>>): ReadOptions {
  const usage = (): string => formatUsage('manager', managerFlags);
  const parsed = parseFlags(managerFlags, argv);
  if (parsed.kind === 'Help') return end(0, usage());
  if (parsed.kind === 'Failed') return end(2, parsed.message, usage());
  const environment = parseEnvironment(variables);
  if (environment.kind === 'Failed') return end(1, environment.message);
  const gates = parseGates(parsed.values['feature-gates'], environment.environment.podWebhookDefault ? {} : { PodWebhook: false });
  if (gates.kind === 'Failed') return end(2, `invalid argument "${parsed.values['feature-gates']}" for --feature-gates: ${gates.message}`);
  const faults = [...faultsOf(parsed.values), ...addressFaults(parsed.values)];
  if (faults.length > 0) return end(1, ...faults);
  const warnings = [...environment.warnings, ...gates.warnings];
  return { kind: 'Run', options: { flags: parsed.values, environment: environment.environment, gates: gates.gates, warnings } };
}
