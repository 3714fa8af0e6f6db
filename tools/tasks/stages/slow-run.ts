/** Reports when a whole run takes longer than it should, and which stage grew most. Pure. */
import type { Timing } from './tally.ts';

/** A whole run on two cores with warm caches must stay below. */
const longestRunMs = 30 * 60_000;

/** How long each stage took on two quiet cores with warm caches, in seconds, when it was last looked at. See docs/benchmarks.md. */
const usualSeconds: Readonly<Record<string, number>> = {
  // These two run beside the tests on real nodes.
  static: 216,
  unit: 420,
  integration: 600,
  'e2e: cluster': 47,
  'e2e: gates': 26,
  'e2e: parallel': 360,
  'e2e: serial': 310,
  'e2e: audit': 3,
  'e2e: removal': 4,
};

const minutes = (ms: number): string => `${(ms / 60_000).toFixed(1)} min`;
const growthOf = ({ name, ms }: Timing): number => ms / 1000 - (usualSeconds[name] ?? 0);

/**
 * Returns lines to print when a run took longer than {@link longestRunMs}, none otherwise.
 *
 * @param totalMs of the run; stages that run at the same time take longer together
 * @param load the machine's load average when the run began: above 1 the machine was not quiet
 */
export function slowRunWarning(stages: readonly Timing[], totalMs: number, load: number): readonly string[] {
  const [grown] = stages.toSorted((a, b) => growthOf(b) - growthOf(a));
  if (totalMs <= longestRunMs || grown === undefined) return [];
  const line = '!'.repeat(100);
  const machine = load > 1 ? `The machine was not quiet (load ${load.toFixed(1)} at the start).` : 'The machine was quiet at the start.';
  return [
    line,
    `!! SLOW: this run took ${minutes(totalMs)}, more than ${minutes(longestRunMs)}. ${machine}`,
    `!! The stage that grew most is ${grown.name}: ${Math.round(grown.ms / 1000)} s, usually ${usualSeconds[grown.name] ?? 0} s.`,
    line,
  ];
}
