/**
 * A container recreated in place, beside the same Pod deleted and recreated by its CloneSet: on a real cluster of its own with containerd. Times
 * are counted from the request: until the container runs, as the runtime reports, and until the Pod is ready, as a watch shows. Needs root, so it
 * runs only when it is named.
 */
import { join } from 'node:path';
import { cloneSets, containerRecreateRequests, type CloneSet } from '@kruise/api';
import { containerStatus, CriChannel } from '@kruise/cri';
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { isPodReady, namespaces, pods, type Pod } from '@kruise/objects';
import { createProgress, startCluster, stopCluster, type Cluster } from '@kruise/testing';
import { installKruise } from '../../tasks/install-kruise.ts';
import { signalOfEnd } from '../../tasks/run-program.ts';
import { LiveObjects } from '../live-objects.ts';
import { manifest } from '../objects/manifest.ts';
import type { Measure } from '../scenario.ts';
import { quantile } from '../statistics.ts';
import { rowsAbout, type Row } from '../table.ts';

const name = 'bench';
const namespace = 'bench-recreate';
const rounds = 6;

const cloneSetOf = manifest<CloneSet>('recreated-clone-set.yaml');
const containerOf = (pod: Pod) => pod.status?.containerStatuses?.[0];

/** When the runtime started the Pod's container, or saw it end, in milliseconds since the epoch. */
async function timeOf(what: 'startedAt' | 'finishedAt', pod: Pod, { dir }: Cluster): Promise<number> {
  const connection = new CriChannel(join(dir, pod.spec.nodeName ?? '', 'run/containerd.sock'));
  try {
    const { status } = await containerStatus(connection, containerOf(pod)?.containerID?.replace(/^.*:\/\//, '') ?? '');
    return Number(BigInt(status[what]) / 1000n) / 1000;
  } finally {
    connection.close();
  }
}

interface Stage {
  readonly client: Client;
  readonly shown: LiveObjects<Pod>;
  readonly cluster: Cluster;
}

interface Replaced {
  readonly after: Pod;
  /** When it was requested, in milliseconds since the epoch. */
  readonly since: number;
  /** Milliseconds from then until the new container was started, and until the Pod was ready. */
  readonly started: number;
  readonly ready: number;
}

/** @param act makes that the Pod, or its container, is replaced */
async function replace({ shown, cluster }: Stage, before: Pod, act: () => Promise<unknown>): Promise<Replaced> {
  const [app, old] = [before.metadata.labels?.['app'], containerOf(before)?.containerID];
  const [from, since] = [performance.now(), performance.timeOrigin + performance.now()];
  const isNew = (pod: Pod): boolean => containerOf(pod)?.state?.running !== undefined && containerOf(pod)?.containerID !== old;
  const ready = shown.first((pod) => pod.metadata.labels?.['app'] === app && isNew(pod) && isPodReady(pod));
  await act();
  const { object: after, at } = await ready;
  return { after, since, started: (await timeOf('startedAt', after, cluster)) - since, ready: at - from };
}

/** Milliseconds from a request: of the recreation of a container, and of the deletion of its Pod. */
type Round = Readonly<Record<'ended' | 'started' | 'ready' | 'deletedStarted' | 'deletedReady', number>>;

async function measureRound(stage: Stage, app: string): Promise<Round> {
  const { client, shown } = stage;
  const born = shown.first((one) => one.metadata.labels?.['app'] === app && isPodReady(one));
  await client.create(cloneSets, cloneSetOf({ app }));
  const { object: pod } = await born;
  const key = { namespace, name: pod.metadata.name };
  const spec = { podName: key.name, containers: [{ name: 'main' }] };
  const { after, since, started, ready } = await replace(stage, pod, () =>
    client.create(containerRecreateRequests, { metadata: key, spec }),
  );
  if (after.metadata.uid !== pod.metadata.uid || after.status?.podIP !== pod.status?.podIP)
    throw new Error('the Pod did not stay the same');
  const ended = (await timeOf('finishedAt', pod, stage.cluster)) - since;
  // As kubectl does it: with the grace of the Pod, whose process ends at once.
  const deleted = await replace(stage, after, () => client.delete(pods, key));
  await client.delete(cloneSets, { namespace, name: app });
  return { ended, started, ready, deletedStarted: deleted.started, deletedReady: deleted.ready };
}

async function measureAll(cluster: Cluster, progress: (line: string) => void, signal: AbortSignal): Promise<readonly Round[]> {
  const client = createClient(loadClusterConfig({ path: cluster.kubeconfigPath }), { userAgent: 'kruise-bench' });
  try {
    await client.create(namespaces, { metadata: { name: namespace } });
    await using shown = await LiveObjects.watch(client, pods, { namespace });
    const measured: Round[] = [];
    for (let round = 0; round <= rounds; round++) {
      signal.throwIfAborted();
      progress(round === 0 ? 'recreate: warm-up' : `recreate: round ${round} of ${rounds}`);
      measured.push(await measureRound({ client, shown, cluster }, `web-${round}`));
    }
    return measured.slice(1);
  } finally {
    client.close();
  }
}

function rowsFor(what: string, ours: readonly number[], peer?: readonly number[]): readonly Row[] {
  const row = (share: number): Omit<Row, 'what'> => ({
    ours: quantile(ours, share),
    peer: peer && { name: 'kubectl delete pod', value: quantile(peer, share) },
  });
  return rowsAbout(`recreate: request to ${what},`, { 'median (ms)': row(0.5), 'slowest (ms)': row(1) });
}

export const measure: Measure = async (run) => {
  const progress = createProgress(run.progress);
  const signal = signalOfEnd();
  try {
    const { cluster } = await startCluster({ name, nodes: 2, progress });
    const { kubeconfigPath, helm, registry, dir } = cluster;
    if (registry === undefined) throw new Error('the cluster has no registry');
    const repository = `${registry}/openkruise/kruise-manager`;
    await installKruise({ kubeconfigPath, helm, repository, localFolder: dir, progress, signal });
    const measured = await measureAll(cluster, run.progress, signal);
    const values = (of: keyof Round): readonly number[] => measured.map((round) => round[of]);
    return [
      ...rowsFor('old container ended', values('ended')),
      ...rowsFor('new container started', values('started'), values('deletedStarted')),
      ...rowsFor('Pod ready', values('ready'), values('deletedReady')),
    ];
  } finally {
    await stopCluster({ name, progress });
  }
};
