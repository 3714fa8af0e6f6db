import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { ImportClosure, isOnlyImported } from './import-closure.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowImportingTsExtensions: true,
  noEmit: true,
};

function programOf(files: Readonly<Record<string, string>>): { readonly closure: ImportClosure; readonly at: (name: string) => string } {
  const folder = mkdtempSync(join(tmpdir(), 'closure-'));
  folders.push(folder);
  const at = (name: string): string => join(folder, name);
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text);
  return { closure: new ImportClosure(ts.createProgram(Object.keys(files).map(at), options), folder), at };
}

/** Which of the files have another key after a change. */
function changedBy(files: Readonly<Record<string, string>>, change: Readonly<Record<string, string>>): readonly string[] {
  const { closure: before, at } = programOf(files);
  const keys = Object.keys(files).map((name) => before.keyOf(at(name)));
  for (const [name, text] of Object.entries(change)) writeFileSync(at(name), text);
  const after = new ImportClosure(ts.createProgram(Object.keys(files).map(at), options), dirname(at('a.ts')));
  return Object.keys(files).filter((name, index) => after.keyOf(at(name)) !== keys[index]);
}

const files = {
  'a.ts': "import type { B } from './b.ts';\nexport const a: B = 1;\n",
  'b.ts': "export type { C as B } from './c.ts';\n",
  'c.ts': 'export type C = number;\n',
  'd.ts': "export const d = async () => import('./c.ts');\n",
  'e.ts': 'export const e = 1;\n',
};

describe('the key of a file', () => {
  it('changes with every file that it imports, directly or through others', () => {
    expect(changedBy(files, { 'c.ts': 'export type C = string;\n' })).toEqual(['a.ts', 'b.ts', 'c.ts', 'd.ts']);
    expect(changedBy(files, { 'a.ts': 'export const a = 2;\n' })).toEqual(['a.ts']);
    expect(changedBy(files, {})).toEqual([]);
  });

  it('does not depend on the folder of the project', () => {
    const keys = [programOf(files), programOf(files)].map(({ closure, at }) => closure.keyOf(at('a.ts')));
    expect(keys[0]).toBe(keys[1]);
  });

  it('covers files that import each other', () => {
    const circle = { 'a.ts': "import './b.ts';\nexport const a = 1;\n", 'b.ts': "import './a.ts';\nexport const b = 1;\n" };
    expect(changedBy(circle, { 'b.ts': "import './a.ts';\nexport const b = 2;\n" })).toEqual(['a.ts', 'b.ts']);
  });

  it('does not exist for a file that imports what is not there, or that is not in the program', () => {
    const { closure, at } = programOf({ 'a.ts': "import './b.ts';\n", 'b.ts': "import './missing.ts';\n", 'c.ts': 'export {};\n' });
    expect([closure.keyOf(at('a.ts')), closure.keyOf(at('other.ts'))]).toEqual([undefined, undefined]);
    expect(closure.keyOf(at('c.ts'))).toMatch(/^[0-9a-f]{40}$/);
  });
});

describe('isOnlyImported', () => {
  it.each([
    ['a module', 'export const a = 1;', true],
    ['a script', 'const a = 1;', false],
    ['a module that declares globals', 'export {};\ndeclare global { const a: number; }', false],
    ['a module that extends another', "export {};\ndeclare module 'x' { const a: number; }", false],
  ])('%s', (_name, text, expected) => {
    expect(isOnlyImported(ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest))).toBe(expected);
  });
});
