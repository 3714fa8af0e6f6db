import { expect, it } from '@jest/globals';
import { RefusalWaits } from './refusal-waits.ts';

function refusalWaits(): { readonly waits: RefusalWaits; readonly pass: (ms: number) => void; readonly left: (owner?: string) => unknown } {
  let now = 5;
  const waits = new RefusalWaits({ monotonic: () => now as never });
  const left = (owner = 'a'): unknown => {
    const { subjects, shortest } = waits.of(owner);
    return [...subjects, shortest];
  };
  return { waits, pass: (ms) => void (now += ms), left };
}

it('a refused write waits for 1 s, and for twice as long after each further refusal, up to a minute', () => {
  const { waits, pass, left } = refusalWaits();
  const lengths = Array.from({ length: 8 }, () => {
    waits.note('a', 'x');
    const [, length] = left() as [string, number];
    pass(length - 1);
    expect(left()).toEqual(['x', 1]);
    pass(1);
    expect(left()).toEqual([undefined]);
    return length;
  });
  expect(lengths).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
});

it('the shortest wait counts, and each owner has waits of its own', () => {
  const { waits, pass, left } = refusalWaits();
  waits.note('a', 'x');
  pass(400);
  waits.note('a', 'y');
  expect([left('a'), left('b')]).toEqual([['x', 'y', 600], [undefined]]);
});

it('a write that succeeds ends the wait, and the next one is short again', () => {
  const { waits, pass, left } = refusalWaits();
  waits.note('a', 'x');
  pass(1000);
  waits.note('a', 'x');
  waits.clear('a', 'x');
  expect(left()).toEqual([undefined]);
  waits.note('a', 'x');
  expect(left()).toEqual(['x', 1000]);
});

it('what was not tried for a minute is forgotten, and so is an owner', () => {
  const { waits, pass, left } = refusalWaits();
  const again = (): unknown => {
    waits.note('a', 'x');
    return left();
  };
  expect(again()).toEqual(['x', 1000]);
  pass(61_000);
  expect([left(), again()]).toEqual([[undefined], ['x', 2000]]);
  pass(62_001);
  expect([left(), again()]).toEqual([[undefined], ['x', 1000]]);
  waits.forget('a');
  expect(left()).toEqual([undefined]);
});
