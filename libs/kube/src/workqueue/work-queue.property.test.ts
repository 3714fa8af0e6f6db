import { milliseconds, parseKey } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { FakeClock } from '../clock/fake-clock.ts';
import { WorkQueue } from './work-queue.ts';

const key = fc.constantFrom('a', 'b', 'x/a', 'x/b', 'x/c');
const command = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), key, background: fc.boolean() }),
  fc.record({ kind: fc.constant('later' as const), key, after: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ kind: fc.constant('failed' as const), key }),
  fc.record({ kind: fc.constant('step' as const), length: fc.integer({ min: 1, max: 20 }) }),
);

describe('WorkQueue under any order of adds, delays, failures and workers', () => {
  it('never runs a key twice at once, nor too many of a namespace, and runs each key at or after its last add', async () => {
    const seen = new Occurrences();
    await fc.assert(
      fc.asyncProperty(
        fc.array(command, { maxLength: 40, size: 'max' }),
        fc.array(fc.integer({ min: 0, max: 15 }), { minLength: 1, maxLength: 20, size: 'max' }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 4 }),
        async (commands, works, workers, mostOfNamespace) => {
          const clock = new FakeClock();
          const queue = new WorkQueue({ clock, mostOfNamespace });
          const running = new Set<string>();
          const wanted = new Map<string, number>();
          const startedAt = new Map<string, number>();
          let [tick, turn] = [0, 0];
          const work = async (): Promise<void> => {
            for (let given = await queue.get(); given !== undefined; given = await queue.get()) {
              expect(running.has(given)).toBe(false);
              running.add(given);
              const together = [...running].filter((other) => parseKey(other).namespace === parseKey(given).namespace).length;
              expect(together).toBeLessThanOrEqual(mostOfNamespace);
              seen.note('a namespace has all that it may have', together === mostOfNamespace && workers > mostOfNamespace);
              seen.note('two keys run at once', running.size > 1);
              startedAt.set(given, ++tick);
              await clock.sleep(milliseconds(works[turn++ % works.length] ?? 0));
              running.delete(given);
              queue.done(given);
            }
          };
          const all = Promise.all(Array.from({ length: workers }, work));
          for (const c of commands) {
            if (c.kind === 'step') {
              for (let length = 0; length < c.length; length++) {
                clock.freeze(1);
                await clock.settle(1);
              }
              await clock.step(0);
              continue;
            }
            wanted.set(c.key, ++tick);
            seen.note('a key is added while it runs', running.has(c.key));
            seen.note('a key fails while it runs', c.kind === 'failed' && running.has(c.key));
            if (c.kind === 'add') queue.add(c.key, c.background ? 'Background' : 'Live');
            else if (c.kind === 'later') queue.addAfter(c.key, milliseconds(c.after));
            else queue.addRateLimited(c.key);
          }
          for (let round = 0; round < 200 && (queue.length > 0 || queue.delayed > 0 || queue.running > 0); round++) await clock.step(50);
          expect({ length: queue.length, delayed: queue.delayed, running: queue.running }).toEqual({ length: 0, delayed: 0, running: 0 });
          for (const [name, at] of wanted) expect(startedAt.get(name)).toBeGreaterThan(at);
          queue.shutDown();
          await all;
        },
      ),
      { numRuns: 60 },
    );
    seen.expectAtLeast({
      'two keys run at once': 60,
      'a key is added while it runs': 60,
      'a key fails while it runs': 10,
      'a namespace has all that it may have': 60,
    });
  });
});
