/** What comes of the counts of Pods in the status of WorkloadSpreads. @see docs/workload-spread.md */
import { Counter, type Registry } from 'prom-client';

/**
 * The result for a Pod, or of an attempt to write: it got a subset; no subset has a free place; it is deleted and its place is free; another client
 * wrote first; the Pod was refused because its place could not be written; it is deleted, although that could not be written.
 */
export type SpreadResult = 'Placed' | 'NoRoom' | 'Released' | 'Conflict' | 'PlacementFailed' | 'ReleaseFailed';

const labelOf: Readonly<Record<SpreadResult, string>> = {
  Placed: 'placed',
  NoRoom: 'no_room',
  Released: 'released',
  Conflict: 'conflict',
  PlacementFailed: 'placement_failed',
  ReleaseFailed: 'release_failed',
};

/** Counts under the label of the result; all of them are there from the start, at 0. */
export function createSpreadCounter(registry: Registry): (result: SpreadResult) => void {
  const counter = new Counter({
    name: 'kruise_workloadspread_pods_total',
    help: 'Pods that admission counted for WorkloadSpreads, by what came of it.',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of Object.values(labelOf)) counter.inc({ result }, 0);
  return (result) => counter.inc({ result: labelOf[result] });
}
