/** Reads the text format of Prometheus as far as the manager writes it. Pure. */

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Metrics {
  /** Sum over all samples of this name that carry these labels; 0 when there is none. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
  /** The same, once for each value of one label. */
  by(name: string, label: string): ReadonlyMap<string, number>;
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

function parseLine(text: string): readonly Sample[] {
  const [, name = '', labels = '', value = ''] = line.exec(text) ?? [];
  if (name === '') return [];
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', held = '']) => [key, held] as const);
  return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
}

export function parseMetrics(text: string): Metrics {
  const samples = text.split('\n').flatMap(parseLine);
  const named = (name: string): readonly Sample[] => samples.filter((sample) => sample.name === name);
  return {
    sum: (name, labels = {}) =>
      named(name)
        .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
        .reduce((sum, { value }) => sum + value, 0),
    by(name, label) {
      const sums = new Map<string, number>();
      for (const { labels, value } of named(name)) sums.set(labels[label] ?? '', (sums.get(labels[label] ?? '') ?? 0) + value);
      return sums;
    },
  };
}
