import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { keyOf, PassedFiles } from './passed-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'passed-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the record of files that have passed', () => {
  it('is empty before the first run', () => {
    expect(new PassedFiles('new', folder).has(keyOf('a'))).toBe(false);
  });

  it('contains what passed in this run and in earlier ones', () => {
    new PassedFiles('lint', folder).save([keyOf('a')]);
    new PassedFiles('lint', folder).save([keyOf('b')]);
    const record = new PassedFiles('lint', folder);
    expect(['a', 'b', 'c'].map((content) => record.has(keyOf(content)))).toEqual([true, true, false]);
    expect(new PassedFiles('format', folder).has(keyOf('a'))).toBe(false);
  });

  it('drops the oldest keys', () => {
    new PassedFiles('full', folder).save(['oldest']);
    new PassedFiles('full', folder).save(Array.from({ length: 40_000 }, (_, index) => `${index}`));
    const record = new PassedFiles('full', folder);
    expect([record.has('oldest'), record.has('0'), record.has('39999')]).toEqual([false, true, true]);
  });

  it('is omitted where it cannot be written', () => {
    writeFileSync(join(folder, 'file'), '');
    const record = new PassedFiles('lint', join(folder, 'file'));
    record.save([keyOf('a')]);
    expect(record.has(keyOf('a'))).toBe(false);
  });

  it('distinguishes what a key is made of', () => {
    expect(new Set([keyOf('ab', 'c'), keyOf('a', 'bc'), keyOf('abc')]).size).toBe(3);
  });
});
