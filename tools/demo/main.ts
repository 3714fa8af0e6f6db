/**
 * `npm run demo`: shows a CloneSet, a SidecarSet and a StatefulSet under a budget on a cluster, and verifies what it shows.
 *
 * Without KUBECONFIG it starts a cluster of its own on this machine, with real nodes where the machine can run them and with simulated ones
 * elsewhere. On a terminal, and with --keep, that cluster stays up afterwards; elsewhere it is removed. With KUBECONFIG it asks before it
 * changes that cluster, and removes what it created.
 */
import type { Client } from '@kruise/kube';
import { createProgress, type Progress } from '@kruise/testing';
import { signalOfEnd } from '../tasks/run-program.ts';
import { parseOptions, usage, type Options } from './arguments.ts';
import { cleanUp, prepareNamespace } from './clean-up.ts';
import { openExistingCluster } from './nodes/existing-cluster.ts';
import { nextSteps, type Ending } from './next-steps.ts';
import { removeOwnCluster, startOwnCluster } from './nodes/own-cluster.ts';
import type { Stage } from './scenarios/stage.ts';
import { runScenario } from './scenarios/scenario.ts';
import { createView } from './view.ts';
import { waitingProgress } from './waiting-progress.ts';

const cleanUpTimeoutMs = 30_000;
const write = (line: string): void => void process.stdout.write(`${line}\n`);
const isInteractive = process.stdout.isTTY === true && process.stdin.isTTY === true;

async function play(client: Client, isSimulated: boolean, progress: Progress, signal: AbortSignal): Promise<void> {
  const stage: Stage = { client, progress, view: createView(process.stdout, write), signal };
  await prepareNamespace(stage);
  const verified = await runScenario(stage);
  write(isSimulated ? '\nVerified, on simulated nodes:' : '\nVerified:');
  for (const line of verified) write(`  ✓ ${line}`);
}

/** Nothing is installed there, and what the demo creates is removed, however it ends. */
async function playOnTheirs(isAgreed: boolean, progress: Progress, signal: AbortSignal): Promise<Ending> {
  const { client, server } = await openExistingCluster(isAgreed, isInteractive, signal);
  try {
    await play(client, false, progress, signal).finally(() => cleanUp(client, AbortSignal.timeout(cleanUpTimeoutMs)));
    return { kind: 'CleanedUp', server };
  } finally {
    client.close();
  }
}

/** The cluster is removed unless the user wants it, and when the demo fails. */
async function playOnOurs({ simulated, keep }: Options, progress: Progress, signal: AbortSignal): Promise<Ending> {
  let isKept = false;
  try {
    const { cluster, client, isSimulated } = await startOwnCluster(simulated, write, progress, signal);
    await play(client, isSimulated, progress, signal).finally(() => client.close());
    isKept = keep || isInteractive;
    const { kubeconfigPath, kubectl } = cluster;
    return isKept ? { kind: 'Kept', kubeconfigPath, kubectl } : { kind: 'Removed', withFlags: simulated ? ['--simulated'] : [] };
  } finally {
    if (!isKept) await removeOwnCluster(progress);
  }
}

async function run(options: Options, signal: AbortSignal): Promise<void> {
  const progress = waitingProgress(createProgress(write));
  if (options.down) {
    const wasThere = await removeOwnCluster(progress);
    return progress.note(wasThere ? "The demo's cluster is removed" : 'There is no cluster of the demo');
  }
  const began = performance.now();
  const ending = process.env['KUBECONFIG']
    ? await playOnTheirs(options.yes, progress, signal)
    : await playOnOurs(options, progress, signal);
  write(`\nTime in all: ${((performance.now() - began) / 1000).toFixed(0)} s\n`);
  for (const line of nextSteps(ending)) write(line);
}

const signal = signalOfEnd();
try {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) write(usage);
  else await run(options, signal);
} catch (error) {
  const why: unknown = signal.aborted ? signal.reason : error;
  process.stderr.write(`${why instanceof Error ? why.message : String(why)}\n`);
  process.exitCode = 1;
}
