/** Comments name sections of the specification (`spec/cloneset.md 5.4`): each of them is there. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const sectionsOf = new Map<string, ReadonlySet<string> | undefined>();

/** Numbers of the headings of a page; a numbered paragraph counts as a section of its heading: `4. …` below `## 10.` is 10.4. */
function sectionsIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  let heading = '';
  for (const line of text.split('\n')) {
    const [, title] = /^#+ (\d+(?:\.\d+)*)\b/.exec(line) ?? [];
    const [, item] = /^(\d+)\. /.exec(line) ?? [];
    if (title !== undefined) found.add((heading = title));
    else if (item !== undefined && heading !== '') found.add(`${heading}.${item}`);
  }
  return found;
}

/** Undefined when there is no such page. */
function sections(page: string): ReadonlySet<string> | undefined {
  const file = join(root, 'docs/spec', page);
  if (!sectionsOf.has(page)) sectionsOf.set(page, existsSync(file) ? sectionsIn(readFileSync(file, 'utf8')) : undefined);
  return sectionsOf.get(page);
}

interface Reference {
  readonly page: string;
  readonly numbers: readonly string[];
}

/** `spec/a.md 5.1, 5.2`, `spec/a.md 4.6 to 4.8`; what follows a section (`step 3`, `row 4`) is no section. */
function referencesIn(text: string): readonly Reference[] {
  return [...text.matchAll(/\bspec\/([a-z-]+\.md)((?: (?:to |and )?\d+(?:\.\d+)*(?![\d.]*\w),?)*)/g)].map(([, page = '', list = '']) => ({
    page,
    numbers: [...list.matchAll(/\d+(?:\.\d+)*/g)].map(([number]) => number),
  }));
}

const sources = globSync('{libs,apps,tools,e2e}/**/*.ts', { cwd: root }).filter((file) => !/node_modules|generated|tools\/lint/.test(file));

describe('references to the specification', () => {
  const all = sources.flatMap((file) => referencesIn(readFileSync(join(root, file), 'utf8')).map((reference) => ({ file, ...reference })));

  it('lead to pages and sections that exist', () => {
    const broken = all.flatMap(({ file, page, numbers }) => {
      const known = sections(page);
      if (known === undefined) return [`${file}: there is no docs/spec/${page}`];
      return numbers.filter((number) => !known.has(number)).map((number) => `${file}: ${page} has no section ${number}`);
    });
    expect(broken).toEqual([]);
    expect(all.length).toBeGreaterThan(300);
  });

  it.each<{ name: string; text: string; numbers: readonly string[] }>([
    { name: 'one section', text: '@see spec/a.md 5.4 */', numbers: ['5.4'] },
    { name: 'several', text: '(spec/a.md 5.4, 5.5 to 5.7)', numbers: ['5.4', '5.5', '5.7'] },
    { name: 'a section and a step of it', text: 'spec/a.md 5.4 step 3', numbers: ['5.4'] },
    { name: 'no section', text: 'spec/a.md says so', numbers: [] },
    { name: 'the end of a sentence', text: 'spec/a.md 5.4.', numbers: ['5.4'] },
  ])('name $name', ({ text, numbers }) => {
    expect(referencesIn(text)).toEqual([{ page: 'a.md', numbers }]);
  });
});

it('numbered paragraphs are sections of their heading', () => {
  expect([...sectionsIn('# Page\n1. not in a section\n## 3. A\n1. one\n### 3.4 B\n2. two\ntext 5. no')]).toEqual([
    '3',
    '3.1',
    '3.4',
    '3.4.2',
  ]);
});
