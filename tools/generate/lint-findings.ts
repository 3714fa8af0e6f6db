/** The page of all findings of `kubectl-kruise lint`. */
import { lintIds, lintRules } from '@kruise/insight/lint';
import { withMarkdownOrigin, type Generator } from './generator.ts';

const page = 'docs/reference/lint.md';

const introduction = `# Findings of lint

What \`kubectl-kruise lint\` reports. [The guide](../kubectl-kruise.md) shows how to use it. The API server or a webhook refuses an object with an error. It accepts an
object with a warning, which cannot work. A note is a hint.

| id | severity | finding |
| --- | --- | --- |
`;

const row = (id: (typeof lintIds)[number]): string => {
  const { severity, title } = lintRules[id];
  return `| [${id}](#${id.toLowerCase()}) | ${severity} | ${title} |\n`;
};

const section = (id: (typeof lintIds)[number]): string => {
  const { title, explanation, next } = lintRules[id];
  return `\n## ${id}\n\n${title}. ${explanation}\n\n${next}\n`;
};

/** The page as it is committed. */
export const lintFindingsGenerator: Generator = {
  name: 'findings of lint',
  folders: [],
  pages: [page],
  files: () => [
    {
      path: page,
      content: withMarkdownOrigin(
        'libs/insight/src/lint/catalog.ts',
        `${introduction}${lintIds.map(row).join('')}${lintIds.map(section).join('')}`,
      ),
    },
  ],
};
