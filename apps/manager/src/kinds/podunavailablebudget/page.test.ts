/** Admission accepts the example on the page of this kind unchanged. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { podUnavailableBudgetWarnings, validatePodUnavailableBudget, type PodUnavailableBudget } from '@kruise/api';
import type { JsonObject } from '@kruise/objects';
import { parse } from 'yaml';
import { BudgetCluster } from './cluster.testing.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/pod-unavailable-budget.md'), 'utf8');
const [example] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => parse(text) as PodUnavailableBudget & JsonObject);

it('the example is admitted without a warning', () => {
  expect(validatePodUnavailableBudget(example ?? {}, { oldObject: undefined, others: [] })).toEqual([]);
  expect(podUnavailableBudgetWarnings(example ?? {})).toEqual([]);
});

it('the example comes to the numbers that the page shows', async () => {
  const cluster = new BudgetCluster();
  cluster.deployment('web', 10);
  cluster.pods('web', 10);
  cluster.budget(example?.spec ?? {}, { name: 'web' });
  const manager = cluster.begin();
  await cluster.clock.step(1000);
  const [total, desired, current, allowed] = cluster.numbers('web');
  const shown = /^web +(\d+) +(\d+) +(\d+) +(\d+)$/m.exec(page)?.slice(1).map(Number);
  expect([allowed, current, desired, total]).toEqual(shown);
  await manager.stop();
});
