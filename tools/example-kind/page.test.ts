/** docs/new-kind.md shows the files of this folder, all of them and as they are. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { allKinds, customResourceDefinition, servedPaths } from '@kruise/api';
import { modules } from '../../apps/manager/src/kinds/index.ts';
import { maintenanceNoticeDeclaration as declaration } from './api/index.ts';
import { maintenanceNoticeAdmission } from './manager/admission.ts';
import { maintenanceNotice } from './manager/index.ts';

const root = join(import.meta.dirname, '../..');
const folder = 'tools/example-kind';
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const page = read('docs/new-kind.md');
const files = globSync(`${folder}/*/*.ts`, { cwd: root }).toSorted();

/** The code blocks that have the name of a file above them. */
const shown = new Map([...page.matchAll(/^`([\w./-]+\.ts)`\n\n```ts\n([^]*?)```$/gm)].map(([, file = '', code = '']) => [file, code]));

/** As lint counts: without blank lines and comments. */
const codeLines = (text: string): number => text.split('\n').filter((line) => !/^\s*(\/\/.*|\/\*\*.*\*\/)?$/.test(line)).length;

describe('the page on how to build a kind', () => {
  it('shows every file of the example', () => {
    expect([...shown.keys()].toSorted()).toEqual(files);
    expect(files.length).toBeGreaterThan(5);
  });

  it.each(files)('shows %s as it is', (file) => {
    expect(shown.get(file)).toBe(read(file));
  });

  it('keeps to its size', () => {
    const lines = files.reduce((sum, file) => sum + codeLines(read(file)), 0);
    expect(lines).toBeGreaterThan(100);
    expect(lines).toBeLessThan(210);
  });

  it('names only files that there are', () => {
    const named = [...page.matchAll(/`((?:libs|apps|tools|docs)\/[\w./-]+)`/g)].map(([, file = '']) => file);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});

describe('the example kind', () => {
  it('is a whole kind: a CRD can be made of it, and its handlers answer the webhooks that it declares', () => {
    expect(customResourceDefinition(declaration)).toMatchObject({ metadata: { name: 'maintenancenotices.apps.kruise.io' } });
    const answered = maintenanceNoticeAdmission().flatMap(({ path, aliases = [] }) => [path, ...aliases]);
    expect(answered).toEqual(servedPaths(declaration));
  });

  it('is in no program', () => {
    expect(allKinds).not.toContain(declaration);
    expect(modules).not.toContain(maintenanceNotice);
    const sources = globSync('{libs,apps}/*/src/**/*.ts', { cwd: root });
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter((file) => read(file).includes('example-kind'))).toEqual([]);
  });
});
