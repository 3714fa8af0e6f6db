/** Start and memory of the manager: ready time, RSS with nothing to do, RSS with many Pods in the store. */
import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel, type Client } from '@kruise/kube';
import { pods } from '@kruise/objects';
import { podToWrite } from '../client/pod-to-write.ts';
import { ManagerProcess } from '../manager/manager-process.ts';
import { namespace } from '../manager/namespace.ts';
import { onPlane } from '../manager/plane.ts';
import { peakRssMiB, privateMiB, rssMiB } from '../process-usage.ts';
import type { Measure } from '../scenario.ts';
import { median } from '../statistics.ts';

const idleMs = 30_000;
const settleMs = 10_000;
const parallelWrites = 32;

async function fill(client: Client, count: number): Promise<void> {
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

/** The webhooks for Pods leave such namespaces alone: no manager runs that would answer them while the Pods are created. */
const labels = { 'control-plane': 'bench' };

export const measure: Measure = (run) =>
  onPlane({ labels }, async ({ plane, client }) => {
    const { progress, folder } = run;
    const { stored } = run.sizes;
    const setup = { program: await run.managerProgram(), folder, kubeconfig: plane.kubeconfigPath };
    progress('starting the manager');
    const firstStart = await withManager(setup, readyTime);
    const later: number[] = [];
    for (let start = 0; start < 3; start++) later.push(await withManager(setup, readyTime));
    progress(`memory after ${idleMs / 1000} s`);
    const idle = await withManager(setup, async (manager) => {
      await sleep(idleMs);
      return { rss: rssMiB(manager.pid), own: privateMiB(manager.pid) };
    });
    progress(`creating ${stored} Pods`);
    await fill(client, stored);
    progress(`memory with ${stored} Pods`);
    const full = await withManager(setup, async (manager) => {
      await sleep(settleMs);
      return { rss: rssMiB(manager.pid), peak: peakRssMiB(manager.pid) };
    });
    return {
      rows: [
        { what: 'manager: ready after start (s)', ours: median(later), limit: 1.5 },
        { what: 'manager: ready after the first start, which makes certificates (s)', ours: firstStart },
        { what: `manager: RSS after ${idleMs / 1000} s idle (MiB)`, ours: idle.rss, limit: 100 },
        { what: 'manager: of that not shared with other processes (MiB)', ours: idle.own },
        { what: `manager: RSS with ${stored.toLocaleString('en-US')} Pods in the store (MiB)`, ours: full.rss, limit: 250 },
        { what: 'manager: peak RSS meanwhile (MiB)', ours: full.peak },
      ],
    };
  });
