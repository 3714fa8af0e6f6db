/** What a reader wants to see of a cluster after something failed in it, before it is removed. */
import { kruiseNamespace } from '../install-kruise.ts';
import { runCommand } from '../run-command.ts';
import type { LogEnd } from './tally.ts';

const managers = ['-n', kruiseNamespace, 'logs', '-l', 'control-plane=controller-manager', '--prefix', '--tail'];

const commands: readonly (readonly [title: string, ...args: string[]])[] = [
  ['nodes', 'get', 'nodes', '-o', 'wide'],
  ['Pods that are not ready', 'get', 'pods', '-A', '-o', 'wide', '--field-selector', 'status.phase!=Succeeded'],
  ['CloneSets', 'get', 'clonesets', '-A'],
  ['warnings', 'get', 'events', '-A', '--field-selector', 'type=Warning', '--sort-by', '.lastTimestamp'],
  ['managers', ...managers, '50'],
  ['managers before their restart', ...managers, '50', '--previous'],
  ['node agents', '-n', 'kruise-daemon', 'logs', '-l', 'control-plane=daemon', '--prefix', '--tail', '15'],
];

const shownLines = 150;
const longestLine = 400;

/** Returns the state of the cluster and the ends of its logs. Never rejects: what cannot be read is reported. */
export async function clusterReport(kubectl: string, kubeconfigPath: string): Promise<readonly LogEnd[]> {
  const parts: LogEnd[] = [];
  for (const [name, ...args] of commands) {
    const text = await runCommand(kubectl, ['--kubeconfig', kubeconfigPath, ...args], { timeoutMs: 20_000 }).catch(
      (error: unknown) => `(${error instanceof Error ? error.message : String(error)})`,
    );
    const lines = text.trim().split('\n').slice(-shownLines);
    parts.push({ name, lines: lines.map((line) => line.slice(0, longestLine)) });
  }
  return parts;
}
