/** The demo's own cluster, with real or simulated nodes and Kruise installed. */
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import {
  clusterFolder,
  ensureHostCommands,
  readCluster,
  startCluster,
  stopCluster,
  whyNoRealNodes,
  type Cluster,
  type Progress,
} from '@kruise/testing';
import { buildKruiseImage, installKruise } from '../tasks/install-kruise.ts';
import { chooseNodes, explainSimulation, type NodesChoice } from './nodes-choice.ts';
import { startManager } from './simulated-manager.ts';

const name = 'demo';
const nodes = 3;
/** Slow enough to be watched. */
const simulation = { startDelayMs: 700, stopDelayMs: 300 };

export interface OwnCluster {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly isSimulated: boolean;
}

const connect = ({ kubeconfigPath }: Cluster): Client =>
  createClient(loadClusterConfig({ path: kubeconfigPath }), { userAgent: 'kruise-demo' });

/** Decides by the machine, and installs the commands that it lacks. When that fails, the nodes are simulated. */
async function chooseFor(isAskedFor: boolean, progress: Progress): Promise<NodesChoice> {
  const choice = chooseNodes(isAskedFor, whyNoRealNodes());
  if (choice.kind === 'Simulated') return choice;
  try {
    await ensureHostCommands(progress);
    return choice;
  } catch (error) {
    return chooseNodes(false, error instanceof Error ? error.message : String(error));
  }
}

async function startReal(progress: Progress, signal: AbortSignal): Promise<OwnCluster> {
  const found = readCluster(clusterFolder({ name }).dir);
  if (found !== undefined && found.nodes === 0) await stopCluster({ name, progress });
  const [{ cluster }, image] = await Promise.all([startCluster({ name, nodes, progress }), buildKruiseImage(progress)]);
  const { kubeconfigPath, helm, registry, dir } = cluster;
  if (registry === undefined) throw new Error('the cluster has no registry');
  const repository = `${registry}/openkruise/kruise-manager`;
  await installKruise({ kubeconfigPath, helm, repository, image, localFolder: dir, progress, signal });
  return { cluster, client: connect(cluster), isSimulated: false };
}

/** Always starts a new one, which takes seconds. */
async function startSimulated(progress: Progress, signal: AbortSignal): Promise<OwnCluster> {
  await removeOwnCluster(progress);
  const { cluster } = await startCluster({ name, nodes: 0, simulatedNodes: nodes, simulation, progress });
  const client = connect(cluster);
  await startManager(cluster, client, progress, signal);
  return { cluster, client, isSimulated: true };
}

/** @returns whether there was one */
export const removeOwnCluster = (progress: Progress): Promise<boolean> => stopCluster({ name, progress });

/** Starts the cluster, or finds one with real nodes running from an earlier demo, and installs Kruise as it is in the sources. */
export async function startOwnCluster(
  isAskedFor: boolean,
  write: (line: string) => void,
  progress: Progress,
  signal: AbortSignal,
): Promise<OwnCluster> {
  const choice = await chooseFor(isAskedFor, progress);
  if (choice.kind === 'Real') return startReal(progress, signal);
  for (const line of ['', ...explainSimulation(choice.because, nodes), '']) write(line);
  return startSimulated(progress, signal);
}
