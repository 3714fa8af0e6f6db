/** What a person wants to see of a cluster after something failed in it, before it is removed. */
import { kruiseNamespace } from './install-kruise.ts';
import { runCommand } from './run-command.ts';

const commands: readonly (readonly [title: string, ...args: string[]])[] = [
  ['nodes', 'get', 'nodes', '-o', 'wide'],
  ['pods', 'get', 'pods', '-A', '-o', 'wide'],
  ['CloneSets', 'get', 'clonesets', '-A'],
  ['warnings', 'get', 'events', '-A', '--field-selector', 'type=Warning', '--sort-by', '.lastTimestamp'],
  ['manager', '-n', kruiseNamespace, 'logs', '-l', 'control-plane=controller-manager', '--tail', '60', '--prefix'],
  ['manager before its restart', '-n', kruiseNamespace, 'logs', '-l', 'control-plane=controller-manager', '--tail', '40', '--previous'],
];

const longest = 8_000;

/** Never rejects: what cannot be had is said. */
export async function clusterReport(kubectl: string, kubeconfigPath: string): Promise<string> {
  const parts: string[] = [];
  for (const [title, ...args] of commands) {
    const text = await runCommand(kubectl, ['--kubeconfig', kubeconfigPath, ...args], { timeoutMs: 20_000 }).catch(
      (error: unknown) => `(${error instanceof Error ? error.message : String(error)})`,
    );
    parts.push(`--- ${title} ---\n${text.trim().slice(-longest)}`);
  }
  return parts.join('\n');
}
