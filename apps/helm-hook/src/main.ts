/**
 * Entry point of helm_hook. Without a word: run by `helm uninstall` before it deletes anything; its exit code says whether to go on. With
 * `migrate-storage`: run after an upgrade.
 */
import { createClient, loadClusterConfig, SystemClock, type Client } from '@kruise/kube';
import { cleanUp } from './clean-up.ts';
import { migrateStorage } from './migrate-storage.ts';
import { remainingWorkloads } from './remaining-workloads.ts';

const lookMs = 60_000;
const cleanUpMs = 90_000;
/** The managers may still start; their webhooks are asked about every object. */
const migrationMs = 10 * 60_000;

async function beforeUninstall(client: Client): Promise<number> {
  const { blocking, noted } = await remainingWorkloads(client, AbortSignal.timeout(lookMs));
  for (const name of noted) console.warn(`there are ${name} in the cluster, they are deleted with their definition`);
  for (const name of blocking) console.error(`there still exists some ${name} in the cluster`);
  if (blocking.length > 0) return 1;
  const forced = await cleanUp({ client, clock: new SystemClock(), signal: AbortSignal.timeout(cleanUpMs) });
  for (const name of forced) console.warn(`no manager cleaned up after ${name}`);
  console.log('cluster is clean, ready to delete kruise');
  return 0;
}

async function afterUpgrade(client: Client): Promise<number> {
  const done = await migrateStorage({ client, clock: new SystemClock(), signal: AbortSignal.timeout(migrationMs) });
  for (const { name, objects } of done) console.log(`${name}: ${objects} objects written in the storage version`);
  const failures = done.flatMap((migrated) => migrated.failures);
  for (const failure of failures) console.error(`not written: ${failure}`);
  return failures.length > 0 ? 1 : 0;
}

async function main(command: string | undefined): Promise<number> {
  const run = command === undefined ? beforeUninstall : command === 'migrate-storage' ? afterUpgrade : undefined;
  if (run === undefined) {
    console.error(`unknown command ${JSON.stringify(command)}: must be migrate-storage, or nothing`);
    return 2;
  }
  const client = createClient(loadClusterConfig({}), { userAgent: 'kruise-helm-hook' });
  try {
    return await run(client);
  } finally {
    client.close();
  }
}

try {
  process.exitCode = await main(process.argv[2]);
} catch (error) {
  console.error(`the cluster could not be asked: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
