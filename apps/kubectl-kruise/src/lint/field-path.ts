/** Finds the node of a YAML document that a field path names. */
import { isAlias, isMap, isScalar, isSeq, type Document, type Node, type Pair } from 'yaml';

/** The text of a key; undefined for one that is no scalar. */
const keyText = ({ key }: Pair): string | undefined => (isScalar(key) ? String(key.value) : typeof key === 'string' ? key : undefined);

const isEnd = (rest: string): boolean => rest === '' || rest.startsWith('.') || rest.startsWith('[');

interface Step {
  /** What is shown for the step: the key of a member, the item of a list. */
  readonly at: Node;
  readonly value: unknown;
  readonly rest: string;
}

/** The longest key that the path continues with: a key of a map may contain dots. */
function memberStep(pairs: readonly Pair[], path: string): Step | undefined {
  const bracketed = /^\[([^\]]*)\]/.exec(path);
  const found = pairs
    .map((pair) => ({ pair, key: keyText(pair) ?? '' }))
    .filter(({ key }) => key !== '' && (bracketed === null ? path.startsWith(key) && isEnd(path.slice(key.length)) : bracketed[1] === key))
    .toSorted((a, b) => b.key.length - a.key.length)[0];
  if (found === undefined) return undefined;
  const { pair, key } = found;
  return { at: pair.key as Node, value: pair.value, rest: path.slice(bracketed === null ? key.length : bracketed[0].length) };
}

function itemStep(items: readonly unknown[], path: string): Step | undefined {
  const index = /^\[(\d+)\]/.exec(path);
  const item = index === null ? undefined : items[Number(index[1])];
  return index === null || item === undefined ? undefined : { at: item as Node, value: item, rest: path.slice(index[0].length) };
}

/**
 * Returns the offset of the member or item that the path names, or of the innermost one before it that exists: defaults and other versions have
 * members that are not written.
 */
export function offsetOf(document: Document, path: string): number {
  let value: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? 0;
  let rest = path;
  while (rest !== '') {
    rest = rest.startsWith('.') ? rest.slice(1) : rest;
    if (isAlias(value)) value = value.resolve(document);
    const step = isMap(value) ? memberStep(value.items, rest) : isSeq(value) ? itemStep(value.items, rest) : undefined;
    if (step === undefined) return offset;
    offset = step.at.range?.[0] ?? offset;
    ({ value, rest } = step);
  }
  return offset;
}
