/** Applies JSON patches (RFC 6902); `json-patch-diff.ts` creates them. */
import { deepEqual } from '../json/equality.ts';
import { parsePointer } from './json-pointer.ts';
import { isJsonObject, setOwnMember, shallowCopy } from '../json/own-member.ts';
import { PatchError, patchResult, type PatchResult } from './patch-result.ts';

/** One operation of RFC 6902. Paths are JSON pointers (RFC 6901): `~1` encodes `/`, `~0` encodes `~`. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string };

type Steps = readonly string[];

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/**
 * Applies all operations or none. The document is never written to, and the result shares unchanged parts.
 *
 * @param operations of any origin: their shapes are checked
 */
export function applyJsonPatch(document: unknown, operations: readonly JsonPatchOperation[]): PatchResult {
  return patchResult(() => {
    if (!Array.isArray(operations)) throw new PatchError('a JSON patch is a list of operations');
    return operations.reduce<unknown>((result, operation: JsonPatchOperation, i) => applyOne(result, operation, i), document);
  });
}

function applyOne(document: unknown, operation: JsonPatchOperation, index: number): unknown {
  if (!isJsonObject(operation) || typeof operation.path !== 'string') throw new PatchError(`operation ${String(index)} has no path`);
  const steps = parsePointer(operation.path);
  switch (operation.op) {
    case 'add':
      return insert(document, steps, valueOf(operation, index));
    case 'replace':
      return insert(remove(document, steps), steps, valueOf(operation, index));
    case 'remove':
      return remove(document, steps);
    case 'test':
      return test(document, steps, valueOf(operation, index));
    case 'copy':
      return insert(document, steps, read(document, sourceOf(operation, index)));
    case 'move':
      return move(document, sourceOf(operation, index), steps);
    default:
      throw new PatchError(`operation ${String(index)} has an unknown op`);
  }
}

function valueOf(operation: { readonly value: unknown }, index: number): unknown {
  if (!Object.hasOwn(operation, 'value') || operation.value === undefined) throw new PatchError(`operation ${String(index)} has no value`);
  return operation.value;
}

function sourceOf(operation: { readonly from: string }, index: number): Steps {
  if (typeof operation.from !== 'string') throw new PatchError(`operation ${String(index)} has no from`);
  return parsePointer(operation.from);
}

function test(document: unknown, steps: Steps, value: unknown): unknown {
  if (!deepEqual(read(document, steps), value)) throw new PatchError(`the value at ${place(steps)} is not the tested one`);
  return document;
}

function move(document: unknown, from: Steps, to: Steps): unknown {
  if (to.length > from.length && from.every((step, i) => step === to[i])) throw new PatchError(`${place(from)} cannot move into itself`);
  return insert(remove(document, from), to, read(document, from));
}

const place = (steps: Steps): string => (steps.length === 0 ? 'the root' : `/${steps.join('/')}`);
const missing = (steps: Steps): PatchError => new PatchError(`there is nothing at ${place(steps)}`);

function child(node: unknown, step: string, steps: Steps): unknown {
  if (isList(node)) return node[indexOf(step, node.length - 1, steps)];
  if (isJsonObject(node) && Object.hasOwn(node, step)) return node[step];
  throw missing(steps);
}

const read = (document: unknown, steps: Steps): unknown => steps.reduce<unknown>((node, step) => child(node, step, steps), document);

function indexOf(step: string, max: number, steps: Steps): number {
  const index = /^(0|[1-9]\d{0,8})$/.test(step) ? Number(step) : Number.NaN;
  if (!(index <= max)) throw new PatchError(`there is no element ${JSON.stringify(step)} for ${place(steps)}`);
  return index;
}

/** Rebuilds the containers along the path around a changed last one. */
function rebuild(node: unknown, steps: Steps, depth: number, change: (container: unknown, last: string) => unknown): unknown {
  const step = steps[depth] ?? '';
  if (depth === steps.length - 1) return change(node, step);
  const next = rebuild(child(node, step, steps), steps, depth + 1, change);
  if (isList(node)) return node.with(Number(step), next);
  const copy = shallowCopy(node as Readonly<Record<string, unknown>>);
  setOwnMember(copy, step, next);
  return copy;
}

function insert(document: unknown, steps: Steps, value: unknown): unknown {
  if (steps.length === 0) return value;
  return rebuild(document, steps, 0, (container, last) => {
    if (isList(container)) return container.toSpliced(last === '-' ? container.length : indexOf(last, container.length, steps), 0, value);
    if (!isJsonObject(container)) throw missing(steps);
    const copy = shallowCopy(container);
    setOwnMember(copy, last, value);
    return copy;
  });
}

function remove(document: unknown, steps: Steps): unknown {
  if (steps.length === 0) return undefined;
  return rebuild(document, steps, 0, (container, last) => {
    if (isList(container)) return container.toSpliced(indexOf(last, container.length - 1, steps), 1);
    if (!isJsonObject(container) || !Object.hasOwn(container, last)) throw missing(steps);
    const copy = shallowCopy(container);
    Reflect.deleteProperty(copy, last);
    return copy;
  });
}
