import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { apply, differences, wantedFiles } from './apply.ts';
import type { GeneratedFile, Generator } from './generator.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'generate-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const generator = (...files: readonly GeneratedFile[]): Generator => ({ name: 'test', folders: ['a/generated'], files: () => files });
const file = (name: string, content: string): GeneratedFile => ({ path: `a/generated/${name}`, content });
const write = (path: string, content: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};

describe('generated files', () => {
  it('reports what is missing, what differs and what is stale, and changes nothing', () => {
    write('a/generated/changed', 'old');
    write('a/generated/deep/gone', 'old');
    write('a/generated/same', 'same');
    write('a/other', 'not ours');
    const generators = [generator(file('changed', 'new'), file('same', 'same'), file('new/one', 'new'))];
    expect(differences(root, generators)).toEqual([
      { path: 'a/generated/changed', kind: 'differs' },
      { path: 'a/generated/deep/gone', kind: 'stale' },
      { path: 'a/generated/new/one', kind: 'missing' },
    ]);
    expect(readFileSync(join(root, 'a/generated/changed'), 'utf8')).toBe('old');
  });

  it('are written, overwritten and removed; a second time there is nothing to do', () => {
    write('a/generated/changed', 'old');
    write('a/generated/gone', 'old');
    write('a/other', 'not ours');
    const generators = [generator(file('changed', 'new'), file('new/one', 'new'))];
    expect(apply(root, generators)).toHaveLength(3);
    expect(readFileSync(join(root, 'a/generated/changed'), 'utf8')).toBe('new');
    expect(readFileSync(join(root, 'a/generated/new/one'), 'utf8')).toBe('new');
    expect(existsSync(join(root, 'a/generated/gone'))).toBe(false);
    expect(readFileSync(join(root, 'a/other'), 'utf8')).toBe('not ours');
    expect(apply(root, generators)).toEqual([]);
  });

  it('are refused outside of the folders of their generator, and twice', () => {
    expect(() => wantedFiles([generator({ path: 'b/x', content: '' })])).toThrow('b/x is outside of its folders');
    expect(() => wantedFiles([generator(file('x', ''), file('x', ''))])).toThrow('a/generated/x is generated twice');
  });
});
