/** The page of every bound: what it bounds, its number, what happens beyond it and who enforces it. */
import { limitAreas, type Limit } from '@kruise/objects';
import { withMarkdownOrigin, type Generator } from '../generator.ts';

const page = 'docs/limits.md';

const introduction = `# Limits

Kruise for Kubernetes bounds what a single object, a namespace or a client can cost, so that one tenant cannot stop or slow the others. Each number below is
read from this table by the code that enforces it. An object that was stored before a bound existed keeps what it has: the controller reports the bound in a
condition or an event, and updates that do not make it worse pass. Deletions always pass.
`;

const sizes = [
  { of: 1024 * 1024, name: 'MiB' },
  { of: 1024, name: 'KiB' },
] as const;

/** A number with its unit as people write it: `7 MiB`, `2.5 s`, `1,000 series`. */
export function formatLimit({ value, unit }: Limit): string {
  if (unit === 'milliseconds') return value % 1000 === 0 ? `${(value / 1000).toLocaleString('en')} s` : `${value} ms`;
  const size = unit === 'bytes' ? sizes.find(({ of }) => value % of === 0) : undefined;
  return size === undefined ? `${value.toLocaleString('en')} ${unit}` : `${(value / size.of).toLocaleString('en')} ${size.name}`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

const row = (limit: Limit): string =>
  `| ${cell(limit.bounds)} | ${formatLimit(limit)} | ${cell(limit.beyond)} | ${cell(limit.enforcedBy)} |\n`;

function content(): string {
  const areas = limitAreas
    .filter(({ limits }) => Object.keys(limits).length > 0)
    .map(
      ({ title, limits }) =>
        `\n## ${title}\n\n| What is bounded | Bound | Beyond it | Enforced by |\n| --- | --- | --- | --- |\n${Object.values(limits).map(row).join('')}`,
    );
  return introduction + areas.join('');
}

export const limitsGenerator: Generator = {
  name: 'limits',
  folders: [],
  pages: [page],
  files: () => [{ path: page, content: withMarkdownOrigin('libs/objects/src/limits', content()) }],
};
