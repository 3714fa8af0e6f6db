/**
 * Reviews objects of 10 KB to 3 MiB of every shape with every webhook: the time grows with the bytes, whatever they contain
 * (`cpu-budget.testing.ts`). Shapes that take several members together are all tried; of those in which one place has grown, some of each path, other
 * ones every day or by KRUISE_COST_SEED, and with KRUISE_COST_SHAPES=all every one in every size.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CostAnswer, CostQuestion, CostSettings } from './cost-thread.testing.ts';
import { pairedObjects, pairedPods, pairedSpecs } from './paired-shapes.testing.ts';

const isThorough = process.env['KRUISE_COST_SHAPES'] === 'all';
const firstSeed = Number(process.env['KRUISE_COST_SEED'] ?? Math.floor(Date.now() / 86_400_000));
const timeoutMs = isThorough ? 3 * 3_600_000 : 120_000;

let thread: Worker;
beforeAll(async () => {
  const settings: CostSettings = { isThorough, firstSeed };
  thread = new Worker(new URL('cost-thread.testing.ts', import.meta.url), { workerData: settings });
  await once(thread, 'message'); // it can be asked; rejects with what kept it from starting
}, 60_000);
afterAll(() => thread.terminate());

async function ask(question: CostQuestion): Promise<CostAnswer> {
  thread.postMessage(question);
  const [answer] = (await once(thread, 'message')) as [CostAnswer];
  return answer;
}

describe('the webhooks', () => {
  it.each(Object.keys(pairedPods))(
    'take a Pod of up to 3 MiB with %s in a time that grows with its bytes',
    async (name) => expect((await ask({ kind: 'Pod', name })).excesses).toEqual([]),
    timeoutMs,
  );

  it.each(Object.keys(pairedSpecs))(
    'take an object of up to 3 MiB with %s in a time that grows with its bytes',
    async (name) => expect((await ask({ kind: 'Spec', name })).excesses).toEqual([]),
    timeoutMs,
  );

  it(
    'take objects of every shape in a time that grows with their bytes',
    async () => {
      const { excesses, tried } = await ask({ kind: 'Shapes' });
      expect(excesses).toEqual([]);
      expect(tried).toBeGreaterThan(50);
    },
    timeoutMs,
  );

  it('are all covered by a sample', async () => {
    const { excesses, tried } = await ask({ kind: 'Samples' });
    expect(excesses).toEqual([]);
    expect(tried).toBeGreaterThan(10);
  });
});

describe('the conversion', () => {
  it.each(Object.keys(pairedObjects))(
    'takes an object of up to 3 MiB with %s in a time that grows with its bytes',
    async (name) => expect((await ask({ kind: 'Object', name })).excesses).toEqual([]),
    timeoutMs,
  );

  it(
    'takes objects of every shape, to either version, in a time that grows with their bytes',
    async () => {
      const { excesses, tried } = await ask({ kind: 'Conversions' });
      expect(excesses).toEqual([]);
      expect(tried).toBeGreaterThan(30);
    },
    timeoutMs,
  );
});
