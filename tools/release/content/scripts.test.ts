import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completeScript, generatorScript, nodeScript } from './scripts.ts';

let folder: string;
const file = (path: string, content: string): void => {
  writeFileSync(join(folder, path), content);
  chmodSync(join(folder, path), 0o755);
};
const echo = '#!/bin/sh\nprintf "<%s>" "$@"\n';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'scripts of a release '));
  mkdirSync(join(folder, 'lib'));
  mkdirSync(join(folder, 'bin'));
  file('lib/node', echo);
  file('kubectl-kruise', echo);
  file('script', nodeScript('main.mjs'));
  file('generator', generatorScript);
  file('complete', completeScript);
  symlinkSync('../script', join(folder, 'bin/relative'));
  symlinkSync(join(folder, 'bin/relative'), join(folder, 'bin/absolute'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (path: string, cwd: string = folder): string => execFileSync(path, ['a b', ''], { cwd, encoding: 'utf8' });

describe('a script of an archive', () => {
  it.each(['script', 'bin/relative', 'bin/absolute'])('started as %s, runs what is beside it with the arguments as they are', (path) => {
    expect(normalize(run(join(folder, path)))).toBe(`<${folder}/lib/main.mjs><a b><>`);
  });

  it('started by a relative path, finds its folder, too', () => {
    expect(run('./script')).toBe('<./lib/main.mjs><a b><>');
    expect(run('./relative', join(folder, 'bin'))).toBe('<./../lib/main.mjs><a b><>');
  });

  it('completes with the program beside it', () => {
    expect(run(join(folder, 'complete'))).toBe('<__complete><a b><>');
  });

  it('starts the single executable as the generator', () => {
    expect(run(join(folder, 'generator'))).toBe('<resourcedistributiongenerator><a b><>');
  });
});
