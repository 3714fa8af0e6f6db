/** Start and memory of the manager: ready time, RSS with nothing to do, RSS with many Pods in the store. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pods } from '@kruise/objects';
import { each } from '../each.ts';
import { ManagerProcess } from '../manager/manager-process.ts';
import { onPlane } from '../manager/plane.ts';
import { unboundPod } from '../objects/realistic-pod.ts';
import { peakRssMiB, privateMiB, rssMiB } from '../process-usage.ts';
import type { Measure } from '../scenario.ts';
import { median } from '../statistics.ts';

const idleMs = 30_000;
const settleMs = 10_000;

interface Memory {
  readonly ready: number;
  readonly rss: number;
  readonly own: number;
  readonly peak: number;
}

/** The webhooks for Pods leave such namespaces alone: no manager runs that would answer them while the Pods are created. */
const labels = { 'control-plane': 'bench' };

export const measure: Measure = (run) =>
  onPlane({ labels }, async ({ plane, client }) => {
    const { progress, folder } = run;
    const { stored } = run.sizes;
    const setup = { program: await run.managerProgram(), folder, kubeconfig: plane.kubeconfigPath };
    /** Of a manager that has been ready for this long. */
    const memoryAfter = async (restMs: number): Promise<Memory> => {
      await using manager = await ManagerProcess.start(setup);
      const ready = await manager.waitUntilReady();
      await manager.waitUntilLeading();
      await sleep(restMs);
      const { pid } = manager;
      return { ready, rss: rssMiB(pid), own: privateMiB(pid), peak: peakRssMiB(pid) };
    };
    progress('starting the manager');
    const first = await memoryAfter(0);
    const later: number[] = [];
    for (let start = 0; start < 3; start++) later.push((await memoryAfter(0)).ready);
    progress(`memory after ${idleMs / 1000} s`);
    const idle = await memoryAfter(idleMs);
    progress(`creating ${stored} Pods`);
    await each(stored, async (at) => {
      const { pod, status } = unboundPod(at, 'stored');
      const made = await client.create(pods, pod, { fieldManager: 'kube-controller-manager' });
      await client.updateStatus(pods, { ...made, status }, { fieldManager: 'kubelet' });
    });
    progress(`memory with ${stored} Pods`);
    const full = await memoryAfter(settleMs);
    return {
      rows: [
        { what: 'manager: ready after start (s)', ours: median(later), limit: 1.5 },
        { what: 'manager: ready after the first start, which makes certificates (s)', ours: first.ready },
        { what: `manager: RSS after ${idleMs / 1000} s idle (MiB)`, ours: idle.rss, limit: 100 },
        { what: 'manager: of that not shared with other processes (MiB)', ours: idle.own },
        { what: `manager: RSS with ${stored.toLocaleString('en-US')} Pods in the store (MiB)`, ours: full.rss, limit: 250 },
        { what: 'manager: peak RSS meanwhile (MiB)', ours: full.peak },
      ],
    };
  });
