/** The manager beside many nodes that have two DaemonSets each: its memory, and what one change of a label costs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { daemonSets } from '@kruise/api';
import { createClient, inParallel, loadClusterConfig, type Client } from '@kruise/kube';
import { namespaces, nodes as nodeType, type Node } from '@kruise/objects';
import { startControlPlane } from '@kruise/testing';
import { peakRssMiB, rssMiB } from '../process-usage.ts';
import { namespace } from './clone-set.ts';
import { DelayWatch } from './delay-watch.ts';
import { install } from './install.ts';
import { ManagerProcess } from './manager-process.ts';
import { daemonSet } from './per-node.ts';

export interface NodeMemoryOptions {
  readonly program: string;
  readonly folder: string;
  readonly nodes: number;
  readonly progress: (line: string) => void;
}

export interface NodeMemoryResult {
  readonly rssMiB: number;
  /** Since the start. */
  readonly peakRssMiB: number;
  /** CPU of the main thread between two turns of its event loop, while one node stops being chosen. */
  readonly longestWorkMs: number;
}

const parallelWrites = 32;
const settleMs = 20_000;

/** As a kubelet would register it, as far as anybody here looks. */
const aNode = (index: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: `node-${index}`,
    labels: {
      'kubernetes.io/hostname': `node-${index}`,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'example.com/agent': 'yes',
    },
  },
});

/** The API server taints a node that has never been ready, and no controller runs that would remove the taint. */
async function createNode(client: Client, index: number): Promise<void> {
  await client.create(nodeType, aNode(index));
  await client.patch(nodeType, { namespace: '', name: `node-${index}` }, { spec: { taints: null } }, { type: 'merge' });
}

async function untilCreated(client: Client, name: string, count: number): Promise<void> {
  const deadline = performance.now() + 60_000 + count * 120;
  for (;;) {
    const { status } = await client.get(daemonSets, { namespace, name });
    if (status?.currentNumberScheduled === count) return;
    if (performance.now() > deadline)
      throw new Error(
        `DaemonSet ${name} has ${status?.currentNumberScheduled} Pods for ${count} nodes: ${JSON.stringify(status?.conditions)}`,
      );
    await sleep(500);
  }
}

export async function measureNodeMemory({ program, folder, nodes, progress }: NodeMemoryOptions): Promise<NodeMemoryResult> {
  progress(`${nodes} nodes without kubelets, and two DaemonSets`);
  await using plane = await startControlPlane({ controllers: false });
  const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-bench' });
  try {
    await install(client, AbortSignal.timeout(60_000));
    await client.create(namespaces, { metadata: { name: namespace } });
    const numbers = Array.from({ length: nodes }, (_, index) => index);
    await inParallel(numbers, parallelWrites, (index) => createNode(client, index));
    await using manager = await ManagerProcess.start({ program, folder, kubeconfig: plane.kubeconfigPath });
    await manager.waitUntilReady();
    await manager.waitUntilLeading();
    for (const name of ['agent', 'logs']) {
      const { metadata, spec } = daemonSet();
      const labels = { app: name };
      const template = { ...spec.template, metadata: { labels } };
      await client.create(daemonSets, {
        metadata: { ...metadata, name, labels },
        spec: { ...spec, selector: { matchLabels: labels }, template },
      });
      await untilCreated(client, name, nodes);
    }
    await sleep(settleMs);
    const memory = { rssMiB: rssMiB(manager.pid), peakRssMiB: peakRssMiB(manager.pid) };
    const delays = new DelayWatch(manager);
    await delays.take();
    await client.patch(
      nodeType,
      { namespace: '', name: 'node-7' },
      { metadata: { labels: { 'example.com/agent': 'no' } } },
      { type: 'merge' },
    );
    await sleep(5_000);
    const { work } = await delays.take();
    await delays.stop();
    return { ...memory, longestWorkMs: work };
  } finally {
    client.close();
  }
}
