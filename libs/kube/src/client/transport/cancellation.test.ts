import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../api-error.ts';
import { Cancellation, DeadlineExceeded, isOverdue } from './cancellation.ts';

/** Blocks the event loop, so that no timer can run. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('a call that checks whether it may still be sent', () => {
  it('may as long as neither its caller nor its deadline has ended it', () => {
    const cancel = new Cancellation(new AbortController().signal, 60_000);
    expect(() => cancel.assertGoing()).not.toThrow();
    cancel.dispose();
  });

  it('notices that its deadline has passed before the timer fires', () => {
    const cancel = new Cancellation(undefined, 5);
    block(6);
    expect(() => cancel.assertGoing()).toThrow(DeadlineExceeded);
    expect(cancel.cancelled).toBe(true);
    cancel.dispose();
  });

  it('has no deadline once it was cleared', () => {
    const cancel = new Cancellation(undefined, 5);
    cancel.clearDeadline();
    block(6);
    expect(() => cancel.assertGoing()).not.toThrow();
    cancel.dispose();
  });

  it('receives the reason of its caller', () => {
    const cancel = new Cancellation(AbortSignal.abort(new Error('enough')), 0);
    expect(() => cancel.assertGoing()).toThrow('enough');
  });
});

describe('waiting for work that other calls share', () => {
  it('ends as the work does', async () => {
    const cancel = new Cancellation(undefined, 0);
    expect(await cancel.waitFor(Promise.resolve(1))).toBe(1);
    await expect(cancel.waitFor(Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('ends with the call, and the work continues', async () => {
    const stop = new AbortController();
    const work = Promise.withResolvers<number>();
    const waiting = new Cancellation(stop.signal, 0).waitFor(work.promise);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    work.resolve(1);
    expect(await work.promise).toBe(1);
  });

  it('does not begin for a call that has ended', async () => {
    const cancel = new Cancellation(AbortSignal.abort(new Error('enough')), 0);
    await expect(cancel.waitFor(new Promise(() => undefined))).rejects.toThrow('enough');
  });
});

it.each([
  { reason: new DeadlineExceeded(5), overdue: true },
  { reason: new ApiError('no answer within 5 ms', { kind: 'Unreachable', cause: undefined }), overdue: true },
  { reason: new ApiError('lost', { kind: 'Aborted' }), overdue: false },
  { reason: new DOMException('stopped', 'AbortError'), overdue: false },
])('$reason.name ($reason.message) means that an answer took too long: $overdue', ({ reason, overdue }) => {
  expect(isOverdue(reason)).toBe(overdue);
});
