/** Pages say which test shows a claim (`images/node-share.test.ts`): each of these files exists. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root });
const tests = globSync('{libs,apps,tools,e2e}/**/*.test.ts', { cwd: root }).map((file) => `/${file.replaceAll('\\', '/')}`);

const namedIn = (page: string): readonly string[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/`([\w./-]+\.test\.ts)`/g)].flatMap(([, name = '']) =>
    /^x\./.test(name) ? [] : name,
  );

it('every test that a page names is there', () => {
  const named = pages.flatMap((page) => namedIn(page).map((name) => ({ page, name })));
  expect(named.length).toBeGreaterThan(100);
  const missing = named.filter(({ name }) => !tests.some((file) => file.endsWith(`/${name}`)));
  expect(missing).toEqual([]);
});
