/**
 * `npm run demo`: a CloneSet is created, scaled, updated in place and rolled back on a real cluster, before your eyes.
 *
 * Without KUBECONFIG it starts a cluster of its own on this machine and installs the chart with an image built from the sources; on a terminal
 * that cluster stays up afterwards, elsewhere it is removed. With KUBECONFIG it asks before it touches that cluster, which must have Kruise
 * installed already.
 */
import { dirname } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { cloneSets } from '@kruise/api';
import { createClient, discoverGroupVersion, loadClusterConfig, type Client } from '@kruise/kube';
import { createProgress, startCluster, stopCluster, type Cluster, type Progress } from '@kruise/testing';
import { installKruise } from '../tasks/install-kruise.ts';
import { signalOfEnd } from '../tasks/run-program.ts';
import { cleanUp, tellStory, type Stage } from './story.ts';
import { createView } from './view.ts';

const usage = `usage: npm run demo [-- --yes] [-- --down]

  --yes    do not ask before a cluster named by KUBECONFIG is used
  --down   remove the demo's own cluster and end`;

const name = 'demo';
const write = (line: string): void => void process.stdout.write(`${line}\n`);
const isInteractive = process.stdout.isTTY === true && process.stdin.isTTY === true;

const connect = (kubeconfigPath: string): Client => createClient(loadClusterConfig({ path: kubeconfigPath }), { userAgent: 'kruise-demo' });

async function play(client: Client, progress: Progress, signal: AbortSignal): Promise<Stage> {
  const stage: Stage = { client, progress, view: createView(process.stdout, write), signal };
  const verified = await tellStory(stage);
  write('\nVerified:');
  for (const line of verified) write(`  ✓ ${line}`);
  return stage;
}

async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

/** On somebody's cluster: nothing is installed, and what the demo makes is removed. */
async function playOnTheirs(isAgreed: boolean, progress: Progress, signal: AbortSignal): Promise<void> {
  const config = loadClusterConfig();
  const question = `KUBECONFIG names ${config.server}. Create the namespace kruise-demo with a CloneSet there, and remove it afterwards?`;
  if (!isAgreed && !isInteractive)
    throw new Error(`KUBECONFIG names ${config.server}: give --yes to use it, or unset KUBECONFIG for a cluster of the demo's own`);
  if (!isAgreed && !(await ask(question))) throw new Error('nothing was changed');
  const client = createClient(config, { userAgent: 'kruise-demo' });
  try {
    const kinds = await discoverGroupVersion(client, cloneSets, { signal });
    if (kinds?.some(({ kind }) => kind === 'CloneSet') !== true)
      throw new Error('that cluster has no CloneSets: install the chart first (see the README)');
    await cleanUp(await play(client, progress, signal));
  } finally {
    client.close();
  }
}

async function setUp(progress: Progress, signal: AbortSignal): Promise<Cluster> {
  const { cluster } = await startCluster({ name, nodes: 3, progress });
  const { kubeconfigPath, helm, registry, dir } = cluster;
  if (registry === undefined) throw new Error('the cluster has no registry');
  await installKruise({ kubeconfigPath, helm, repository: `${registry}/openkruise/kruise-manager`, localFolder: dir, progress, signal });
  return cluster;
}

function explain({ kubeconfigPath, kubectl }: Cluster): void {
  write(`\nThe cluster stays up. Use it with:\n  export KUBECONFIG=${kubeconfigPath} PATH=${dirname(kubectl)}:$PATH`);
  write('  kubectl -n kruise-demo get clone,pods');
  write('Remove it with:\n  npm run demo -- --down');
}

/** On a cluster of the demo's own, which is removed unless somebody sits in front of it. */
async function playOnOurs(progress: Progress, signal: AbortSignal): Promise<void> {
  let isKept = false;
  try {
    const cluster = await setUp(progress, signal);
    const client = connect(cluster.kubeconfigPath);
    await play(client, progress, signal).finally(() => client.close());
    isKept = isInteractive;
    if (isKept) explain(cluster);
  } finally {
    if (!isKept) await stopCluster({ name, progress });
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      yes: { type: 'boolean', default: false },
      down: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const progress = createProgress(write);
  if (values.help) write(usage);
  else if (values.down) await stopCluster({ name, progress });
  else if (process.env['KUBECONFIG']) await playOnTheirs(values.yes, progress, signalOfEnd());
  else await playOnOurs(progress, signalOfEnd());
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
