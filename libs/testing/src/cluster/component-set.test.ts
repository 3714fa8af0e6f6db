import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../waiting/eventually.ts';
import { ComponentSet } from './component-set.ts';

describe('the processes of a cluster', () => {
  let dir: string;
  beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'kruise-components-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('names the log, with its end, of a process that has ended', async () => {
    const components = new ComponentSet(dir);
    await components.start({ name: 'first', command: '/bin/sh', args: ['-c', 'echo one; echo two; exit 1'] }).catch(() => undefined);
    await eventually(() => !components.isAlive('first'));
    expect(components.endOf('first').message).toBe(`first has ended; its log ${dir}/log/first.log ends with:\none\ntwo`);
  });

  it('rejects the start of a command that does not exist', async () => {
    await expect(new ComponentSet(dir).start({ name: 'none', command: join(dir, 'none'), args: [] })).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});
