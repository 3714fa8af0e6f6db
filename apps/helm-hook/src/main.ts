/**
 * Entry point of helm_hook. `helm uninstall` runs it before it deletes anything; the exit code says whether to continue: without a command if
 * the CRDs will be deleted, with `keep` if they stay. With `migrate-storage` it runs after an upgrade.
 */
import { createClient, loadClusterConfig, SystemClock, type Client } from '@kruise/kube';
import { cleanUp, heldObjects } from './clean-up.ts';
import { migrateStorage } from './migrate-storage.ts';
import { rewriteOwnerVersions } from './owner-versions.ts';
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
  const { forced, failures } = await cleanUp({ client, clock: new SystemClock(), signal: AbortSignal.timeout(cleanUpMs) });
  for (const name of forced) console.warn(`no manager cleaned up after ${name}`);
  for (const failure of failures) console.error(`a finalizer could not be removed: ${failure}`);
  if (failures.length > 0) {
    console.error('start a manager, or delete both webhook configurations of Kruise, and run helm uninstall again');
    return 1;
  }
  console.log('cluster is clean, ready to delete kruise');
  return 0;
}

/** Without a manager, the API server can read only objects that are stored in the storage version. */
async function beforeKeeping(client: Client): Promise<number> {
  const code = await afterUpgrade(client);
  if (code !== 0) return code;
  const held = await heldObjects({ client, clock: new SystemClock(), signal: AbortSignal.timeout(lookMs) });
  for (const name of held) console.warn(`${name} cannot be deleted until a manager runs again`);
  console.log('definitions and objects stay, ready to delete kruise');
  return 0;
}

async function afterUpgrade(client: Client): Promise<number> {
  const parts = { client, clock: new SystemClock(), signal: AbortSignal.timeout(migrationMs) };
  const stored = await migrateStorage(parts);
  for (const { name, objects } of stored) console.log(`${name}: ${objects} objects written in the storage version`);
  const referenced = await rewriteOwnerVersions(parts);
  for (const { name, objects } of referenced) console.log(`${name}: ${objects} objects name their owner in v1alpha1 now`);
  const failures = [...stored, ...referenced].flatMap((written) => written.failures);
  for (const failure of failures) console.error(`not written: ${failure}`);
  return failures.length > 0 ? 1 : 0;
}

const commands: ReadonlyMap<string | undefined, (client: Client) => Promise<number>> = new Map([
  [undefined, beforeUninstall],
  ['keep', beforeKeeping],
  ['migrate-storage', afterUpgrade],
]);

async function main(command: string | undefined): Promise<number> {
  const run = commands.get(command);
  if (run === undefined) {
    console.error(`unknown command ${JSON.stringify(command)}: must be keep, migrate-storage or nothing`);
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
