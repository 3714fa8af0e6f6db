import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../api-error.ts';
import { FakeClock } from '../clock/fake-clock.ts';
import { conflictPresets, retryOnConflict, type ConflictPreset } from './retry-on-conflict.ts';

const conflict = (): ApiError => new ApiError('modified', { kind: 'Conflict' });

async function run(preset: ConflictPreset, conflicts: number, random = () => 0) {
  const clock = new FakeClock();
  const tries: string[] = [];
  const result = retryOnConflict(preset, { clock, random }, async (readFrom) => {
    tries.push(`${readFrom} ${Math.round(clock.monotonic())}`);
    if (tries.length <= conflicts) throw conflict();
    return 'written';
  }).catch((error: unknown) => error);
  await clock.step(10_000);
  return { tries, result: await result };
}

describe('retryOnConflict', () => {
  it.each([
    ['defaultRetry', ['Cache 0', 'Server 10', 'Server 20', 'Server 30', 'Server 40']],
    ['defaultBackoff', ['Cache 0', 'Server 10', 'Server 60', 'Server 310']],
    ['counter', ['Cache 0', 'Server 5', 'Server 25', 'Server 105', 'Server 425', 'Server 1705']],
  ] as const)('%s reads from the server after the first conflict and gives up with the last one', async (name, tries) => {
    const exhausted = await run(conflictPresets[name], 100);
    expect(exhausted.tries).toEqual(tries);
    expect(exhausted.result).toMatchObject({ failure: { kind: 'Conflict' } });
    expect((await run(conflictPresets[name], tries.length - 1)).result).toBe('written');
  });

  it('adds up to a tenth to each wait', async () => {
    expect((await run(conflictPresets.defaultBackoff, 100, () => 1)).tries).toEqual(['Cache 0', 'Server 11', 'Server 66', 'Server 341']);
  });

  it('throws any other failure immediately', async () => {
    let tries = 0;
    const attempt = retryOnConflict(conflictPresets.defaultRetry, { clock: new FakeClock() }, async () => {
      tries++;
      throw new ApiError('gone', { kind: 'NotFound' });
    });
    await expect(attempt).rejects.toThrow('gone');
    expect(tries).toBe(1);
  });

  it('stops waiting when its signal aborts', async () => {
    const stop = new AbortController();
    const attempt = retryOnConflict(conflictPresets.defaultRetry, { clock: new FakeClock(), signal: stop.signal }, () =>
      Promise.reject(conflict()),
    );
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error('stopped'));
    await expect(attempt).rejects.toThrow('stopped');
  });
});
