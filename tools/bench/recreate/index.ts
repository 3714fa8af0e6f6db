/**
 * A container recreated in place, beside the same Pod deleted and recreated by its CloneSet: on a real cluster of its own with containerd. Times
 * are counted from the request: until the container runs, as the runtime reports, and until the Pod is ready, as a watch shows. Needs root, so it
 * runs only when it is named.
 */
import { join } from 'node:path';
import { cloneSets, containerRecreateRequests, type CloneSet, type ContainerRecreateRequest } from '@kruise/api';
import { containerStatus, CriChannel } from '@kruise/cri';
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { isPodReady, namespaces, pods, type Pod } from '@kruise/objects';
import { createProgress, startCluster, stopCluster, type Cluster } from '@kruise/testing';
import { installKruise } from '../../tasks/install-kruise.ts';
import { signalOfEnd } from '../../tasks/run-program.ts';
import type { Measure } from '../scenario.ts';
import { median, quantile } from '../statistics.ts';
import type { Row } from '../table.ts';
import { PodTimes } from './pod-times.ts';

const name = 'bench';
const namespace = 'bench-recreate';

const rounds = 6;

/** Milliseconds from the request. */
interface Times {
  /** Until the new container was started. */
  readonly started: number;
  readonly ready: number;
}

const cloneSetOf = (round: number): CloneSet => {
  const app = `web-${round}`;
  const container = { name: 'main', image: 'nginx:alpine-20', volumeMounts: [{ name: 'data', mountPath: '/data' }] };
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: app, namespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app } },
      template: { metadata: { labels: { app } }, spec: { containers: [container], volumes: [{ name: 'data', emptyDir: {} }] } },
    },
  };
};

const requestFor = (pod: Pod): ContainerRecreateRequest => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'ContainerRecreateRequest',
  metadata: { name: pod.metadata.name, namespace },
  spec: { podName: pod.metadata.name, containers: [{ name: 'main' }] },
});

const containerIdOf = (pod: Pod): string => pod.status?.containerStatuses?.[0]?.containerID ?? '';
const isRunning = (pod: Pod): boolean => pod.status?.containerStatuses?.[0]?.state?.running !== undefined;

/** When the runtime started the Pod's container, or saw it end, in milliseconds since the epoch. */
async function timeOf(what: 'startedAt' | 'finishedAt', pod: Pod, { dir }: Cluster): Promise<number> {
  const connection = new CriChannel(join(dir, pod.spec.nodeName ?? '', 'run/containerd.sock'));
  try {
    const { status } = await containerStatus(connection, containerIdOf(pod).replace(/^.*:\/\//, ''));
    return Number(BigInt(status[what]) / 1000n) / 1000;
  } finally {
    connection.close();
  }
}

async function timesUntilReplaced(
  { times, cluster }: Stage,
  before: Pod,
  act: () => Promise<unknown>,
): Promise<Times & { readonly after: Pod; readonly since: number }> {
  const app = before.metadata.labels?.['app'];
  const isNew = (pod: Pod): boolean =>
    pod.metadata.labels?.['app'] === app && isRunning(pod) && containerIdOf(pod) !== containerIdOf(before);
  const [from, since] = [performance.now(), performance.timeOrigin + performance.now()];
  const ready = times.first((pod) => isNew(pod) && isPodReady(pod));
  await act();
  const { pod, at } = await ready;
  return { started: (await timeOf('startedAt', pod, cluster)) - since, ready: at - from, after: pod, since };
}

interface Stage {
  readonly client: Client;
  readonly times: PodTimes;
  readonly cluster: Cluster;
}

interface Round {
  readonly recreated: Times;
  readonly deleted: Times;
  /** Until the old container had ended: the part that Kruise needs. */
  readonly ended: number;
}

async function measureRound(stage: Stage, round: number): Promise<Round> {
  const { client, times } = stage;
  const app = `web-${round}`;
  const born = times.first((pod) => pod.metadata.labels?.['app'] === app && isPodReady(pod));
  await client.create(cloneSets, cloneSetOf(round));
  const { pod } = await born;
  const recreated = await timesUntilReplaced(stage, pod, () => client.create(containerRecreateRequests, requestFor(pod)));
  const { metadata, status } = recreated.after;
  if (metadata.uid !== pod.metadata.uid || status?.podIP !== pod.status?.podIP) throw new Error('the Pod did not stay the same');
  const ended = (await timeOf('finishedAt', pod, stage.cluster)) - recreated.since;
  // As kubectl does it: with the grace of the Pod, whose process ends at once.
  const deleted = await timesUntilReplaced(stage, recreated.after, () => client.delete(pods, { namespace, name: pod.metadata.name }));
  await client.delete(cloneSets, { namespace, name: app });
  return { recreated, deleted, ended };
}

async function measureAll(cluster: Cluster, progress: (line: string) => void, signal: AbortSignal): Promise<readonly Row[]> {
  const client = createClient(loadClusterConfig({ path: cluster.kubeconfigPath }), { userAgent: 'kruise-bench' });
  try {
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await using times = new PodTimes(client, namespace, signal);
    const measured: Round[] = [];
    for (let round = 0; round <= rounds; round++) {
      signal.throwIfAborted();
      progress(round === 0 ? 'recreate: warm-up' : `recreate: round ${round} of ${rounds}`);
      const result = await measureRound({ client, times, cluster }, round);
      if (round > 0) measured.push(result);
    }
    const row = (what: string, of: keyof Times, pick: (values: readonly number[]) => number): Row => ({
      what: `recreate: request to ${what} (ms)`,
      ours: pick(measured.map(({ recreated }) => recreated[of])),
      peer: { name: 'kubectl delete pod', value: pick(measured.map(({ deleted }) => deleted[of])) },
    });
    const slowest = (values: readonly number[]): number => quantile(values, 1);
    const ended = (pick: (values: readonly number[]) => number): number => pick(measured.map((round) => round.ended));
    return [
      { what: 'recreate: request to old container ended, median (ms)', ours: ended(median) },
      { what: 'recreate: request to old container ended, slowest (ms)', ours: ended(slowest) },
      row('new container started, median', 'started', median),
      row('new container started, slowest', 'started', slowest),
      row('Pod ready, median', 'ready', median),
      row('Pod ready, slowest', 'ready', slowest),
    ];
  } finally {
    client.close();
  }
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
    return { rows: await measureAll(cluster, run.progress, signal) };
  } finally {
    await stopCluster({ name, progress });
  }
};
