/** The node agent as it is shipped within the limits of its container, on a node whose runtime is scripted. */
import { join } from 'node:path';
import { ScriptedRuntime } from '@kruise/cri/testing';
import type { Client } from '@kruise/kube';
import { DaemonProcess, freePort, installKinds } from '../../apps/daemon/src/daemon-process.testing.ts';
import { Cgroup } from './cgroup.ts';
import { onBarePlane } from './manager/plane.ts';
import { buildProgram } from './program.ts';
import type { Measure } from './scenario.ts';
import type { Row } from './table.ts';

export const nodeName = 'node1';
export const limits = { millicores: 50, memoryMiB: 128 };
export const within = Cgroup.allowed ? `${limits.millicores}m, ${limits.memoryMiB} MiB` : 'without limits: no right to make a cgroup';

/** The quota is not used up by questions. */
const pauseMs = 100;

interface AgentNode {
  readonly client: Client;
  readonly runtime: ScriptedRuntime;
  readonly progress: (line: string) => void;
  /** Starts the agent, which ends after the scenario. @returns it, and the seconds from the start of its process until it was ready */
  readonly startAgent: (flags?: readonly string[]) => Promise<{ readonly agent: DaemonProcess; readonly readySeconds: number }>;
}

/** @returns a scenario that sets the node up, lets `use` measure the agent, and stops everything */
export const onAgentNode =
  (use: (node: AgentNode) => Promise<readonly Row[]>): Measure =>
  ({ folder, progress }) =>
    onBarePlane(async ({ plane, client }) => {
      await using started = new AsyncDisposableStack();
      const runtime = new ScriptedRuntime({ socket: join(folder, 'containerd.sock') });
      started.defer(() => runtime.stop());
      await installKinds(client);
      await runtime.start();
      const startAgent: AgentNode['startAgent'] = async (flags = []) => {
        const cgroup = Cgroup.allowed ? started.use(new Cgroup(`kruise-bench-${process.pid}`, limits)) : undefined;
        const setup = {
          address: `127.0.0.1:${await freePort()}`,
          root: folder,
          kubeconfig: plane.kubeconfigPath,
          flags,
          variables: { HOME: '/', UV_THREADPOOL_SIZE: '1', NODE_NAME: nodeName },
          file: await buildProgram('daemon'),
          nodeFlags: [`--max-old-space-size=${Math.floor((limits.memoryMiB * 3) / 4)}`],
          logFile: join(folder, 'daemon.log'),
          wrap: (line: readonly string[]) => cgroup?.command(line) ?? line,
          cause: () => (cgroup?.outOfMemory === true ? ', out of memory' : ''),
        };
        const agent = started.use(new DaemonProcess(setup));
        return { agent, readySeconds: await agent.waitUntilReady(undefined, pauseMs) };
      };
      return await use({ client, runtime, progress, startAgent });
    });
