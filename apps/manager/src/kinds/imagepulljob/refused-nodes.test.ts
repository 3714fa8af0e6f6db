import { expect, it } from '@jest/globals';
import { RefusedNodes } from './refused-nodes.ts';

function refusedNodes(): {
  readonly refused: RefusedNodes;
  readonly wait: (ms: number) => void;
  readonly of: (job: string) => readonly string[];
} {
  let now = 5;
  const refused = new RefusedNodes({ monotonic: () => now as ReturnType<ConstructorParameters<typeof RefusedNodes>[0]['monotonic']> });
  return { refused, wait: (ms) => void (now += ms), of: (job) => [...refused.of(job)] };
}

it('a node that refused a task is left alone for a minute, by this job alone', () => {
  const { refused, wait, of } = refusedNodes();
  refused.add('a', ['n1', 'n2']);
  wait(30_000);
  refused.add('a', ['n2', 'n3']);
  expect([of('a'), of('b')]).toEqual([['n1', 'n2', 'n3'], []]);
  wait(29_999);
  expect(of('a')).toEqual(['n1', 'n2', 'n3']);
  wait(1);
  expect(of('a')).toEqual(['n2', 'n3']);
  wait(30_000);
  expect(of('a')).toEqual([]);
});

it('the job is looked at again when the first of its nodes is asked again', () => {
  const { refused, wait, of } = refusedNodes();
  expect(refused.untilAsked('a')).toBeUndefined();
  refused.add('a', ['n1']);
  wait(20_000);
  refused.add('a', ['n2']);
  expect(refused.untilAsked('a')).toBe(40_000);
  wait(40_000);
  expect([of('a'), refused.untilAsked('a')]).toEqual([['n2'], 20_000]);
});

it('no node is no news', () => {
  const { refused, of } = refusedNodes();
  refused.add('a', []);
  expect(of('a')).toEqual([]);
});

it('a job that is over is forgotten', () => {
  const { refused, of } = refusedNodes();
  refused.add('a', ['n1']);
  refused.add('b', ['n1']);
  refused.forget('a');
  expect([of('a'), of('b')]).toEqual([[], ['n1']]);
});
