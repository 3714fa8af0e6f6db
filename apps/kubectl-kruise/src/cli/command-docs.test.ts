/** The files of `generate-docs`. */
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { rootCommand } from '../commands/table.ts';
import { yamlText } from '../objects/documents.ts';
import { commandDocs } from './command-docs.ts';

const files = new Map(commandDocs(rootCommand, yamlText).map(({ path, text }) => [path, text]));

it('has two files for each command that the help shows', () => {
  expect(files.has('kubectl-kruise.md')).toBe(true);
  expect(files.has('kubectl-kruise_rollout_status.md')).toBe(true);
  expect(files.has('kubectl-kruise_generate-docs.md')).toBe(false);
  const markdown = [...files.keys()].filter((path) => path.endsWith('.md'));
  expect([...files.keys()].filter((path) => path.startsWith('yaml/'))).toEqual(
    markdown.map((path) => `yaml/${path.replace('.md', '.yaml')}`),
  );
});

it('links commands with files that exist', () => {
  for (const text of files.values())
    for (const [, target = ''] of text.matchAll(/\]\((.+?\.md)\)/g)) expect([target, files.has(target)]).toEqual([target, true]);
});

it('shows flags, defaults and the commands beside', () => {
  const text = files.get('kubectl-kruise_check.md') ?? '';
  expect(text).toContain('## kubectl-kruise check\n\nCheck an installation of Kruise\n');
  expect(text).toMatch(/\n {6}--timeout duration +Maximum time of --wait\. \(default 5m0s\)\n/);
  expect(text).toContain('* [kubectl-kruise](kubectl-kruise.md)\t - ');
  expect(parse(files.get('yaml/kubectl-kruise_check.yaml') ?? '')).toMatchObject({
    name: 'kubectl-kruise check',
    options: expect.arrayContaining([{ name: 'output', shorthand: 'o', usage: 'json for a report for programs.' }]) as unknown,
  });
});
