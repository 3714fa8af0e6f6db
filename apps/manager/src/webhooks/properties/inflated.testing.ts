/** Large objects of every shape: a sample of a kind, in which one list, map or text has grown to the size requested. */
import { isJsonObject, type JsonObject } from '@kruise/objects';

/** Members to the place inside a sample. */
export type Place = readonly (string | number)[];

/** Grows the value at the path to about the given bytes of JSON; `twice` repeats list elements as they are, names included. */
export interface Growth {
  readonly place: Place;
  readonly how: 'elements' | 'elements of one name' | 'members' | 'text' | 'text of references';
}

/** Every way in which a sample can grow. */
export function growthsOf(value: unknown, place: Place = []): readonly Growth[] {
  if (typeof value === 'string')
    return [
      { place, how: 'text' },
      { place, how: 'text of references' },
    ];
  if (Array.isArray(value)) {
    const first: unknown = value[0];
    return [
      { place, how: 'elements' },
      ...(isJsonObject(first) ? [{ place, how: 'elements of one name' } as const] : []),
      ...value.flatMap((item, index) => growthsOf(item, [...place, index])),
    ];
  }
  if (!isJsonObject(value)) return [];
  const isMap = Object.values(value).every((member) => typeof member === 'string');
  return [
    ...(isMap ? [{ place, how: 'members' } as const] : []),
    ...Object.entries(value).flatMap(([name, member]) => growthsOf(member, [...place, name])),
  ];
}

/** Members whose values identify an element. */
const naming: ReadonlySet<string> = new Set(['name', 'mountPath', 'devicePath', 'containerPort', 'topologyKey', 'key', 'tag', 'ip', 'uid']);

function numbered(element: unknown, index: number): unknown {
  if (typeof element === 'string') return `${element}${index}`;
  if (!isJsonObject(element)) return element;
  const members = Object.entries(element).map(([name, member]) => {
    if (!naming.has(name)) return [name, member];
    return [name, typeof member === 'number' ? (member + index) % 65_536 : `${String(member)}${index}`];
  });
  return Object.fromEntries(members) as unknown;
}

function grown(value: unknown, how: Growth['how'], bytes: number): unknown {
  switch (how) {
    case 'text':
      return String(value) + 'a'.repeat(bytes);
    case 'text of references':
      return Array.from({ length: bytes / 8 }, (_, index) => `$(N${index % 10_000})`).join('');
    case 'members': {
      const entries = Object.entries(value as JsonObject);
      const [[key, member] = ['key', 'value']] = entries;
      const count = Math.ceil(bytes / (key.length + String(member).length + 10));
      return Object.fromEntries([...entries, ...Array.from({ length: count }, (_, index) => [`${key}${index}`, member])]) as unknown;
    }
    default: {
      const list = value as readonly unknown[];
      const [first = 'element'] = list;
      const count = Math.ceil(bytes / (JSON.stringify(first).length + 8));
      return [...list, ...Array.from({ length: count }, (_, index) => (how === 'elements' ? numbered(first, index) : first))];
    }
  }
}

/** @returns the sample, changed at the place alone */
export function inflated(sample: unknown, { place, how }: Growth, bytes: number): unknown {
  const [head, ...rest] = place;
  if (head === undefined) return grown(sample, how, bytes);
  const inner = (sample as Readonly<Record<string | number, unknown>>)[head];
  const changed = inflated(inner, { place: rest, how }, bytes);
  return Array.isArray(sample)
    ? sample.map((item: unknown, index) => (index === head ? changed : item))
    : { ...(sample as object), [head]: changed };
}
