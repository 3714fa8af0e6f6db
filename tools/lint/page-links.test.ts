/** A link of a page leads to a file that exists and, where it names one, to a heading of that page. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const pages = globSync(['*.md', 'docs/**/*.md', '{charts,libs,apps,integrations}/**/*.md'], {
  cwd: root,
  exclude: (file) => /node_modules|^docs\/spec/.test(String(file)),
}).toSorted();

const withoutBlocks = (text: string): string =>
  text.replaceAll(/^( *)```.*\n[\s\S]*?^\1```$/gm, '').replaceAll(/`[^`\n]*`/g, (code) => (code.includes('](') ? '' : code));

/** The anchors that GitHub gives to the headings of a page, and those that the page defines. */
function anchorsOf(text: string): readonly string[] {
  const headings = [...withoutBlocks(text).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

const linksOf = (text: string): readonly string[] =>
  [...withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link).filter((link) => !/^[a-z]+:/.test(link));

/** @returns why the link leads nowhere, or undefined */
function faultOf(page: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? join(root, page) : join(root, dirname(page), path);
  if (!existsSync(target)) return `${page}: ${link}: ${relative(root, target)} does not exist`;
  if (anchor === undefined || !target.endsWith('.md') || anchorsOf(readFileSync(target, 'utf8')).includes(anchor)) return undefined;
  return `${page}: ${link}: no heading with this anchor`;
}

it('every link between pages leads to a file and a heading that exist', () => {
  const links = pages.flatMap((page) => linksOf(readFileSync(join(root, page), 'utf8')).map((link) => ({ page, link })));
  expect(links.length).toBeGreaterThan(100);
  expect(links.flatMap(({ page, link }) => faultOf(page, link) ?? [])).toEqual([]);
});

it('a heading has the anchor that GitHub gives it', () => {
  const text = '# Use `kubectl`, Helm & [more](a.md)\n```sh\n# no heading\n```\n<a id="old"></a>\n';
  expect(anchorsOf(text)).toEqual(['use-kubectl-helm--more', 'old']);
});

it('a link to a missing file or heading is a fault', () => {
  expect([
    faultOf('README.md', 'docs/none.md'),
    faultOf('README.md', 'docs/cloneset.md#none'),
    faultOf('README.md', 'docs/cloneset.md'),
  ]).toEqual([
    'README.md: docs/none.md: docs/none.md does not exist',
    'README.md: docs/cloneset.md#none: no heading with this anchor',
    undefined,
  ]);
});
