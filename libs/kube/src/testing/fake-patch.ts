/** The two patch types that need no knowledge of the schema, for the in-memory server. */
import { deepCopy } from '@kruise/objects';
import { ApiError } from '../api-error.ts';

export type Tree = { [member: string]: unknown };

export const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Applies a patch of RFC 7396. */
export function mergePatch(original: unknown, patch: unknown): unknown {
  if (!isTree(patch)) return patch;
  const result: Tree = isTree(original) ? { ...original } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}

const refused = (message: string): ApiError => new ApiError(message, { kind: 'Invalid', causes: [] }, { code: 422, reason: 'Invalid' });

function parentOf(root: unknown, path: string): { readonly parent: Tree | unknown[]; readonly last: string } {
  const names = path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = names.pop() ?? '';
  const parent = names.reduce<unknown>(
    (node, name) => (Array.isArray(node) ? (node as unknown[])[Number(name)] : isTree(node) ? node[name] : undefined),
    root,
  );
  if (!Array.isArray(parent) && !isTree(parent)) throw refused(`the path ${path} does not exist`);
  return { parent, last };
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

function applyOperation(root: unknown, { op, path, value }: Operation): void {
  const { parent, last } = parentOf(root, path);
  const place = placeIn(parent, last);
  if (op !== 'add' && !place.present) throw refused(`the path ${path} does not exist`);
  if (op === 'add') place.add(value);
  else if (op === 'remove') place.remove();
  else if (op === 'replace') (parent as Tree)[last] = value;
  else if (op !== 'test') throw refused(`the operation ${op} is not known`);
  else if (JSON.stringify((parent as Tree)[last]) !== JSON.stringify(value)) throw refused(`testing path ${path} failed`);
}

interface Place {
  readonly present: boolean;
  add(value: unknown): void;
  remove(): void;
}

function placeIn(parent: Tree | unknown[], name: string): Place {
  if (!Array.isArray(parent))
    return { present: name in parent, add: (value) => void (parent[name] = value), remove: () => void delete parent[name] };
  const index = name === '-' ? parent.length : Number(name);
  return {
    present: index < parent.length,
    add: (value) => void parent.splice(index, 0, value),
    remove: () => void parent.splice(index, 1),
  };
}

/** Applies a patch of RFC 6902 with the operations add, remove, replace and test. */
export function jsonPatch(original: unknown, operations: readonly Operation[]): unknown {
  const result: unknown = deepCopy(original);
  for (const operation of operations) applyOperation(result, deepCopy(operation));
  return result;
}
