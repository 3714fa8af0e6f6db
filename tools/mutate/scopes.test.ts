import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chooseScopes, pureFiles, scopeOf, scopes, valueImports } from './scopes.ts';

describe('valueImports', () => {
  it.each<[string, readonly string[]]>([
    ["import { readFileSync } from 'node:fs';", ['node:fs']],
    ["import 'reflect-metadata';", ['reflect-metadata']],
    ["import { type Client, isFailure } from '@kruise/kube';", ['@kruise/kube']],
    ["import {\n  one,\n  two,\n} from './numbers.ts';", ['./numbers.ts']],
    ["export { one } from './numbers.ts';", ['./numbers.ts']],
    ["import type { Client } from '@kruise/kube';", []],
    ["import { type Client, type Store } from '@kruise/kube';", []],
    ["export type { Plan } from './plan.ts';", []],
    ["const text = `import { a } from 'b';`;", []],
  ])('%s', (text, modules) => {
    expect(valueImports(text)).toEqual(modules);
  });
});

describe('scopeOf', () => {
  it.each([
    ['libs/pods/src/ranking/ranking.ts', 'libs/pods'],
    ['libs/kinds/src/cloneset/plan.ts', 'libs/kinds/cloneset'],
    ['apps/manager/src/kinds/sidecarset/injection/inject.ts', 'apps/manager/kinds/sidecarset'],
    ['apps/manager/src/kinds/update-guard.ts', 'apps/manager/kinds'],
    ['apps/manager/src/webhooks/pod/trace.ts', 'apps/manager/webhooks'],
    ['apps/daemon/src/daemon.ts', 'apps/daemon'],
  ])('%s is of %s', (file, scope) => {
    expect(scopeOf(file)).toBe(scope);
  });
});

describe('a tree', () => {
  const root = mkdtempSync(join(tmpdir(), 'kruise-scopes-'));
  const kind = 'apps/manager/src/kinds/one';
  const sources: Readonly<Record<string, string>> = {
    [`${kind}/plan.ts`]: "import { limit } from './limit.ts';\nimport type { Client } from '@kruise/kube';\n",
    [`${kind}/limit.ts`]: "import { createHash } from 'node:crypto';\nexport const limit = createHash('sha256').digest().length;\n",
    [`${kind}/execute.ts`]: "import { isFailure } from '@kruise/kube';\n",
    [`${kind}/report.ts`]: "import { report } from './execute.ts';\n",
    [`${kind}/index.ts`]: "export { plan } from './plan.ts';\n",
    [`${kind}/plan.test.ts`]: "import { plan } from './plan.ts';\n",
    [`${kind}/plan.int.test.ts`]: '',
    [`${kind}/crash.test.ts`]: '',
    [`${kind}/cluster.testing.ts`]: '',
    'libs/api/src/kinds/one/schema.ts': 'export const schema = {};\n',
    'libs/api/src/kinds/one/names.ts': "export const oneFinalizer = 'one';\n",
  };

  beforeAll(() => {
    for (const [file, text] of Object.entries(sources)) {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it('has the pure files of each kind, with its unit tests, and no data tables', () => {
    expect(scopes(root)).toEqual([
      { name: 'apps/manager/kinds/one', files: [`${kind}/limit.ts`, `${kind}/plan.ts`], tests: [`${kind}/plan.test.ts`] },
    ]);
  });

  it('counts a file that takes values from an impure one as impure', () => {
    expect(pureFiles(root, [`${kind}/execute.ts`, `${kind}/limit.ts`, `${kind}/report.ts`])).toEqual([`${kind}/limit.ts`]);
  });
});

describe('chooseScopes', () => {
  const all = [
    { name: 'a', files: ['a/1.ts', 'a/2.ts'], tests: ['a/1.test.ts'] },
    { name: 'b', files: ['b/1.ts'], tests: [] },
  ];

  it.each<[string, readonly string[], readonly string[] | undefined, readonly string[]]>([
    ['everything without names', [], undefined, ['a/1.ts', 'a/2.ts', 'b/1.ts']],
    ['a scope', ['a'], undefined, ['a/1.ts', 'a/2.ts']],
    ['a file', ['a/2.ts'], undefined, ['a/2.ts']],
    ['what has changed', [], ['a/2.ts', 'README.md'], ['a/2.ts']],
    ['what has changed of a scope', ['b'], ['a/2.ts'], []],
  ])('%s', (_name, names, among, files) => {
    const chosen = chooseScopes(all, names, among === undefined ? undefined : new Set(among));
    expect(chosen.kind === 'Scopes' && chosen.scopes.flatMap((scope) => scope.files)).toEqual(files);
  });

  it('refuses a name that is neither', () => {
    expect(chooseScopes(all, ['a', 'c'])).toEqual({ kind: 'Unknown', name: 'c' });
  });
});

it('this tree has a scope for every kind with a plan', () => {
  const root = join(import.meta.dirname, '../..');
  const names = scopes(root).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['libs/api', 'libs/objects', 'libs/pods', 'libs/kinds/cloneset', 'apps/daemon/recreate']));
  expect(scopes(root).find(({ name }) => name === 'libs/kinds/cloneset')?.files).toContain('libs/kinds/src/cloneset/plan.ts');
});
