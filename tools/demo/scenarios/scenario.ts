/** The scenarios in their order. What the demo says is verified: a difference ends it with `Unverified`. */
import { playBudget } from './budget-scenario.ts';
import { playCloneSet } from './cloneset-scenario.ts';
import { createSidecarSet, playSidecarSet } from './sidecarset-scenario.ts';
import type { Stage } from './stage.ts';

/** @returns what was verified, one line each. @throws {Unverified} at the first difference */
export async function runScenario(stage: Stage): Promise<readonly string[]> {
  // Pods are injected when they are created, so the SidecarSet comes first.
  await createSidecarSet(stage);
  const { verified, pods } = await playCloneSet(stage);
  return [...verified, ...(await playSidecarSet(stage, pods)), ...(await playBudget(stage))];
}
