/** Entry point of helm_hook: run by `helm uninstall` before it deletes anything; its exit code says whether to go on. */
import { createClient, loadClusterConfig } from '@kruise/kube';
import { remainingWorkloads } from './remaining-workloads.ts';

const timeoutMs = 60_000;

async function main(): Promise<number> {
  const client = createClient(loadClusterConfig({}), { userAgent: 'kruise-helm-hook' });
  try {
    const { blocking, noted } = await remainingWorkloads(client, AbortSignal.timeout(timeoutMs));
    for (const name of noted) console.warn(`there are ${name} in the cluster, they are deleted with their definition`);
    for (const name of blocking) console.error(`there still exists some ${name} in the cluster`);
    if (blocking.length > 0) return 1;
    console.log('cluster is clean, ready to delete kruise');
    return 0;
  } finally {
    client.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`cannot tell what is in the cluster: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
