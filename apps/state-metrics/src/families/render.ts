/** The text exposition format, version 0.0.4. @see spec/kruise-state-metrics.md 2 */
import type { KubeObject } from '@kruise/objects';
import type { AllowedKeys, Family, Sample } from './family.ts';

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '"': '\\"' };
const needsEscape = /[\\\n"]/;

/** A label value between its quotes. */
export const escapeLabelValue = (value: string): string =>
  needsEscape.test(value) ? value.replace(/[\\\n"]/g, (character) => escapes[character] ?? character) : value;

const largestPlain = 1e6;

/** The shortest text that reads back as the same number, with an exponent from a million on: 3, -1, 0.5, 1.724239224e+09. */
export function formatValue(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < largestPlain) return Object.is(value, -0) ? '0' : String(value);
  if (Math.abs(value) >= 1e-4 && Math.abs(value) < largestPlain) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** HELP and TYPE of a family, written whether it has samples or not. */
export const headerOf = ({ name, help }: Pick<Family, 'name' | 'help'>): string =>
  `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} gauge\n`;

const label = (name: string, value: string): string => `${name}="${escapeLabelValue(value)}"`;

function labelsOf({ labels = [] }: Sample): string {
  let text = '';
  for (const [name, value] of labels) text += `,${label(name, value)}`;
  return text;
}

/** A text in one piece: one that was put together with `+` keeps its parts in memory. */
const flat = (parts: readonly string[]): string => (parts.length === 0 ? '' : parts.join(''));

/** The samples of one family of an object; of two with the same labels, only the first. */
function renderFamily(family: Family, samples: readonly Sample[], common: string): string {
  if (samples.length === 1 && samples[0] !== undefined)
    return flat([family.name, '{', common, labelsOf(samples[0]), '} ', formatValue(samples[0].value), '\n']);
  const seen = new Set<string>();
  const parts: string[] = [];
  for (const sample of samples) {
    const labels = labelsOf(sample);
    if (seen.has(labels)) continue;
    seen.add(labels);
    parts.push(family.name, '{', common, labels, '} ', formatValue(sample.value), '\n');
  }
  return flat(parts);
}

/** What the samples of a kind have in common. */
export interface Rendering {
  /** Name of the label that holds the name of the object. */
  readonly label: string;
  readonly families: readonly Family[];
  readonly allowed: AllowedKeys;
}

/**
 * The samples of an object.
 *
 * @returns a text for each family, in their order; '' for a family without samples
 */
export function renderObject(object: KubeObject, { label: nameLabel, families, allowed }: Rendering): readonly string[] {
  const name = label(nameLabel, object.metadata.name);
  const usual = `${label('namespace', object.metadata.namespace ?? '')},${name}`;
  return families.map((family) => {
    const common = family.namespaceOf === undefined ? usual : `${label('namespace', family.namespaceOf(object))},${name}`;
    return renderFamily(family, family.samples(object, allowed), common);
  });
}
