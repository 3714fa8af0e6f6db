/** Pages, comments and titles of tests use the words of the Kubernetes documentation: the phrases of `prose.ts` occur in none of the paths below. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findPhrases, type TextKind } from './prose.ts';

const root = join(import.meta.dirname, '../..');

/** What must be clean. Add a path when its last phrase is replaced; none leaves the list. */
const clean: Readonly<Record<TextKind, readonly string[]>> = {
  page: [
    '*.md',
    'docs/*.md',
    'integrations/*/*.md',
    'docs/{concepts,decisions}/*.md',
    'charts/kruise/README.md',
    'deploy/README.md',
    'apps/**/*.md',
    'libs/**/*.md',
  ],
  code: ['apps/**/*.ts', 'e2e/**/*.ts', 'libs/**/*.ts', 'tools/**/*.ts'],
  yaml: ['charts/kruise/values.yaml'],
};

const filesOf = (kind: TextKind): readonly string[] => globSync([...clean[kind]], { cwd: root }).toSorted();

describe('the prose', () => {
  it.each(Object.keys(clean) as readonly TextKind[])('of every clean %s uses the words of the Kubernetes documentation', (kind) => {
    const found = filesOf(kind).flatMap((file) =>
      findPhrases(readFileSync(join(root, file), 'utf8'), kind).map(
        ({ line, phrase, instead }) => `${file}:${line}: "${phrase}": write ${instead}`,
      ),
    );
    expect(found).toEqual([]);
  });

  it.each(Object.entries(clean).flatMap(([kind, patterns]) => patterns.map((pattern) => ({ kind, pattern }))))(
    'is checked in files that exist: $pattern',
    ({ pattern }) => {
      expect(globSync(pattern, { cwd: root }).length).toBeGreaterThan(0);
    },
  );
});

describe('a phrase', () => {
  const linesOf = (text: string, kind: TextKind): readonly string[] =>
    findPhrases(text, kind).map(({ line, phrase }) => `${line} ${phrase}`);

  it.each<{ name: string; kind: TextKind; text: string; then: readonly string[] }>([
    { name: 'is found on its line', kind: 'page', text: '# A\n\nThe Pod is\ncreated anew.', then: ['4 anew'] },
    { name: 'is found across the end of a line', kind: 'page', text: 'It runs for\never.', then: ['1 for ever'] },
    { name: 'is found whatever its case', kind: 'page', text: 'Whoever deletes it', then: ['1 Whoever'] },
    { name: 'is not found in code font', kind: 'page', text: 'The message `told` and ``is `gone` ``', then: [] },
    { name: 'is not found in a block', kind: 'page', text: '```text\ntold\n```\n  ```\n  told\n  ```\nso', then: [] },
    { name: 'is not found in a quoted name of a test', kind: 'page', text: '("nothing when\ntold so")', then: [] },
    { name: 'is not found in the address of a link', kind: 'page', text: '[a](told.md#anew)', then: [] },
    { name: 'is found behind a block', kind: 'page', text: '```\na\n```\ntold', then: ['4 told'] },
    {
      name: 'is found in comments',
      kind: 'code',
      text: "const told = 'anew';\n/**\n * Told of\n * for\n * ever\n */\nf(/* anew */);\n",
      then: ['3 Told', '4 for * ever', '7 anew'],
    },
    { name: 'is found behind code', kind: 'code', text: 'const a = /[`"]/; // anew\n', then: ['1 anew'] },
    { name: 'is found behind a template', kind: 'code', text: 'const a = `told ${{ b: `}` }.b} anew`; // told\n', then: ['1 told'] },
    { name: 'is not found in quotes of comments', kind: 'code', text: '// `told` and "anew"\n', then: [] },
    {
      name: 'is found in titles of tests',
      kind: 'code',
      text: "it('wakes a Pod', f);\ndescribe.each([\n  1,\n])('goes', f);\ndescribe('for ever', f);",
      then: ['1 wakes', '4 goes', '5 for ever'],
    },
    { name: 'is not found in other texts of tests', kind: 'code', text: "expect(/a/.test('told')).toBe('anew');", then: [] },
    { name: 'is found in comments of YAML', kind: 'yaml', text: 'told: a#b\nb: 1 # anew', then: ['2 anew'] },
    {
      name: 'is no part of a word',
      kind: 'page',
      text: 'standby, a lifecycle, outstanding, retold, at least one, at the least busy time',
      then: [],
    },
    {
      name: 'is a verb of movement only with its direction',
      kind: 'page',
      text: 'The request goes to a replica. The Pod goes.',
      then: ['1 goes'],
    },
    {
      name: 'names a field by its limit',
      kind: 'page',
      text: 'One subset has no most, and the least of each',
      then: ['1 no most', '1 the least of'],
    },
    {
      name: 'is no superlative',
      kind: 'page',
      text: 'those that use the most memory, the least recently used, the least\nvaluable',
      then: [],
    },
    {
      name: 'is not the usual word of clocks',
      kind: 'page',
      text: 'When clocks are set back. The history was set back.',
      then: ['1 was set back'],
    },
    { name: 'is found in what tests compare with a file', kind: 'code', text: '/** A golden story. */', then: ['1 story'] },
    {
      name: 'is found in every form of its verb',
      kind: 'page',
      text: 'A Pod wakes it. It asked for one. It holds up others. It is left out. It runs again and again.',
      then: ['1 wakes', '1 asked for', '1 holds up', '1 left out', '1 again and again'],
    },
    {
      name: 'is not found in verbs with an object between',
      kind: 'page',
      text: 'It asks the API server for one. Hold the Pod up.',
      then: [],
    },
    { name: 'is not found in links to code', kind: 'code', text: '/** {@link Story.text} is a story */', then: ['1 story'] },
  ])('$name', ({ text, kind, then }) => {
    expect(linesOf(text, kind)).toEqual(then);
  });

  it('comes with what to write in its place', () => {
    expect(findPhrases('by the clock', 'page')).toEqual([{ line: 1, phrase: 'by the clock', instead: '"on a schedule"' }]);
  });
});

it('README has at most 80 lines', () => {
  expect(readFileSync(join(root, 'README.md'), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(80);
});

it('CHANGELOG describes the first version, and no change between states that were never released', () => {
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const isFirstVersion = text.match(/^## /gm)?.length === 1;
  const changes = text.split('\n').filter((line) => /\bno longer (?!exist)|\bused to\b|^### (?:Fixed|Changed)/.test(line));
  expect(isFirstVersion ? changes : []).toEqual([]);
});
