import { describe, expect, it } from '@jest/globals';
import * as collector from './test-collector.ts';

async function runAll(load: () => void, only?: readonly string[]): Promise<readonly string[]> {
  const tests = await collector.collect('a.test.ts', async () => load());
  const timeline: string[] = [];
  const chosen = tests.filter(({ id }) => only?.includes(id) ?? true);
  await collector.run(
    chosen,
    () => undefined,
    ({ id }, failure) => {
      timeline.push(`${id}: ${failure === undefined ? 'passed' : (failure.error as Error).message}`);
      return true;
    },
  );
  return timeline;
}

describe('tests that are collected', () => {
  it('run in their order, with the titles around them, also those of a table', async () => {
    const timeline = await runAll(() => {
      collector.describe('sums', () => {
        collector.it.each([
          [1, 1],
          [2, 3],
        ])('%i is %i', (...given: readonly unknown[]) => expect(given[0]).toBe(given[1]));
      });
      collector.it('awaits', async () => Promise.reject(new Error('late')));
    });
    expect(timeline[0]).toBe('a.test.ts > sums > 1 is 1: passed');
    expect(timeline[1]).toMatch(/^a\.test\.ts > sums > 2 is 3: .*toBe/);
    expect(timeline[2]).toBe('a.test.ts > awaits: late');
  });

  it('of the same title are distinguished', async () => {
    const timeline = await runAll(() => {
      collector.it('same', () => undefined);
      collector.it('same', () => undefined);
    });
    expect(timeline).toEqual(['a.test.ts > same: passed', 'a.test.ts > same #2: passed']);
  });

  it('run between the hooks of their suites, also when only one of them is wanted', async () => {
    const order: string[] = [];
    const note = (what: string) => (): void => void order.push(what);
    await runAll(() => {
      collector.beforeAll(note('all'));
      collector.beforeEach(note('each'));
      collector.afterAll(note('end'));
      collector.describe('inner', () => {
        collector.beforeAll(note('inner all'));
        collector.afterEach(note('after'));
        collector.it('a', note('a'));
        collector.it('b', note('b'));
      });
    }, ['a.test.ts > inner > b']);
    expect(order).toEqual(['all', 'inner all', 'each', 'b', 'after', 'end']);
  });

  it('fail all when a beforeAll hook of theirs does', async () => {
    const timeline = await runAll(() => {
      collector.beforeAll(() => {
        throw new Error('no world');
      });
      collector.it('a', () => undefined);
      collector.it('b', () => undefined);
    });
    expect(timeline).toEqual(['a.test.ts > a: no world', 'a.test.ts > b: no world']);
  });

  it('are not collected when they are skipped', async () => {
    expect(await runAll(() => collector.it.skip())).toEqual([]);
  });
});
