/** Draws the differences of two revisions as lines, in the manner of a unified diff. */
import type { FieldChange, RevisionDiff } from '@kruise/insight';
import { yamlText } from '../objects/documents.ts';
import { cutToWidth, plainText } from './display-width.ts';
import type { Drawing } from './draw-tree.ts';

const updates: Readonly<Record<FieldChange['update'], string>> = {
  None: 'concerns no Pod',
  InPlace: 'can be updated in place',
  Recreate: 'recreates the Pod',
};

const summaries: Readonly<Record<RevisionDiff['update'], (why: string) => string>> = {
  None: () => 'No Pod is updated.',
  InPlace: () => 'Pods are updated in place.',
  Recreate: (why) => `Pods are recreated: ${why}.`,
  Impossible: (why) => `Pods are not updated: the update policy is InPlaceOnly, and ${why}.`,
};

const valueLines = (sign: string, value: unknown): readonly string[] =>
  value === undefined
    ? []
    : yamlText(value)
        .trimEnd()
        .split('\n')
        .map((line) => `${sign}${line}`);

const paint = (line: string): string => {
  const code = line.startsWith('@@') ? '36' : line.startsWith('-') ? '31' : line.startsWith('+') ? '32' : undefined;
  return code === undefined ? line : `\u001B[${code}m${line}\u001B[0m`;
};

/** Returns the lines of a comparison: both revisions, each field with its values, and what the update does; none without a difference. */
export function drawDiff({ from, to, changes, update, why }: RevisionDiff, { columns, color }: Drawing): readonly string[] {
  if (changes.length === 0) return [];
  const lines = [
    `--- ${from.name} (revision ${from.number})`,
    `+++ ${to.name} (revision ${to.number})`,
    ...changes.flatMap(({ path, before, after, update: needs }) => [
      `@@ ${path}: ${updates[needs]} @@`,
      ...valueLines('-', before),
      ...valueLines('+', after),
    ]),
    summaries[update](why),
  ];
  return lines.map(plainText).map((line) => {
    const cut = columns === undefined ? line : cutToWidth(line, columns);
    return color ? paint(cut) : cut;
  });
}
