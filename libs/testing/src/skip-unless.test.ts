import { describe, expect, it } from '@jest/globals';
import { skipUnless } from './skip-unless.ts';

/** Returns a substitute for `it` that stores what it was to run and to skip. */
function anIt() {
  const calls: (readonly unknown[])[] = [];
  const run = (...call: readonly [name: string, body: () => void, timeoutMs?: number]): void => void calls.push(['run', ...call]);
  const skip = (...call: readonly [name: string, body: () => void, timeoutMs?: number]): void => void calls.push(['skip', ...call]);
  return { calls, it: Object.assign(run, { skip }) };
}

describe('a test that needs something', () => {
  const body = (): void => undefined;

  it('runs under its own name when it exists', () => {
    const fake = anIt();
    skipUnless(true, 'needs root', fake.it)('mounts', body, 5);
    expect(fake.calls).toEqual([['run', 'mounts', body, 5]]);
  });

  it('is skipped when it does not, with the reason in its name', () => {
    const fake = anIt();
    skipUnless(false, 'needs root', fake.it)('mounts', body, 5);
    expect(fake.calls).toEqual([['skip', 'mounts (skipped: needs root)', body, 5]]);
  });
});

// As tests use it: the types of Jest's own functions fit.
skipUnless(
  true,
  'never',
  describe,
)('a group that needs something', () => {
  skipUnless(true, 'never', it)('runs', () => expect(true).toBe(true), 1000);
});
