/** What the cluster program prints. */
import { dirname } from 'node:path';
import { type Cluster } from '@kruise/testing';

/** Columns as wide as their widest cell, two blanks between them. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * How to use and stop a cluster that is up.
 *
 * @param ownFolder where its state would be if no folder had been named
 */
export function howToUse(cluster: Cluster, ownFolder: string): string {
  const same = (cluster.name === 'default' ? '' : ` --name ${cluster.name}`) + (cluster.dir === ownFolder ? '' : ` --dir ${cluster.dir}`);
  return [
    `export KUBECONFIG=${cluster.kubeconfigPath}`,
    `export PATH=${[...new Set([cluster.kubectl, cluster.helm].map((path) => dirname(path)))].join(':')}:$PATH   # kubectl, helm`,
    ...(cluster.registry === undefined ? [] : [`registry: ${cluster.registry} (mirror of docker.io and registry.k8s.io for the nodes)`]),
    `status: npm run cluster -- status${same}      stop: npm run cluster -- down${same}`,
  ].join('\n');
}

export interface ComponentState {
  readonly name: string;
  readonly pid: number;
  readonly running: boolean;
}

/** @param nodes undefined when the API server does not answer */
export function statusReport(
  components: readonly ComponentState[],
  nodes: readonly { readonly name: string; readonly ready: boolean }[] | undefined,
): string {
  const processes = table([
    ['COMPONENT', 'PID', 'STATE'],
    ...components.map((c) => [c.name, String(c.pid), c.running ? 'running' : 'ended']),
  ]);
  if (nodes === undefined) return `${processes}\n\nnodes: kube-apiserver does not answer`;
  if (nodes.length === 0) return `${processes}\n\nno nodes`;
  return `${processes}\n\n${table([['NODE', 'STATE'], ...nodes.map((node) => [node.name, node.ready ? 'Ready' : 'NotReady'])])}`;
}
