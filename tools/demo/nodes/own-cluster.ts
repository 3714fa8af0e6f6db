/** The demo's own cluster, with real or simulated nodes and Kruise installed. */
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import {
  clusterFolder,
  NoRealNodes,
  readCluster,
  startCluster,
  stopCluster,
  whyNoRealNodes,
  type Cluster,
  type Progress,
} from '@kruise/testing';
import { buildKruiseImage, installKruise } from '../../tasks/install-kruise.ts';
import { chooseNodes, explainSimulation } from './nodes-choice.ts';
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

async function startReal(progress: Progress, signal: AbortSignal): Promise<OwnCluster> {
  const found = readCluster(clusterFolder({ name }).dir);
  if (found !== undefined && found.nodes === 0) await stopCluster({ name, progress });
  // A failure is thrown only when both have ended: what one of them still writes could not be removed.
  const [started, built] = await Promise.allSettled([startCluster({ name, nodes, progress }), buildKruiseImage(progress)]);
  if (started.status === 'rejected') throw started.reason;
  if (built.status === 'rejected') throw built.reason;
  const { cluster } = started.value;
  const { kubeconfigPath, helm, registry, dir } = cluster;
  if (registry === undefined) throw new Error('the cluster has no registry');
  const repository = `${registry}/openkruise/kruise-manager`;
  await installKruise({ kubeconfigPath, helm, repository, image: built.value, localFolder: dir, progress, signal });
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
  const simulate = (because: string): Promise<OwnCluster> => {
    for (const line of ['', ...explainSimulation(because, nodes), '']) write(line);
    return startSimulated(progress, signal);
  };
  const choice = chooseNodes(isAskedFor, whyNoRealNodes());
  if (choice.kind === 'Simulated') return simulate(choice.because);
  try {
    return await startReal(progress, signal);
  } catch (error) {
    if (error instanceof NoRealNodes) return simulate(error.message);
    throw error;
  }
}
