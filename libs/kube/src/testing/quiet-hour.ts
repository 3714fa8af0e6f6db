/** "Idle is quiet": once everything is as it should be, nobody writes any more. */
import type { FakeClock } from '../clock/fake-clock.ts';
import type { FakeApi } from './fake-api.ts';
import { headOf } from './story.ts';

const hourMs = 3_600_000;
const stepMs = 10_000;

/** Who is looked at, and what the surroundings do meanwhile. */
export interface QuietWorld {
  readonly api: FakeApi;
  readonly clock: FakeClock;
  /** Every ten seconds, before the clock goes on: kubelets, or a pass of whoever has no timer of its own. */
  readonly turn?: () => Promise<void>;
}

/** An hour of simulated time in which no user does anything. @returns what was written all the same, as `verb Kind namespace/name` */
export async function quietHour({ api, clock, turn }: QuietWorld): Promise<readonly string[]> {
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
