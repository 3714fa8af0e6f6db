/** Differences of two renderings, a line for each, for reviewers. */
import type { Rendered } from './render.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

const nameIn = (entry: unknown): string | undefined => (isObject(entry) && typeof entry['name'] === 'string' ? entry['name'] : undefined);

/** Entries of lists appear by their name or without a place, so that an entry that is added changes one line. */
function linesOf(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((entry: unknown) => linesOf(entry, `${path}[${nameIn(entry) ?? ''}]`));
  if (isObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([name, below]) => linesOf(below, path === '' ? name : `${path}.${name}`));
  return [`${path}: ${JSON.stringify(value)}`];
}

const keyOf = ({ kind, metadata }: Rendered): string =>
  `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;

const linesByKey = (objects: readonly Rendered[]): ReadonlyMap<string, readonly string[]> =>
  new Map(objects.map((object) => [keyOf(object), linesOf(object, '')]));

/** Returns the lines that `to` has less often. */
function missing(from: readonly string[], to: readonly string[]): readonly string[] {
  const left = Map.groupBy(to, (line) => line);
  return from.filter((line) => left.get(line)?.pop() === undefined);
}

/**
 * Returns `- Kind namespace/name` and `+ …` for an object that only one rendering has, and the same with the path of a member for a member that
 * differs; sorted by object, removed lines first.
 */
export function changesBetween(before: readonly Rendered[], after: readonly Rendered[]): readonly string[] {
  const [old, next] = [linesByKey(before), linesByKey(after)];
  return [...new Set([...old.keys(), ...next.keys()])].sort().flatMap((key) => {
    const [oldLines, nextLines] = [old.get(key), next.get(key)];
    if (oldLines === undefined) return [`+ ${key}`];
    if (nextLines === undefined) return [`- ${key}`];
    return [
      ...missing(oldLines, nextLines).map((line) => `- ${key} ${line}`),
      ...missing(nextLines, oldLines).map((line) => `+ ${key} ${line}`),
    ];
  });
}
