/** Pods reviewed at a steady rate while a CloneSet of many Pods is created and updated in place on the same two cores. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@kruise/kube';
import { AdmissionLoad } from '../manager/admission-load.ts';
import { onStage } from '../manager/stage.ts';
import type { ScenarioRun } from '../scenario.ts';
import { quantile } from '../statistics.ts';
import { reviewedPod } from './admission-subjects.ts';
import { lifeOfCloneSet } from './rollout.ts';

/** What the stage sends by itself. */
const onStagePerSecond = 20;
const warmUpMs = 10_000;

export interface DuringPhase {
  readonly name: string;
  readonly wallSeconds: number;
  readonly reviews: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of a process that answers the same reviews at once, at the same time. */
  readonly floorP99Ms: number;
  /** Of the webhook thread, by review: what it used, and what it waited for a processor. */
  readonly cpuMs: number;
  readonly waitedMs: number;
  /** Share of all cores, 0 to 1. */
  readonly machineBusy: number;
}

/** @param prepare called before anything is reviewed */
export const measureDuringRollout = (
  run: ScenarioRun,
  perSecond: number,
  prepare: (client: Client) => Promise<void>,
): Promise<readonly DuringPhase[]> =>
  onStage(run, { pods: run.sizes.pods, subjects: [reviewedPod()] }, async ({ client, instruments, phase: runPhase }) => {
    const { manager, echo } = instruments;
    await prepare(client);
    const target = { port: manager.ports.webhook, certificateAuthority: manager.certificateAuthority };
    const load = await AdmissionLoad.connect(target, [reviewedPod()]);
    load.start(perSecond - onStagePerSecond);
    await sleep(warmUpMs);
    const results: DuringPhase[] = [];
    try {
      for (const phase of lifeOfCloneSet(client, run.sizes.pods).slice(0, 2)) {
        load.take();
        echo.take();
        const { name, wallSeconds, echo: floor, webhookThread, machineBusy } = await runPhase(phase);
        const latencies = [...load.take().values()].flat();
        results.push({
          name,
          wallSeconds,
          reviews: latencies.length,
          p50Ms: quantile(latencies, 0.5),
          p99Ms: quantile(latencies, 0.99),
          floorP99Ms: Math.max(...Object.values(floor).map(({ p99Ms }) => p99Ms)),
          cpuMs: (webhookThread.ran * 1000) / webhookThread.reviews,
          waitedMs: (webhookThread.waited * 1000) / webhookThread.reviews,
          machineBusy,
        });
      }
      if (load.failures.length > 0) throw new Error(`${load.failures.length} reviews failed, first: ${load.failures[0]}`);
      return results;
    } finally {
      await load.stop();
    }
  });
