import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { tar, withParents, type TarEntry } from './tar.ts';

const file = (path: string, more: Partial<TarEntry> = {}): TarEntry =>
  ({ kind: 'file', path, content: Buffer.from(path), ...more }) as TarEntry;

/** Returns the content of an archive according to the machine's own tar. */
function listed(archive: Buffer): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'tar-'));
  try {
    writeFileSync(join(folder, 'a.tar'), archive);
    const text = execFileSync('tar', ['--numeric-owner', '--utc', '-tvf', join(folder, 'a.tar')], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
    });
    return text
      .trim()
      .split('\n')
      .map((line) => line.replaceAll(/ +/g, ' '));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('a tar archive', () => {
  it('is read by tar with modes, owners, hard links and long paths', () => {
    const long = `${'folder/'.repeat(20)}file`;
    const archive = tar([
      { kind: 'folder', path: 'tmp', mode: 0o1777, owner: 65534 },
      file('program', { mode: 0o755 }),
      { kind: 'hard link', path: 'other', target: 'program' },
      { kind: 'link', path: 'short', target: 'program' },
      file(long),
    ]);
    expect(listed(archive)).toEqual([
      'drwxrwxrwt 65534/65534 0 1970-01-01 00:00 tmp/',
      '-rwxr-xr-x 0/0 7 1970-01-01 00:00 program',
      'hrwxr-xr-x 0/0 0 1970-01-01 00:00 other link to program',
      'lrwxr-xr-x 0/0 0 1970-01-01 00:00 short -> program',
      `-rw-r--r-- 0/0 ${long.length} 1970-01-01 00:00 ${long}`,
    ]);
  });

  it('refuses a path that is too long', () => {
    expect(() => tar([file('x'.repeat(101))])).toThrow('path too long');
  });

  it('gets every folder above its files, before them, and hard links last, in whatever order they are given', () => {
    const entries: readonly TarEntry[] = [
      { kind: 'hard link', path: 'a', target: 'z/y' },
      file('z/y'),
      { kind: 'folder', path: 'z', mode: 0o700 },
      file('b/c/d'),
    ];
    const paths = withParents(entries).map(({ path }) => path);
    expect(paths).toEqual(['b', 'b/c', 'b/c/d', 'z', 'z/y', 'a']);
    expect(withParents([...entries].reverse())).toEqual(withParents(entries));
    expect(withParents(entries).find(({ path }) => path === 'z')?.mode).toBe(0o700);
  });
});
