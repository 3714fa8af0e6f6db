/** Checks that an idle system is quiet: once everything is as desired, no controller writes any more. */
import type { FakeClock } from '../clock/fake-clock.ts';
import type { FakeApi } from './fake-api.ts';
import { headOf } from './timeline.ts';

const hourMs = 3_600_000;
const stepMs = 10_000;

/** What is observed, and what the surroundings do meanwhile. */
export interface QuietCluster {
  readonly api: FakeApi;
  readonly clock: FakeClock;
  /** Runs every ten seconds, before the clock advances: kubelets, or a pass of any controller without a timer of its own. */
  readonly turn?: () => Promise<void>;
}

/** Runs an hour of simulated time in which no user acts. @returns what was written nevertheless, as `verb Kind namespace/name` */
export async function quietHour({ api, clock, turn }: QuietCluster): Promise<readonly string[]> {
  const written: string[] = [];
  let isListening = true;
  api.onWrite((write) => {
    if (isListening) written.push(headOf(write));
  });
  for (let elapsed = 0; elapsed < hourMs; elapsed += stepMs) {
    await turn?.();
    await clock.step(stepMs);
  }
  await clock.settle();
  isListening = false;
  return written;
}
