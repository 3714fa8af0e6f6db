import { expect, it } from '@jest/globals';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { Fifo } from './fifo.ts';

it('returns what was pushed, in that order, and undefined when it is empty', () => {
  const seen = new Occurrences();
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 100, size: 'max' }), (steps) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      for (const [number, isPush] of steps.entries()) {
        seen.note('there is nothing to give out', !isPush && model.length === 0);
        seen.note('several wait', !isPush && model.length > 2);
        if (isPush) {
          fifo.push(number);
          model.push(number);
        } else expect(fifo.shift()).toBe(model.shift());
        expect(fifo.size).toBe(model.length);
      }
    }),
  );
  seen.expectAtLeast({ 'there is nothing to give out': 100, 'several wait': 100 });
});
