import { milliseconds } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import { planPace, SpinGuard } from './spin-guard.ts';

describe('planPace', () => {
  it.each([
    { looks: 1, asked: 0, after: 0 },
    { looks: 10, asked: 0, after: 0 },
    { looks: 11, asked: 0, after: 10 },
    { looks: 12, asked: 0, after: 20 },
    { looks: 11, asked: 20, after: 20 },
    { looks: 11, asked: -5, after: 10 },
    { looks: 11, asked: Number.NaN, after: 10 },
    { looks: 13, asked: 20, after: 40 },
    { looks: 22, asked: 0, after: 20_480 },
    { looks: 23, asked: 0, after: 30_000 },
    { looks: 5000, asked: 0, after: 30_000 },
  ])('requeue $looks in a row that requested $asked ms runs after $after ms', ({ looks, asked, after }) => {
    expect(planPace(looks, milliseconds(asked))).toBe(after);
  });
});

describe('SpinGuard', () => {
  const turn = (guard: SpinGuard, times: number, key = 'a', asked = 0) =>
    Array.from({ length: times }, () => guard.pace(key, milliseconds(asked))).at(-1);

  it('holds back the eleventh requeue in a row, for each key separately', () => {
    const guard = new SpinGuard();
    expect(turn(guard, 10)).toEqual({ after: 0, heldBack: false, looks: 10 });
    expect(turn(guard, 1)).toEqual({ after: 10, heldBack: true, looks: 11 });
    expect(turn(guard, 1, 'b')).toEqual({ after: 0, heldBack: false, looks: 1 });
  });

  it('starts over after a change, and after a key that requested 100 ms or more', () => {
    const guard = new SpinGuard();
    turn(guard, 15);
    guard.clear('a');
    expect(turn(guard, 1)).toEqual({ after: 0, heldBack: false, looks: 1 });
    turn(guard, 15, 'a', 99);
    expect(turn(guard, 1, 'a', 100)).toEqual({ after: 100, heldBack: false, looks: 0 });
    expect(turn(guard, 10, 'a', 99)).toEqual({ after: 99, heldBack: false, looks: 10 });
  });
});
