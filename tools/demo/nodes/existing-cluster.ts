/** The cluster that KUBECONFIG names, which must have Kruise already. */
import { createInterface } from 'node:readline/promises';
import { cloneSets, podUnavailableBudgets, sidecarSets, statefulSets } from '@kruise/api';
import { createClient, discoverGroupVersion, loadClusterConfig, type Client } from '@kruise/kube';
import { namespace, sidecarSetKey } from '../names.ts';

export interface ExistingCluster {
  readonly client: Client;
  readonly server: string;
}

const needed = [cloneSets, sidecarSets, statefulSets, podUnavailableBudgets];

async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

/** @throws unless the cluster serves every kind that the demo uses */
async function checkKinds(client: Client, signal: AbortSignal): Promise<void> {
  for (const type of needed) {
    const served = await discoverGroupVersion(client, type, { signal });
    if (served?.some(({ kind }) => kind === type.kind) !== true)
      throw new Error(`the cluster does not serve ${type.kind} of ${type.group}/${type.version}: install the chart first (see the README)`);
  }
}

/** Asks before anything is changed. @throws when the user does not agree, or Kruise is not installed */
export async function openExistingCluster(isAgreed: boolean, isInteractive: boolean, signal: AbortSignal): Promise<ExistingCluster> {
  const config = loadClusterConfig();
  const { server } = config;
  const question = `KUBECONFIG names ${server}. Create the namespace ${namespace} and the SidecarSet ${sidecarSetKey.name} there, and remove both afterwards?`;
  if (!isAgreed && !isInteractive)
    throw new Error(`KUBECONFIG names ${server}: give --yes to use it, or unset KUBECONFIG for a cluster of the demo's own`);
  if (!isAgreed && !(await ask(question))) throw new Error('nothing was changed');
  const client = createClient(config, { userAgent: 'kruise-demo' });
  try {
    await checkKinds(client, signal);
    return { client, server };
  } catch (error) {
    client.close();
    throw error;
  }
}
