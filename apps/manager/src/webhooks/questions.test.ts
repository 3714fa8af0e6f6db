import { describe, expect, it } from '@jest/globals';
import { Questions } from './questions.ts';

function ask(questions: Questions, signal = new AbortController().signal): { readonly id: number; readonly answer: Promise<void> } {
  let id = 0;
  const answer = questions.ask((given) => void (id = given), signal);
  return { id, answer };
}

describe('a question to another thread', () => {
  it('is answered by its number, each for itself', async () => {
    const questions = new Questions();
    const [first, second] = [ask(questions), ask(questions)];
    expect(first.id).not.toBe(second.id);
    questions.answered(second.id, 'no room');
    questions.answered(first.id, undefined);
    await expect(first.answer).resolves.toBeUndefined();
    await expect(second.answer).rejects.toThrow('no room');
  });

  it('is given up when its time is over, and an answer that comes later is nobody’s', async () => {
    const questions = new Questions();
    const stop = new AbortController();
    const { id, answer } = ask(questions, stop.signal);
    stop.abort();
    await expect(answer).rejects.toThrow('there was no answer in time');
    expect(() => questions.answered(id, undefined)).not.toThrow();
    expect(() => questions.answered(id, 'too late')).not.toThrow();
  });

  it('that was answered listens to no end any more', async () => {
    const listeners = new Set<unknown>();
    const signal = {
      addEventListener: (type: string) => void listeners.add(type),
      removeEventListener: (type: string) => void listeners.delete(type),
    } as unknown as AbortSignal;
    const questions = new Questions();
    const { id, answer } = ask(questions, signal);
    expect([...listeners]).toEqual(['abort']);
    questions.answered(id, undefined);
    await answer;
    expect(listeners.size).toBe(0);
  });
});
