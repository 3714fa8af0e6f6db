/** Every export of a library has a doc comment where it is declared: an editor shows it to users of the library. */
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { exportedNames } from './docstrings.ts';

const root = join(import.meta.dirname, '../..');
const leastShare = 0.95;
/** A library whose exports are being documented; the share only grows. */
const sharesToGrow: Readonly<Record<string, number>> = { 'libs/kinds': 0.5 };

/** The files that `exports` of a library's package.json names. */
function entriesOf(library: string): readonly string[] {
  const { exports: entries = {} } = JSON.parse(readFileSync(join(root, library, 'package.json'), 'utf8')) as {
    exports?: Record<string, string>;
  };
  return Object.values(entries).flatMap((entry) => globSync(entry, { cwd: join(root, library) }).map((file) => join(root, library, file)));
}

describe('doc comments', () => {
  const libraries = globSync('libs/*/package.json', { cwd: root }).map((file) => file.slice(0, -'/package.json'.length));

  it.each(libraries.toSorted())('describe what %s exports', (library) => {
    const names = entriesOf(library).flatMap((entry) => exportedNames(entry));
    const missing = names.filter((one) => !one.isDocumented);
    const share = 1 - missing.length / names.length;
    const listed = missing.map(({ name, file, line }) => `${relative(root, file)}:${line} ${name}`);
    expect({ share, missing: share < (sharesToGrow[library] ?? leastShare) ? listed : [] }).toEqual({
      share: expect.any(Number),
      missing: [],
    });
    expect(names.length).toBeGreaterThan(10);
  });
});

describe('a name counts as documented', () => {
  const documented = (files: Readonly<Record<string, string>>): Readonly<Record<string, boolean>> =>
    Object.fromEntries(exportedNames('index.ts', (file) => files[file] ?? '').map(({ name, isDocumented }) => [name, isDocumented]));

  it('with a comment at its declaration, however many files away', () => {
    const files = {
      'index.ts': `/** The library. */\nexport { a, b as c } from './one.ts';\nexport type { T } from './one.ts';`,
      'one.ts': `import { b } from './two.ts';\n/** Why. */\nexport function a() {}\nexport { b };\nexport type T = 1;`,
      'two.ts': `/** Which. */\nexport const b = () => 1;`,
    };
    expect(documented(files)).toEqual({ a: true, c: true, T: false });
  });

  it('in the overload that has the comment', () => {
    expect(documented({ 'index.ts': 'export function f(): 1;\n/** Two. */\nexport function f(n: 2): 2;\nexport function f() {}' })).toEqual(
      Object.fromEntries([['f', true]]),
    );
  });

  it.each<{ name: string; text: string; then: Readonly<Record<string, boolean>> }>([
    { name: 'after the first of its family', text: 'export const a: R<1> = {};\nexport const b: R<2> = {};', then: { a: true, b: true } },
    { name: 'not after a gap', text: 'export const a: R<1> = {};\n\nexport const b: R<2> = {};', then: { a: true, b: false } },
    { name: 'not after another type', text: 'export const a: R<1> = {};\nexport const b: S = {};', then: { a: true, b: false } },
    { name: 'not as a function', text: 'export const a: F = () => 1;\nexport const b: F = () => 2;', then: { a: true, b: false } },
    { name: 'made by the same function', text: 'export const a = r(1);\nexport const b = r(2);', then: { a: true, b: true } },
  ])('$name', ({ text, then }) => {
    expect(documented({ 'index.ts': `/** A family. */\n${text}` })).toEqual(then);
  });

  it.each<{ name: string; schema: string; then: boolean }>([
    { name: 'by the description of the schema that it is inferred from', schema: "object('What it is.', {})", then: true },
    { name: 'not by a schema without one', schema: 'object({})', then: false },
  ])('$name', ({ schema, then }) => {
    expect(documented({ 'index.ts': `const s = ${schema};\nexport type T = Infer<typeof s>;` })).toEqual({ T: then });
  });

  it('not by an ordinary comment', () => {
    expect(documented({ 'index.ts': '// A word.\nexport const a = 1;' })).toEqual({ a: false });
  });
});
