/** Start and memory of the manager: ready time, RSS with nothing to do, RSS with many Pods in the store. */
import { setTimeout as sleep } from 'node:timers/promises';
import { peakRssMiB, privateMiB, rssMiB } from '@kruise/testing';
import { each } from '../each.ts';
import { launchManager, onPlane } from '../manager/plane.ts';
import { createPod, unboundPod } from '../objects/realistic-pod.ts';
import type { Measure } from '../scenario.ts';
import { median } from '../statistics.ts';
import { rowsAbout } from '../table.ts';

const idleMs = 30_000;
const settleMs = 10_000;
/** The start is measured to this precision. */
const pollMs = 5;

/** The webhooks for Pods leave such namespaces alone: no manager runs that would answer them while the Pods are created. */
const labels = { 'control-plane': 'bench' };

export const measure: Measure = (run) =>
  onPlane({ labels }, async ({ plane, client }) => {
    const { stored } = run.sizes;
    /** Of a manager that has been ready for this long. */
    const memoryAfter = async (restMs: number): Promise<Readonly<Record<'ready' | 'rss' | 'own' | 'peak', number>>> => {
      await using manager = await launchManager(run, plane);
      const ready = await manager.waitUntilReady(undefined, pollMs);
      await manager.waitUntilLeading();
      await sleep(restMs);
      return { ready, rss: rssMiB(manager.pid), own: privateMiB(manager.pid), peak: peakRssMiB(manager.pid) };
    };
    run.progress('starting the manager');
    const first = await memoryAfter(0);
    const later: number[] = [];
    for (let start = 0; start < 3; start++) later.push((await memoryAfter(0)).ready);
    run.progress(`memory after ${idleMs / 1000} s`);
    const idle = await memoryAfter(idleMs);
    run.progress(`creating ${stored} Pods`);
    await each(stored, (at) => {
      const { pod, status } = unboundPod(at, 'stored');
      return createPod(client, pod, status);
    });
    run.progress(`memory with ${stored} Pods`);
    const full = await memoryAfter(settleMs);
    return rowsAbout('manager:', {
      'ready after start (s)': { ours: median(later), limit: 1.5 },
      'ready after the first start, which makes certificates (s)': first.ready,
      [`RSS after ${idleMs / 1000} s idle (MiB)`]: { ours: idle.rss, limit: 100 },
      'of that not shared with other processes (MiB)': idle.own,
      [`RSS with ${stored.toLocaleString('en-US')} Pods in the store (MiB)`]: { ours: full.rss, limit: 250 },
      'peak RSS meanwhile (MiB)': full.peak,
    });
  });
