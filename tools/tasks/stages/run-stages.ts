/** The order in which stages run, which of them run at the same time, and what ends a run. */
import { joined, type Report, totalOf } from './tally.ts';

export interface Stage {
  readonly name: string;
  /** Ends early when `signal` aborts. */
  readonly run: (signal: AbortSignal) => Promise<Report>;
  /** Resolves when the next stage may start beside this one. The default is when this one has ended. */
  readonly leavesRoom?: Promise<unknown>;
  /** Whether it starts only when all others before it have ended. */
  readonly isAlone?: boolean;
}

export interface RunOptions {
  /** Whether a stage that fails leaves the others running. */
  readonly keepGoing: boolean;
  /** Called when a stage has ended by itself. */
  readonly onEnd?: (name: string, report: Report, ms: number) => void;
}

/**
 * Runs the stages in their order. The first that fails ends those that run beside it, which then report nothing.
 *
 * @returns the reports of stages that ended by themselves, in the order of `stages`
 */
export async function runStages(stages: readonly Stage[], options: RunOptions, signal: AbortSignal): Promise<Report> {
  const { keepGoing, onEnd } = options;
  const stop = new AbortController();
  const ends = AbortSignal.any([signal, stop.signal]);
  const reports = new Map<Stage, Report>();
  const isEnded = (): boolean => ends.aborted;

  const run = async (stage: Stage): Promise<void> => {
    const began = performance.now();
    try {
      const report = await stage.run(ends);
      if (stop.signal.aborted) return;
      reports.set(stage, report);
      if (!signal.aborted) onEnd?.(stage.name, report, performance.now() - began);
      if (totalOf(report).failed > 0 && !keepGoing) stop.abort();
    } catch (error) {
      // A stage whose program was not started because another stage has failed.
      if (!stop.signal.aborted) throw error;
    }
  };

  const started: Promise<void>[] = [];
  for (const stage of stages) {
    if (stage.isAlone === true) await Promise.all(started);
    if (isEnded()) break;
    const running = run(stage);
    started.push(running);
    await (stage.leavesRoom === undefined ? running : Promise.race([running, stage.leavesRoom]));
  }
  await Promise.all(started);
  return joined(stages.flatMap((stage) => reports.get(stage) ?? []));
}
