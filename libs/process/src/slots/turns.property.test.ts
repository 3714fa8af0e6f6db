import { describe, expect, it } from '@jest/globals';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { Turns } from './turns.ts';

const drain = (turns: Turns<string>): readonly string[] => Array.from({ length: turns.size }, () => turns.next() ?? 'nobody');

function turnsOf(...given: readonly (readonly [who: string, ...owners: readonly string[]])[]): Turns<string> {
  const turns = new Turns<string>();
  for (const [who, ...owners] of given) turns.add(who, owners);
  return turns;
}

const owners = ['a', 'b', 'c', 'd'];
/** The owners, and the line of those without one. */
const mostLines = owners.length + 1;
type Step =
  { readonly kind: 'Come'; readonly owners: string[] } | { readonly kind: 'Leave'; readonly which: number } | { readonly kind: 'Serve' };
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('Come' as const), owners: fc.subarray(owners, { maxLength: 2 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('Serve' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('Leave' as const), which: fc.nat() }) },
  ),
  { maxLength: 80, size: 'max' },
);

/** Knows the waiting callers, and how many may be served before each. */
class Model {
  readonly #turns = new Turns<number>();
  readonly #waiting = new Map<number, { readonly lines: readonly string[]; patience: number }>();
  readonly #seen: Occurrences;

  constructor(seen: Occurrences) {
    this.#seen = seen;
  }

  do(id: number, step: Step): void {
    if (step.kind === 'Come') this.#come(id, step.owners);
    else if (step.kind === 'Leave') this.#leave(step.which);
    else this.#serve();
  }

  serveAll(): void {
    while (this.#waiting.size > 0) this.#serve();
    expect([this.#turns.next(), this.#turns.size]).toEqual([undefined, 0]);
  }

  #come(id: number, of: readonly string[]): void {
    const lines = of.length === 0 ? [''] : of;
    const before = lines.map((line) => [...this.#waiting.values()].filter((other) => other.lines.includes(line)).length);
    this.#waiting.set(id, { lines, patience: (Math.min(...before) + 1) * mostLines - 1 });
    this.#turns.add(id, of);
  }

  #leave(which: number): void {
    const who = [...this.#waiting.keys()][which % Math.max(this.#waiting.size, 1)];
    if (who === undefined) return;
    this.#seen.note('left');
    this.#turns.delete(who);
    this.#waiting.delete(who);
  }

  #serve(): void {
    const who = this.#turns.next();
    expect(who === undefined).toBe(this.#waiting.size === 0);
    if (who === undefined) return;
    expect([...this.#waiting.keys()]).toContain(who);
    this.#waiting.delete(who);
    this.#seen.note('served');
    this.#seen.note('served before others that came earlier', Math.min(...this.#waiting.keys()) < who);
    for (const other of this.#waiting.values()) expect(other.patience--).toBeGreaterThan(0);
  }
}

describe('turns', () => {
  it('serve one of each owner in a round, however many of one owner wait', () => {
    const many = Array.from({ length: 200 }, (_, i) => [`a${i}`, 'a'] as const);
    expect(drain(turnsOf(...many, ['b0', 'b'], ['c0', 'c'], ['b1', 'b'])).slice(0, 7)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'a3']);
  });

  it('serve a caller with several owners in the first turn of any, and once', () => {
    expect(drain(turnsOf(['a0', 'a'], ['a1', 'a'], ['both', 'a', 'b'], ['b0', 'b']))).toEqual(['a0', 'both', 'a1', 'b0']);
  });

  it('have one common line of those without an owner', () => {
    expect(drain(turnsOf(['x0'], ['x1'], ['a0', 'a']))).toEqual(['x0', 'a0', 'x1']);
  });

  it('do not come sooner for an owner that leaves and returns', () => {
    const turns = turnsOf(['a0', 'a'], ['b0', 'b'], ['b1', 'b']);
    turns.delete('a0');
    turns.add('a1', ['a']);
    expect(drain(turns)).toEqual(['b0', 'a1', 'b1']);
  });

  it('return nothing when none waits', () => {
    const turns = turnsOf(['a0', 'a']);
    expect([turns.next(), turns.next(), turns.size]).toEqual(['a0', undefined, 0]);
  });

  it('serve every caller once, at the latest after a round for each one before it in the line of its owner', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(steps, (given) => {
        const queue = new Model(seen);
        for (const [id, step] of given.entries()) queue.do(id, step);
        queue.serveAll();
      }),
    );
    seen.expectAtLeast({ served: 500, left: 100, 'served before others that came earlier': 50 });
  });
});
