/** The property that every workload kind holds when its writes are refused and its process dies. */
import { expect, it } from '@jest/globals';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { carryOutRefused, refusedRunOf, type RefusedKind } from './refused-run.testing.ts';

/** Runs of one kind; each is about ten minutes of a workload's time. */
const usualRuns = 300;
const nightly = 100_000;
/** Far more than a run takes on a busy machine. */
const longestRunMs = 5000;

/** How the runs of a kind are divided. */
export interface Division {
  /** How many properties share the runs of the kind: 1 when absent. */
  readonly parts?: number;
}

/** @param name of the kind */
export function describeRefusedWrites<Shape, Change>(name: string, kind: RefusedKind<Shape, Change>, { parts = 1 }: Division = {}): void {
  const numRuns = casesOf(Math.ceil(usualRuns / parts), Math.ceil(nightly / parts));
  it(
    `${name} keeps its promises to users when writes are refused and processes die`,
    async () => {
      const seen = new Occurrences();
      const property = fc.asyncProperty(refusedRunOf(kind), async (run) => {
        const { refusedCalls, deaths, wasHeldBack } = await carryOutRefused(kind, run);
        seen.note('refused', refusedCalls > 0);
        seen.note('killed', deaths > 0);
        seen.note('held back', wasHeldBack);
      });
      await fc.assert(property, { numRuns });
      expect(() => seen.expectAtLeast({ refused: numRuns / 4, killed: numRuns / 8, 'held back': numRuns / 20 })).not.toThrow();
    },
    numRuns * longestRunMs,
  );
}
