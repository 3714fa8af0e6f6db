/** Computes where two JSON trees differ. Lists are compared by index. */

export interface JsonChange {
  readonly path: readonly (string | number)[];
  /** Undefined when the member did not exist. */
  readonly before: unknown;
  /** Undefined when the member was removed. */
  readonly after: unknown;
}

type Path = JsonChange['path'];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function diffObjects(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>, path: Path): JsonChange[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => diffJson(before[key], after[key], [...path, key]));
}

/**
 * Returns every difference, as deep as both sides have the same shape: a changed element of a list by its index, a list that grew by the elements at
 * its end. The order follows the members of `before`, then the new ones.
 */
export function diffJson(before: unknown, after: unknown, path: Path = []): readonly JsonChange[] {
  if (before === after) return [];
  if (isObject(before) && isObject(after)) return diffObjects(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }).flatMap((_, i) => diffJson(before[i] as unknown, after[i] as unknown, [...path, i]));
  }
  return [{ path, before, after }];
}

/** Returns a path such as `spec.containers[0].image`. */
export const formatJsonPath = (path: Path): string =>
  path.map((part, i) => (typeof part === 'number' ? `[${String(part)}]` : `${i === 0 ? '' : '.'}${part}`)).join('');
