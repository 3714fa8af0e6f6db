/** Runs of another program in place of kubectl. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runKubectl } from './kubectl.ts';

const path = process.env['PATH'] ?? '';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
  process.env['PATH'] = `${folder}:${path}`;
});
afterEach(() => {
  process.env['PATH'] = path;
  rmSync(folder, { recursive: true, force: true });
});

function install(script: string): void {
  writeFileSync(join(folder, 'kubectl'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'kubectl'), 0o755);
}

describe('the output of kubectl', () => {
  it('is read as a whole', async () => {
    install('printf "a\\nb"; exit 3');
    expect(await runKubectl([], { capture: true })).toEqual({ code: 3, stdout: 'a\nb' });
  });

  it('is read line by line, the last one also without a line break, and is then in no result', async () => {
    install('printf "one\\nt"; printf "wo\\n\\nlast"');
    const lines: string[] = [];
    expect(await runKubectl([], { onLine: (line) => void lines.push(line) })).toEqual({ code: 0, stdout: '' });
    expect(lines).toEqual(['one', 'two', '', 'last']);
  });

  it('ends with the signal', async () => {
    install('echo begins; exec tail -f /dev/null');
    const stop = new AbortController();
    const lines: string[] = [];
    const result = runKubectl([], { signal: stop.signal, onLine: (line) => (lines.push(line), stop.abort()) });
    expect(await result).toEqual({ code: 130, stdout: '' });
    expect(lines).toEqual(['begins']);
  });

  it('is none when the signal was aborted before', async () => {
    install('exec tail -f /dev/null');
    expect(await runKubectl([], { signal: AbortSignal.abort(), onLine: () => undefined })).toEqual({ code: 130, stdout: '' });
  });
});

it('kubectl must be in the PATH', async () => {
  process.env['PATH'] = folder;
  await expect(runKubectl(['get'], { capture: true })).rejects.toThrow('kubectl is not in the PATH, and this command needs it');
});
