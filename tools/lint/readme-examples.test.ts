/** The example in a library's README is a file that is compiled, and run by the `readme.test.ts` beside it. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** `src/readme.testing.ts` as its users write it: without the line that says what the file is, and with the library's name in its imports. */
const asInReadme = (library: string, source: string): string =>
  source
    .replace(/^\/\*\*.*\*\/\n/, '')
    .replaceAll(/from '\.\/(\w+)\/index\.ts'/g, `from '@kruise/${library}/$1'`)
    .replaceAll(`from './index.ts'`, `from '@kruise/${library}'`)
    .replaceAll(`from './testing.ts'`, `from '@kruise/${library}/testing'`);

const codeBlocks = (page: string): readonly string[] => [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);

describe('the README', () => {
  const pages = globSync('libs/*/README.md', { cwd: root }).toSorted();

  it('is there for the libraries', () => {
    expect(pages.length).toBeGreaterThanOrEqual(8);
  });

  it.each(pages.map((file) => file.split('/')[1] ?? ''))('of %s shows the example that its test runs', (library) => {
    const folder = `libs/${library}`;
    expect(codeBlocks(read(`${folder}/README.md`))).toEqual([asInReadme(library, read(`${folder}/src/readme.testing.ts`))]);
    expect(existsSync(join(root, folder, 'src/readme.test.ts')) && read(`${folder}/src/readme.test.ts`)).toContain(`'./readme.testing.ts'`);
  });
});

it('an example imports what it uses by the name of the library', () => {
  const source = "/** The example. */\nimport { a } from './index.ts';\nimport { b } from './testing.ts';\n";
  expect(asInReadme('x', source)).toBe("import { a } from '@kruise/x';\nimport { b } from '@kruise/x/testing';\n");
});
