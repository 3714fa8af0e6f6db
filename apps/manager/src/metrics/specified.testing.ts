/** The metrics of the manager as the specification lists them. @see spec/manager.md 3.1 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseMetrics, type MetricFamily } from '@kruise/testing';

const page = join(import.meta.dirname, '../../../../docs/spec/manager.md');
const row = /^\| `(\w+)` \| (counter|gauge|histogram) \| ([^|]*) \| ([^|]*)\|$/;

const words = (cell: string): readonly string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);

function familyIn(line: string): readonly MetricFamily[] {
  const [, name, type = '', labels = '', notes = ''] = row.exec(line) ?? [];
  if (name === undefined) return [];
  const [, bounds = ''] = /buckets ([\d. e-]+)/.exec(notes) ?? [];
  const buckets = bounds.split(' ').filter((bound) => bound !== '');
  return [{ name, type, labels: words(labels).toSorted(), buckets: buckets.map(Number) }];
}

/** Returns the rows of the table, in its order. */
export function specifiedMetrics(): readonly MetricFamily[] {
  const [, section = ''] = readFileSync(page, 'utf8').split('### 3.1 ');
  return section.split('\n### ', 1)[0]!.split('\n').flatMap(familyIn);
}

const ofRuntime = /^(?:process|nodejs)_/;

/** Returns the metrics of an exposition that the table does not have, or has with another type, other labels or other buckets. */
export function unspecifiedIn(exposition: string): readonly MetricFamily[] {
  const specified = new Set(specifiedMetrics().map((family) => JSON.stringify(family)));
  const ordered = ({ name, type, labels, buckets }: MetricFamily): string => JSON.stringify({ name, type, labels, buckets });
  return parseMetrics(exposition).families.filter((family) => !ofRuntime.test(family.name) && !specified.has(ordered(family)));
}
