import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createSpreadCounter, type SpreadResult } from './spread-metrics.ts';

const name = 'kruise_workloadspread_pods_total';
const counts = async (registry: Registry): Promise<Readonly<Record<string, number>>> =>
  Object.fromEntries(
    [...(await registry.metrics()).matchAll(/^kruise_workloadspread_pods_total\{result="(\w+)"\} (\d+)$/gm)].map(
      ([, result = '', value]) => [result, Number(value)],
    ),
  );

/** spec/workloadspread.md 3 */
describe('Pods that are counted for WorkloadSpreads', () => {
  it('are exported from the start, 0 of each result', async () => {
    const registry = new Registry();
    createSpreadCounter(registry);
    expect(await counts(registry)).toEqual({ placed: 0, no_room: 0, released: 0, conflict: 0, placement_failed: 0, release_failed: 0 });
    expect(await registry.metrics()).toContain(`# TYPE ${name} counter`);
  });

  it.each<[SpreadResult, string]>([
    ['Placed', 'placed'],
    ['NoRoom', 'no_room'],
    ['Released', 'released'],
    ['Conflict', 'conflict'],
    ['PlacementFailed', 'placement_failed'],
    ['ReleaseFailed', 'release_failed'],
  ])('as %s are only under %s', async (result, label) => {
    const registry = new Registry();
    const count = createSpreadCounter(registry);
    count(result);
    count(result);
    const seen = await counts(registry);
    expect(Object.entries(seen).filter(([, value]) => value > 0)).toEqual([[label, 2]]);
  });
});
