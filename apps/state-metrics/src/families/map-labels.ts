/** Labels and annotations of objects as labels of metrics. @see spec/kruise-state-metrics.md 4 */
import type { SampleLabel } from './family.ts';

/** Letters, digits and `_`, in snake case: `app.kubernetes.io/partOf` becomes `app_kubernetes_io_part_of`. */
const sanitised = (key: string): string =>
  key
    .replace(/[^a-zA-Z0-9_]/g, '_')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase();

/** The first of `name_conflict1`, `name_conflict2`, ... that is not in use. A name in use is one that a key has without a conflict. */
function freeName(name: string, from: number, used: ReadonlySet<string>): { readonly name: string; readonly count: number } {
  let count = from;
  while (used.has(`${name}_conflict${count}`)) count++;
  return { name: `${name}_conflict${count}`, count };
}

/**
 * @param entries of one object, in any order
 * @param allowed keys that become labels, `*` for all
 * @returns sorted by key. Keys that come to the same name get the suffixes `_conflict1`, `_conflict2`, ... in this order; no name occurs twice.
 */
export function mapLabels(
  prefix: 'label' | 'annotation',
  entries: readonly (readonly [key: string, value: string])[],
  allowed: readonly string[],
): readonly SampleLabel[] {
  const all = allowed.includes('*');
  const chosen = entries
    .filter(([key]) => all || allowed.includes(key))
    .map(([key, value]) => ({ key, name: `${prefix}_${sanitised(key)}`, value }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const owners = new Map<string, number>();
  for (const { name } of chosen) owners.set(name, (owners.get(name) ?? 0) + 1);
  const used = new Set([...owners].filter(([, count]) => count === 1).map(([name]) => name));
  const next = new Map<string, number>();
  return chosen.map(({ name, value }) => {
    if (owners.get(name) === 1) return [name, value];
    const free = freeName(name, next.get(name) ?? 1, used);
    next.set(name, free.count + 1);
    used.add(free.name);
    return [free.name, value];
  });
}
