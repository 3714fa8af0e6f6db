/** Reads the text format of Prometheus as far as our programs and the API server write it. Pure. */

/** What samples are selected by: for each label its value, or a pattern of its values. */
export type LabelMatch = Readonly<Record<string, string | RegExp>>;

/** Samples that a program exposes. */
export interface Metrics {
  /** Returns the sum over all samples of this name whose labels match; 0 when there is none. */
  sum(name: string, match?: LabelMatch): number;
  /** Returns the metrics in the order of the text; those of which it has no sample are absent, because their labels are not known. */
  readonly families: readonly MetricFamily[];
}

/** A metric as its samples show it. */
export interface MetricFamily {
  readonly name: string;
  readonly type: string;
  /** Sorted, without the `le` of a histogram. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram without the last one, which is infinite; else empty. */
  readonly buckets: readonly number[];
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

const labelsIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', value = '']) => [key, value]));

const matches = (labels: Readonly<Record<string, string>>, match: LabelMatch): boolean =>
  Object.entries(match).every(([key, wanted]) => (typeof wanted === 'string' ? labels[key] === wanted : wanted.test(labels[key] ?? '')));

function familyOf(name: string, type: string, samples: readonly Sample[]): readonly MetricFamily[] {
  const own = samples.filter((sample) => sample.name === (type === 'histogram' ? `${name}_bucket` : name));
  if (own.length === 0) return [];
  const labels = new Set(own.flatMap((sample) => Object.keys(sample.labels)).filter((label) => type !== 'histogram' || label !== 'le'));
  const bounds = type === 'histogram' ? new Set(own.map((sample) => Number(sample.labels['le']?.replace('+Inf', 'Infinity')))) : [];
  return [{ name, type, labels: [...labels].toSorted(), buckets: [...bounds].filter(Number.isFinite).toSorted((a, b) => a - b) }];
}

/** Reads all samples; a line that is none is skipped. */
export function parseMetrics(text: string): Metrics {
  const samples = text.split('\n').flatMap((one): readonly Sample[] => {
    const [, name = '', labels = '', value = ''] = line.exec(one) ?? [];
    return name === '' ? [] : [{ name, labels: labelsIn(labels), value: Number(value) }];
  });
  const sum: Metrics['sum'] = (name, match = {}) =>
    samples.reduce((total, sample) => (sample.name === name && matches(sample.labels, match) ? total + sample.value : total), 0);
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return { sum, families: types.flatMap(([, name = '', type = '']) => familyOf(name, type, samples)) };
}
