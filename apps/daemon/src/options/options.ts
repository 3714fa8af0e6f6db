/** Everything that configures this daemon, read once at start from command line and environment. */
import { parseGates, type Gates } from '@kruise/api';
import { formatUsage, parseFlags, parseListenAddress, profilingFaults, type ReadProgramOptions } from '@kruise/process';
import { daemonFlags, type DaemonFlags } from './flags.ts';

export interface Options {
  readonly flags: DaemonFlags;
  readonly nodeName: string;
  readonly gates: Gates;
  readonly warnings: readonly string[];
}

export type ReadOptions = ReadProgramOptions<Options>;

type Variables = Readonly<Record<string, string | undefined>>;

const end = (code: 0 | 1 | 2, ...lines: readonly string[]): ReadOptions => ({ kind: 'End', code, output: lines.join('\n') });

/** Returns the defaults of gates. CUSTOM_RESOURCE_ENABLE without SidecarSet switches PodWebhook off by default, as in the manager. */
function gateDefaults({ CUSTOM_RESOURCE_ENABLE: list = '' }: Variables): { readonly PodWebhook?: false } {
  const trimmed = list.trim();
  return trimmed === '' || trimmed.split(',').includes('SidecarSet') ? {} : { PodWebhook: false };
}

function faultsOf(flags: DaemonFlags, nodeName: string): readonly string[] {
  return [
    ...(parseListenAddress(flags.addr) === undefined ? [`--addr must be host:port or :port, not "${flags.addr}"`] : []),
    ...profilingFaults(flags),
    ...(['text', 'json'].includes(flags['logging-format'])
      ? []
      : [`--logging-format must be text or json, not "${flags['logging-format']}"`]),
    ...(flags['host-run-dir'].startsWith('/') ? [] : [`--host-run-dir must be an absolute path, not "${flags['host-run-dir']}"`]),
    ...(nodeName === '' ? ['NODE_NAME is not set: it must be the name of the node, from spec.nodeName of the Pod'] : []),
  ];
}

/** Reads the options. @param argv without program and script */
export function readOptions(argv: readonly string[], variables: Variables): ReadOptions {
  const usage = (): string => formatUsage('kruise-daemon', daemonFlags);
  const parsed = parseFlags(daemonFlags, argv);
  if (parsed.kind === 'Help') return end(0, usage());
  if (parsed.kind === 'Failed') return end(2, parsed.message, usage());
  const flags = parsed.values;
  const gates = parseGates(flags['feature-gates'], gateDefaults(variables));
  if (gates.kind === 'Failed') return end(2, `invalid argument "${flags['feature-gates']}" for --feature-gates: ${gates.message}`);
  const nodeName = variables['NODE_NAME'] ?? '';
  const faults = faultsOf(flags, nodeName);
  if (faults.length > 0) return end(1, ...faults);
  return { kind: 'Run', options: { flags, nodeName, gates: gates.gates, warnings: gates.warnings } };
}
