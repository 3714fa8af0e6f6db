/** The node agent as it is shipped within the limits of its container, on a node whose runtime is scripted. */
import { join } from 'node:path';
import { ScriptedRuntime } from '@kruise/cri/testing';
import type { Client } from '@kruise/kube';
import { DaemonProcess, freePort, installKinds } from '../../apps/daemon/src/daemon-process.testing.ts';
import { Cgroup } from './cgroup.ts';
import { onBarePlane } from './manager/plane.ts';
import { buildProgram } from './program.ts';

export const nodeName = 'node1';
export const limits = { millicores: 50, memoryMiB: 128 };
export const within = Cgroup.allowed ? `${limits.millicores}m, ${limits.memoryMiB} MiB` : 'without limits: no right to make a cgroup';

/** The quota is not used up by questions. */
const pauseMs = 100;

export interface AgentNode {
  readonly client: Client;
  readonly runtime: ScriptedRuntime;
  /** Starts the agent, lets `use` measure it, and stops it. @param readySeconds from the start of the process until it was ready */
  readonly withAgent: <T>(flags: readonly string[], use: (agent: DaemonProcess, readySeconds: number) => Promise<T>) => Promise<T>;
}

/** @param folder contains the runtime's socket and the log */
export const onAgentNode = <T>(folder: string, use: (node: AgentNode) => Promise<T>): Promise<T> =>
  onBarePlane(async ({ plane, client }) => {
    const runtime = new ScriptedRuntime({ socket: join(folder, 'containerd.sock') });
    const withAgent: AgentNode['withAgent'] = async (flags, measure) => {
      await using cgroup = Cgroup.allowed ? new Cgroup(`kruise-bench-${process.pid}`, limits) : undefined;
      await using agent = await startAgent(folder, plane.kubeconfigPath, flags, cgroup);
      return await measure(agent, await agent.waitUntilReady(undefined, pauseMs));
    };
    try {
      await installKinds(client);
      await runtime.start();
      return await use({ client, runtime, withAgent });
    } finally {
      await runtime.stop();
    }
  });

async function startAgent(
  folder: string,
  kubeconfig: string,
  flags: readonly string[],
  cgroup: Cgroup | undefined,
): Promise<DaemonProcess> {
  return new DaemonProcess({
    address: `127.0.0.1:${await freePort()}`,
    root: folder,
    kubeconfig,
    flags,
    variables: { HOME: '/', UV_THREADPOOL_SIZE: '1', NODE_NAME: nodeName },
    file: await buildProgram('daemon'),
    nodeFlags: [`--max-old-space-size=${Math.floor((limits.memoryMiB * 3) / 4)}`],
    logFile: join(folder, 'daemon.log'),
    wrap: (line) => cgroup?.command(line) ?? line,
    cause: () => (cgroup?.outOfMemory === true ? ', out of memory' : ''),
  });
}
