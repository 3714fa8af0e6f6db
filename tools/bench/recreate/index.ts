/**
 * A container recreated in place, beside the same Pod deleted and made anew by its CloneSet: on a real cluster of its own with containerd. Times
 * are those at which a watch of the Pods tells, counted from the request. Needs root, so it runs only when it is named.
 */
import { cloneSets, containerRecreateRequests, type CloneSet, type ContainerRecreateRequest } from '@kruise/api';
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { isPodReady, namespaces, pods, type Pod } from '@kruise/objects';
import { createProgress, startCluster, stopCluster, type Cluster } from '@kruise/testing';
import { installKruise } from '../../tasks/install-kruise.ts';
import { signalOfEnd } from '../../tasks/run-program.ts';
import { median, quantile } from '../statistics.ts';
import type { Row } from '../table.ts';
import { PodTimes } from './pod-times.ts';

const name = 'bench';
const namespace = 'bench-recreate';

export interface RecreateBenchOptions {
  readonly rounds?: number;
  readonly progress?: (line: string) => void;
}

/** Milliseconds from the request until something could be seen. */
interface Times {
  readonly running: number;
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

async function timesUntilReplaced(times: PodTimes, before: Pod, act: () => Promise<unknown>): Promise<Times & { readonly after: Pod }> {
  const app = before.metadata.labels?.['app'];
  const isNew = (pod: Pod): boolean =>
    pod.metadata.labels?.['app'] === app && isRunning(pod) && containerIdOf(pod) !== containerIdOf(before);
  const from = performance.now();
  const running = times.first(isNew);
  const ready = times.first((pod) => isNew(pod) && isPodReady(pod));
  await act();
  const [first, second] = await Promise.all([running, ready]);
  return { running: first.at - from, ready: second.at - from, after: second.pod };
}

async function measureRound(
  client: Client,
  times: PodTimes,
  round: number,
): Promise<{ readonly recreated: Times; readonly deleted: Times }> {
  const app = `web-${round}`;
  const born = times.first((pod) => pod.metadata.labels?.['app'] === app && isPodReady(pod));
  await client.create(cloneSets, cloneSetOf(round));
  const { pod } = await born;
  const recreated = await timesUntilReplaced(times, pod, () => client.create(containerRecreateRequests, requestFor(pod)));
  const { metadata, status } = recreated.after;
  if (metadata.uid !== pod.metadata.uid || status?.podIP !== pod.status?.podIP) throw new Error('the Pod did not stay the same');
  // As kubectl does it: with the grace of the Pod, whose process ends at once.
  const deleted = await timesUntilReplaced(times, recreated.after, () => client.delete(pods, { namespace, name: pod.metadata.name }));
  await client.delete(cloneSets, { namespace, name: app });
  return { recreated, deleted };
}

async function measure(
  cluster: Cluster,
  { rounds = 6, progress = () => undefined }: RecreateBenchOptions,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const client = createClient(loadClusterConfig({ path: cluster.kubeconfigPath }), { userAgent: 'kruise-bench' });
  try {
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await using times = new PodTimes(client, namespace, signal);
    const measured: { readonly recreated: Times; readonly deleted: Times }[] = [];
    for (let round = 0; round <= rounds; round++) {
      signal.throwIfAborted();
      progress(round === 0 ? 'recreate: warm-up' : `recreate: round ${round} of ${rounds}`);
      const result = await measureRound(client, times, round);
      if (round > 0) measured.push(result);
    }
    const row = (what: string, of: keyof Times, pick: (values: readonly number[]) => number): Row => ({
      what: `recreate: request to ${what} (ms)`,
      ours: pick(measured.map(({ recreated }) => recreated[of])),
      peer: { name: 'kubectl delete pod', value: pick(measured.map(({ deleted }) => deleted[of])) },
    });
    const slowest = (values: readonly number[]): number => quantile(values, 1);
    return [
      row('new container running, median', 'running', median),
      row('new container running, slowest', 'running', slowest),
      row('Pod ready, median', 'ready', median),
      row('Pod ready, slowest', 'ready', slowest),
    ];
  } finally {
    client.close();
  }
}

export async function run(options: RecreateBenchOptions = {}): Promise<readonly Row[]> {
  const progress = createProgress((line) => options.progress?.(line));
  const signal = signalOfEnd();
  try {
    const { cluster } = await startCluster({ name, nodes: 2, progress });
    const { kubeconfigPath, helm, registry, dir } = cluster;
    if (registry === undefined) throw new Error('the cluster has no registry');
    const repository = `${registry}/openkruise/kruise-manager`;
    await installKruise({ kubeconfigPath, helm, repository, localFolder: dir, progress, signal });
    return await measure(cluster, options, signal);
  } finally {
    await stopCluster({ name, progress });
  }
}
