import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withProcessLock } from './process-lock.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kruise-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('withProcessLock', () => {
  it('admits one at a time and returns the result', async () => {
    let [inside, most] = [0, 0];
    const enter = (result: number): Promise<number> =>
      withProcessLock(
        join(folder, 'lock'),
        () => undefined,
        async () => {
          most = Math.max(most, (inside += 1));
          for (let turn = 0; turn < 100; turn++) await nextTurn();
          inside -= 1;
          return result;
        },
      );
    expect(await Promise.all([enter(1), enter(2), enter(3)])).toEqual([1, 2, 3]);
    expect(most).toBe(1);
  });

  it('is free again after the work has failed', async () => {
    const path = join(folder, 'lock');
    await expect(
      withProcessLock(
        path,
        () => undefined,
        () => Promise.reject(new Error('no luck')),
      ),
    ).rejects.toThrow('no luck');
    expect(
      await withProcessLock(
        path,
        () => undefined,
        async () => 'again',
      ),
    ).toBe('again');
  });

  it('reports that it waits, and continues when the holder is killed', async () => {
    const path = join(folder, 'lock');
    const program = `const { withProcessLock } = await import(${JSON.stringify(join(import.meta.dirname, 'process-lock.ts'))});
      await withProcessLock(${JSON.stringify(path)}, () => {}, () => { console.log('held'); return new Promise(() => setInterval(() => {}, 1000)); });`;
    const holder = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    const result = await withProcessLock(
      path,
      () => holder.kill('SIGKILL'),
      async () => 'mine',
    );
    expect(result).toBe('mine');
    expect(holder.killed).toBe(true);
  });
});
