/** How long a Pod that has failed stays. @see spec/daemonset.md 5.5 */
import { describe, expect, it } from '@jest/globals';
import { instant } from '@kruise/objects';
import { FailedPods, type FailingNode } from './failed-pods.ts';

const on: FailingNode = { uid: 'set', generation: 1, node: 'n1' };
const at = (ms: number) => instant(1_700_000_000_000 + ms);
const minute = 60_000;

/** Fails as soon as it may. @returns how long each Pod but the first had to stay */
function waitsOf(times: number): readonly number[] {
  const failed = new FailedPods();
  let now = 0;
  return Array.from({ length: times }, () => {
    failed.note(on, at(now));
    const wait = failed.left(on, at(now));
    now += wait;
    return wait;
  });
}

describe('a Pod that has failed', () => {
  it('may go at once the first time', () => {
    expect(new FailedPods().left(on, at(0))).toBe(0);
  });

  it('stays a second the next time, then twice as long each time, up to a quarter of an hour', () => {
    const seconds = waitsOf(12).map((wait) => wait / 1000);
    expect(seconds).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  });

  it('stays for the rest of the time', () => {
    const failed = new FailedPods();
    failed.note(on, at(0));
    expect([0, 400, 999, 1000, 5000].map((ms) => failed.left(on, at(ms)))).toEqual([1000, 600, 1, 0, 0]);
  });

  it.each<[string, Partial<FailingNode>]>([
    ['of another node', { node: 'n2' }],
    ['of another DaemonSet', { uid: 'other' }],
    ['of another generation, which is another try', { generation: 2 }],
  ])('%s is not kept', (_name, other) => {
    const failed = new FailedPods();
    failed.note(on, at(0));
    expect([failed.left({ ...on, ...other }, at(1)), failed.left(on, at(1))]).toEqual([0, 999]);
  });

  it('restarts after a change of the generation', () => {
    const failed = new FailedPods();
    for (let i = 0; i < 5; i++) failed.note(on, at(0));
    failed.note({ ...on, generation: 2 }, at(0));
    expect(failed.left({ ...on, generation: 2 }, at(0))).toBe(1000);
  });

  it('restarts after half an hour without a failure', () => {
    const again = (after: number): number => {
      const failed = new FailedPods();
      failed.note(on, at(0));
      failed.note(on, at(after));
      return failed.left(on, at(after));
    };
    expect([again(30 * minute), again(30 * minute + 1)]).toEqual([2000, 1000]);
  });
});

describe('the memory', () => {
  const many = (failed: FailedPods, now: number) => {
    for (const node of ['n1', 'n2']) for (let i = 0; i < 3; i++) failed.note({ ...on, node }, at(now));
  };
  it('forgets a deleted DaemonSet, and no other', () => {
    const failed = new FailedPods();
    many(failed, 0);
    failed.note({ ...on, uid: 'other' }, at(0));
    failed.forget('set');
    expect([failed.left(on, at(0)), failed.left({ ...on, uid: 'other' }, at(0))]).toEqual([0, 1000]);
  });

  it('forgets nodes that have been quiet when another one fails, so that it does not grow', () => {
    const failed = new FailedPods();
    const waits: unknown[] = [];
    many(failed, 0);
    failed.note({ ...on, node: 'n2' }, at(20 * minute));
    failed.note({ ...on, node: 'n3' }, at(31 * minute));
    for (const node of ['n1', 'n2', 'n3']) {
      failed.note({ ...on, node }, at(31 * minute));
      waits.push(failed.left({ ...on, node }, at(31 * minute)));
    }
    expect(waits).toEqual([1000, 16_000, 2000]);
  });
});
