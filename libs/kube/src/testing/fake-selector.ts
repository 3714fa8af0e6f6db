/** Label and field selectors in their text form, for the in-memory server. */
import type { KubeObject } from '@kruise/objects';

type Labels = Readonly<Record<string, string>>;

function parseTerm(term: string): (labels: Labels) => boolean {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(term);
  if (set !== null) {
    const values = (set[3] ?? '').split(',').map((value) => value.trim());
    return (labels) => values.includes(labels[set[1] ?? ''] ?? '\0') === (set[2] === 'in');
  }
  if (term.startsWith('!')) return (labels) => !(term.slice(1) in labels);
  const compared = /^([^=!]+)(==|=|!=)(.*)$/.exec(term);
  if (compared === null) return (labels) => term in labels;
  const [key, operator, value] = [compared[1]?.trim() ?? '', compared[2], compared[3]?.trim()];
  return (labels) => (labels[key] === value) === (operator !== '!=');
}

const termsOf = (text: string): string[] =>
  text
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== '');

/** Returns whether an object is selected. Absent or empty selectors select all. Field selectors accept any dotted path. */
export function selects(labelSelector: string | undefined, fieldSelector: string | undefined): (object: KubeObject) => boolean {
  const byLabel = termsOf(labelSelector ?? '').map(parseTerm);
  const byField = termsOf(fieldSelector ?? '').map((term) => {
    const matches = parseTerm(term);
    const path = term.split(/!?=/)[0]?.trim() ?? '';
    return (object: KubeObject): boolean => {
      const value = path.split('.').reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], object);
      return matches({ [path]: typeof value === 'string' ? value : '' });
    };
  });
  return (object) => byLabel.every((matches) => matches(object.metadata.labels ?? {})) && byField.every((matches) => matches(object));
}
