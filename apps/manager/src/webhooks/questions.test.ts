import { describe, expect, it } from '@jest/globals';
import { Questions } from './questions.ts';

function ask(
  questions: Questions<string>,
  signal = new AbortController().signal,
): { readonly id: number; readonly answer: Promise<string> } {
  let id = 0;
  const answer = questions.ask((given) => void (id = given), signal);
  return { id, answer };
}

describe('a question to another thread', () => {
  it('is answered by its number', async () => {
    const questions = new Questions<string>();
    const [first, second] = [ask(questions), ask(questions)];
    expect(first.id).not.toBe(second.id);
    questions.failed(second.id, 'no room');
    questions.answered(first.id, 'done');
    await expect(first.answer).resolves.toBe('done');
    await expect(second.answer).rejects.toThrow('no room');
  });

  it('rejects when its time is over, and ignores a later answer', async () => {
    const questions = new Questions<string>();
    const stop = new AbortController();
    const { id, answer } = ask(questions, stop.signal);
    stop.abort();
    await expect(answer).rejects.toThrow('there was no answer in time');
    expect(() => questions.answered(id, 'too late')).not.toThrow();
    expect(() => questions.failed(id, 'too late')).not.toThrow();
  });

  it('removes its listener when it is answered', async () => {
    const listeners = new Set<unknown>();
    const signal = {
      addEventListener: (type: string) => void listeners.add(type),
      removeEventListener: (type: string) => void listeners.delete(type),
    } as unknown as AbortSignal;
    const questions = new Questions<string>();
    const { id, answer } = ask(questions, signal);
    expect([...listeners]).toEqual(['abort']);
    questions.answered(id, 'done');
    await answer;
    expect(listeners.size).toBe(0);
  });
});
