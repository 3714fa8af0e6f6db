/** The node agent within the limits of its container, on a node whose runtime is scripted. */
import { join } from 'node:path';
import { ScriptedRuntime } from '@kruise/cri/testing';
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { startControlPlane } from '@kruise/testing';
import { installKinds } from '../../../apps/daemon/src/daemon-process.testing.ts';
import { Cgroup } from './cgroup.ts';
import type { DaemonSetup } from './daemon-process.ts';

export const nodeName = 'node1';
export const limits = { millicores: 50, memoryMiB: 128 };
export const within = Cgroup.allowed ? `${limits.millicores}m, ${limits.memoryMiB} MiB` : 'without limits: no right to make a cgroup';

export interface Node {
  readonly client: Client;
  readonly runtime: ScriptedRuntime;
  readonly setup: DaemonSetup;
}

export async function withNode<T>(folder: string, use: (node: Node) => Promise<T>): Promise<T> {
  await using plane = await startControlPlane({});
  const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-bench' });
  const runtime = new ScriptedRuntime({ socket: join(folder, 'containerd.sock') });
  try {
    await installKinds(client);
    await runtime.start();
    return await use({ client, runtime, setup: { kubeconfig: plane.kubeconfigPath, nodeName, folder, limits } });
  } finally {
    client.close();
    await runtime.stop();
  }
}
