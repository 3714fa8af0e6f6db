/** What comes of the counts of Pods in the status of WorkloadSpreads. @see docs/workload-spread.md */
import { Counter, type Registry } from 'prom-client';

/**
 * What came of a Pod, or of a try to write: it got a subset, or none has room; it goes, and its place is free; somebody else wrote meanwhile; the
 * Pod was refused, as its place could not be written; it goes, though that could not be written.
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
