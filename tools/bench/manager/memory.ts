/** Start and memory of the manager: ready time, RSS with nothing to do, RSS with many Pods in the store. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, inParallel, loadClusterConfig, type Client } from '@kruise/kube';
import { namespaces, pods } from '@kruise/objects';
import { startControlPlane } from '@kruise/testing';
import { podToWrite } from '../client/pod-to-write.ts';
import { peakRssMiB, privateMiB, rssMiB } from '../process-usage.ts';
import { median } from '../statistics.ts';
import { install } from './install.ts';
import { ManagerProcess } from './manager-process.ts';

export interface MemoryOptions {
  readonly program: string;
  readonly folder: string;
  readonly stored: number;
  readonly progress: (line: string) => void;
}

export interface MemoryResult {
  /** Seconds; certificates are made and everything in the cluster is wired. */
  readonly firstStart: number;
  /** Seconds, median of three; certificates and wiring are found. */
  readonly laterStart: number;
  /** 30 s after the start. */
  readonly idleRssMiB: number;
  /** The part of it that no other process shares. */
  readonly idlePrivateMiB: number;
  readonly storedRssMiB: number;
  /** Since the start, the first list included. */
  readonly storedPeakRssMiB: number;
}

const idleMs = 30_000;
const settleMs = 10_000;
const parallelWrites = 32;
const namespace = 'bench';

async function fill(client: Client, count: number): Promise<void> {
  // The webhooks for Pods leave such namespaces alone; no manager runs now that would answer them.
  await client.create(namespaces, { metadata: { name: namespace, labels: { 'control-plane': 'bench' } } });
  const numbers = Array.from({ length: count }, (_, at) => at);
  await inParallel(numbers, parallelWrites, async (at) => {
    const { pod, status } = podToWrite(at, namespace, 'stored');
    const made = await client.create(pods, pod, { fieldManager: 'kube-controller-manager' });
    await client.updateStatus(pods, { ...made, status }, { fieldManager: 'kubelet' });
  });
}

type Setup = Omit<Parameters<typeof ManagerProcess.start>[0], 'profileFolder'>;

/** Starts the manager, lets `use` look at it once it is ready, and stops it. */
async function withManager<T>(setup: Setup, use: (manager: ManagerProcess, readySeconds: number) => Promise<T>): Promise<T> {
  await using manager = await ManagerProcess.start(setup);
  const ready = await manager.waitUntilReady();
  await manager.waitUntilLeading();
  return await use(manager, ready); // it is stopped at the end of this block
}

const readyTime = (_: ManagerProcess, ready: number): Promise<number> => Promise.resolve(ready);

export async function measureMemory({ program, folder, stored, progress }: MemoryOptions): Promise<MemoryResult> {
  await using plane = await startControlPlane({});
  const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-bench' });
  const setup = { program, folder, kubeconfig: plane.kubeconfigPath };
  try {
    await install(client, AbortSignal.timeout(60_000));
    progress('starting the manager');
    const firstStart = await withManager(setup, readyTime);
    const later: number[] = [];
    for (let start = 0; start < 3; start++) later.push(await withManager(setup, readyTime));
    progress(`memory after ${idleMs / 1000} s`);
    const idle = await withManager(setup, async (manager) => {
      await sleep(idleMs);
      return { idleRssMiB: rssMiB(manager.pid), idlePrivateMiB: privateMiB(manager.pid) };
    });
    progress(`creating ${stored} Pods`);
    await fill(client, stored);
    progress(`memory with ${stored} Pods`);
    return await withManager(setup, async (manager) => {
      await sleep(settleMs);
      return {
        firstStart,
        laterStart: median(later),
        ...idle,
        storedRssMiB: rssMiB(manager.pid),
        storedPeakRssMiB: peakRssMiB(manager.pid),
      };
    });
  } finally {
    client.close();
  }
}
