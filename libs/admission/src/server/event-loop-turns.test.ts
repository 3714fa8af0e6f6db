import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { EventLoopTurns } from './event-loop-turns.ts';

/** Blocks the thread for longer than a round. */
function work(): void {
  for (const began = performance.now(); performance.now() - began < 12;);
}

describe('turns of the event loop', () => {
  it('follow each other while there is time in a round', async () => {
    const turns = new EventLoopTurns();
    await turns.take();
    let isOver = false;
    void nextTurn().then(() => (isOver = true));
    for (let turn = 0; turn < 10; turn++) await turns.take();
    expect(isOver).toBe(false);
  });

  it('let the loop complete a round once the time is used up', async () => {
    const turns = new EventLoopTurns();
    await turns.take();
    work();
    let isOver = false;
    void nextTurn().then(() => (isOver = true));
    await turns.take();
    await turns.take();
    expect(isOver).toBe(true);
  });

  it('alternate between waiting requests, in their order, each after a round of the loop', async () => {
    const turns = new EventLoopTurns();
    const timeline: string[] = [];
    const worker = async (name: string): Promise<void> => {
      for (let part = 0; part < 3; part++) {
        await turns.take();
        timeline.push(name);
        work();
      }
    };
    await Promise.all(['a', 'b', 'c'].map(worker));
    expect(timeline.join('')).toBe('abcabcabc');
  });
});
