/** Reads the text format of Prometheus as far as our programs and the API server write it. Pure. */

/** What samples are selected by: for each label its value, or a pattern of its values. */
export type LabelMatch = Readonly<Record<string, string | RegExp>>;

/** Samples that a program exposes. */
export interface Metrics {
  /** Returns the sum over all samples of this name whose labels match; 0 when there is none. */
  sum(name: string, match?: LabelMatch): number;
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

const labelsIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', value = '']) => [key, value]));

const matches = (labels: Readonly<Record<string, string>>, match: LabelMatch): boolean =>
  Object.entries(match).every(([key, wanted]) => (typeof wanted === 'string' ? labels[key] === wanted : wanted.test(labels[key] ?? '')));

/** Reads all samples; a line that is none is skipped. */
export function parseMetrics(text: string): Metrics {
  const samples = text.split('\n').flatMap((one) => {
    const [, name = '', labels = '', value = ''] = line.exec(one) ?? [];
    return name === '' ? [] : [{ name, labels: labelsIn(labels), value: Number(value) }];
  });
  const sum: Metrics['sum'] = (name, match = {}) =>
    samples.reduce((total, sample) => (sample.name === name && matches(sample.labels, match) ? total + sample.value : total), 0);
  return { sum };
}
