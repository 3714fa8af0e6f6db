import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { skipUnless } from '../../skip-unless.ts';
import { eventually } from '../../waiting/eventually.ts';
import { findCommand } from './host-commands.ts';
import { identify, waitForExit } from './process-identity.ts';
import { startWatchdog } from './watchdog.ts';

/** Kills the owner of a watchdog that identifies processes with `reader` of the module `source`. */
async function killOwner(proc: string, source: string, reader: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-watchdog-'));
  const module = (name: string): string => JSON.stringify(join(import.meta.dirname, name));
  const program = `const { startWatchdog } = await import(${module('watchdog.ts')}); const { ${reader} } = await import(${module(source)});
    const { spawn } = await import('node:child_process');
    const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    startWatchdog(${JSON.stringify(folder)}, ${JSON.stringify(proc)}).guard({ ...${reader}(child.pid), pid: child.pid });
    console.log(child.pid);
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = await new Promise<number>((resolve) => owner.stdout.once('data', (text: Buffer) => resolve(Number(text.toString()))));
  const guarded = identify(pid)!;
  owner.kill('SIGKILL');
  expect(await waitForExit(guarded, 5_000)).toBe(true);
  await eventually(() => !existsSync(folder));
  expect(existsSync(folder)).toBe(false);
}

it('ends what it guards and removes the folder when its owner is killed', () => killOwner('/proc', 'process-identity.ts', 'identify'));

skipUnless(
  findCommand('ps') !== undefined,
  'needs ps',
  it,
)('does the same by ps where there is no /proc', () => killOwner('/nonexistent', 'process-status-command.ts', 'statByPs'));

it('does nothing after it has been dismissed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-watchdog-'));
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  const guarded = identify(child.pid!)!;
  const watchdog = startWatchdog(folder);
  watchdog.guard(guarded);
  watchdog.dismiss();
  expect(await waitForExit(guarded, 500)).toBe(false);
  expect(existsSync(folder)).toBe(true);
  child.kill();
  rmSync(folder, { recursive: true });
});
