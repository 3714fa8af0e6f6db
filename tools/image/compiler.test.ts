import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureCompiler, findCompiler } from './compiler.ts';
import { imagePlatforms } from './platforms.ts';

const original = { ...process.env };
let folder: string;

/** A machine without a compiler, on which nothing may be installed. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'compiler-'));
  process.env.PATH = folder;
  process.env.KRUISE_NO_INSTALL = '1';
  delete process.env.CC;
});
afterEach(() => {
  process.env = { ...original };
  rmSync(folder, { recursive: true });
});

function install(command: string): string {
  const path = join(folder, command);
  writeFileSync(path, '');
  chmodSync(path, 0o755);
  return path;
}

describe('a compiler', () => {
  it.each(imagePlatforms)('for $name is that of its architecture, and the one of the machine is none', async (platform) => {
    install('gcc');
    expect(findCompiler(platform)).toBeUndefined();
    const path = install(`${platform.triple}-gcc`);
    expect(findCompiler(platform)).toBe(path);
    expect(await ensureCompiler(platform)).toBe(path);
  });

  it.each(imagePlatforms)('for $name that is missing is reported with the packages to install', async (platform) => {
    const packages = platform.process === process.arch ? 'gcc libc6-dev' : platform.crossCompiler.join(' ');
    await expect(ensureCompiler(platform)).rejects.toThrow(
      `the launcher needs a C compiler for ${platform.name} and KRUISE_NO_INSTALL=1 forbids to install it. On Debian or Ubuntu: apt-get install ${packages}`,
    );
  });

  it('for this machine is any of its compilers', async () => {
    await expect(ensureCompiler()).rejects.toThrow('the launcher needs a C compiler and KRUISE_NO_INSTALL=1 forbids');
    const path = install('cc');
    expect(await ensureCompiler()).toBe(path);
  });
});
