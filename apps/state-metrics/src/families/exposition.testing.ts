/** A strict reader of the text exposition format: refuses what Prometheus would refuse or drop. */

export interface ReadSample {
  readonly name: string;
  /** In the order in which they are written. */
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly value: number;
}

export interface ReadFamily {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly ReadSample[];
}

const samplePattern = /^([a-zA-Z_:][a-zA-Z0-9_:]*)\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*",?)*)\} (\S+)$/;
const labelPattern = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)/g;

const unescape = (text: string): string => text.replace(/\\([\\n"])/g, (_, of: string) => (of === 'n' ? '\n' : of));

export function readSample(line: string): ReadSample {
  const [, name = '', inside = '', value = ''] = samplePattern.exec(line) ?? [];
  if (name === '') throw new Error(`no sample: ${line}`);
  const labels = [...inside.matchAll(labelPattern)].map(([, label = '', text = '']) => [label, unescape(text)] as const);
  if (
    labels
      .map(([label, text]) => `${label}="${text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')}"`)
      .join(',') !== inside
  )
    throw new Error(`labels are not separated by single commas: ${line}`);
  if (new Set(labels.map(([label]) => label)).size < labels.length) throw new Error(`a label occurs twice: ${line}`);
  if (!/^[+-]?\d+(\.\d+)?(e[+-]\d\d+)?$/.test(value)) throw new Error(`no number: ${line}`);
  return { name, labels, value: Number(value) };
}

/** @throws for a family that occurs twice, a sample outside of its family, and two samples with the same labels */
export function readExposition(text: string): readonly ReadFamily[] {
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line has no end');
  const lines = text.split('\n').slice(0, -1);
  const families: { name: string; help: string; samples: ReadSample[] }[] = [];
  const series = new Set<string>();
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, name = '', help = ''] = /^# HELP (\S+) (.+)$/.exec(line) ?? [];
    if (name !== '') {
      if (lines[++at] !== `# TYPE ${name} gauge`) throw new Error(`no TYPE after: ${line}`);
      if (families.some((family) => family.name === name)) throw new Error(`family twice: ${name}`);
      families.push({ name, help, samples: [] });
      continue;
    }
    const sample = readSample(line);
    const family = families.at(-1);
    if (family?.name !== sample.name) throw new Error(`outside of its family: ${line}`);
    const key = JSON.stringify([sample.name, sample.labels.toSorted()]);
    if (series.has(key)) throw new Error(`series twice: ${line}`);
    series.add(key);
    family.samples.push(sample);
  }
  return families;
}
