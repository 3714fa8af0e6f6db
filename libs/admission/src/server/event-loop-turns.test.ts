import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { EventLoopTurns } from './event-loop-turns.ts';

/** Holds the thread for longer than a round is. */
function work(): void {
  for (const began = performance.now(); performance.now() - began < 12;);
}

describe('turns of the event loop', () => {
  it('come one after another while there is time in a round', async () => {
    const turns = new EventLoopTurns();
    await turns.take();
    let isOver = false;
    void nextTurn().then(() => (isOver = true));
    for (let turn = 0; turn < 10; turn++) await turns.take();
    expect(isOver).toBe(false);
  });

  it('let the loop go round once the time is used up', async () => {
    const turns = new EventLoopTurns();
    await turns.take();
    work();
    let isOver = false;
    void nextTurn().then(() => (isOver = true));
    await turns.take();
    await turns.take();
    expect(isOver).toBe(true);
  });

  it('go round among those who ask, in their order, and each has the loop come round before', async () => {
    const turns = new EventLoopTurns();
    const story: string[] = [];
    const worker = async (name: string): Promise<void> => {
      for (let part = 0; part < 3; part++) {
        await turns.take();
        story.push(name);
        work();
      }
    };
    await Promise.all(['a', 'b', 'c'].map(worker));
    expect(story.join('')).toBe('abcabcabc');
  });
});
