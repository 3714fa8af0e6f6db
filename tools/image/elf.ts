/**
 * Reads of ELF programs and libraries what the loader reads: the architecture, the loader, and the names of the libraries. Works for the files of every
 * architecture, where `ldd` works only for those that the machine can run. 64-bit, little-endian.
 *
 * @see https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html
 */
import { posix } from 'node:path';

/** `e_machine` by the names that OCI gives to architectures. */
const machines: Readonly<Record<number, string>> = { 21: 'ppc64le', 62: 'amd64', 183: 'arm64' };

/** Returns the architecture of a program or library, and undefined for another file. */
export const architectureOf = (content: Buffer): string | undefined =>
  content.toString('latin1', 0, 6) === '\x7fELF\x02\x01' ? (machines[content.readUInt16LE(18)] ?? 'unknown') : undefined;

const segmentTypes = { load: 1, dynamic: 2, interpreter: 3 } as const;
const dynamicTags = { end: 0, needed: 1, names: 5 } as const;

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly size: number;
}

function segmentsOf(elf: Buffer): readonly Segment[] {
  const table = Number(elf.readBigUInt64LE(0x20));
  const [size, count] = [elf.readUInt16LE(0x36), elf.readUInt16LE(0x38)];
  return Array.from({ length: count }, (_, index) => {
    const at = table + index * size;
    const number = (place: number): number => Number(elf.readBigUInt64LE(at + place));
    return { type: elf.readUInt32LE(at), offset: number(8), address: number(16), size: number(32) };
  });
}

const textAt = (elf: Buffer, at: number): string => elf.toString('latin1', at, elf.indexOf(0, at));

/** The entries of the dynamic section as tag and value, in the order of the file. */
function dynamicEntries(elf: Buffer, segments: readonly Segment[]): readonly (readonly [tag: number, value: number])[] {
  const { offset, size } = segments.find(({ type }) => type === segmentTypes.dynamic) ?? { offset: 0, size: 0 };
  const entries = Array.from({ length: size / 16 }, (_, index): [number, number] => {
    const at = offset + index * 16;
    return [Number(elf.readBigUInt64LE(at)), Number(elf.readBigUInt64LE(at + 8))];
  });
  const end = entries.findIndex(([tag]) => tag === dynamicTags.end);
  return end === -1 ? entries : entries.slice(0, end);
}

export interface DynamicLinks {
  /** Absolute path of the loader; undefined for a library or a static program. */
  readonly interpreter: string | undefined;
  /** Names of libraries such as `libc.so.6`, in the order of the file; empty for a static program. */
  readonly needed: readonly string[];
}

/** @param elf a file for which {@link architectureOf} is defined */
export function dynamicLinksOf(elf: Buffer): DynamicLinks {
  const segments = segmentsOf(elf);
  const interpreter = segments.find(({ type }) => type === segmentTypes.interpreter);
  const entries = dynamicEntries(elf, segments);
  const names = entries.find(([tag]) => tag === dynamicTags.names)?.[1] ?? 0;
  const loaded = segments.find(({ type, address, size }) => type === segmentTypes.load && address <= names && names < address + size);
  const namesAt = names - (loaded?.address ?? 0) + (loaded?.offset ?? 0);
  return {
    interpreter: interpreter === undefined ? undefined : textAt(elf, interpreter.offset),
    needed: entries.filter(([tag]) => tag === dynamicTags.needed).map(([, value]) => textAt(elf, namesAt + value)),
  };
}

export interface Library {
  /** Absolute. */
  readonly path: string;
  readonly content: Buffer;
}

/**
 * Returns the loader of a program, and the libraries that it and its libraries need, by path.
 *
 * @param find returns the library of this name; its path counts for all but the loader, whose path is in the program
 * @throws when a library is missing
 */
export function librariesOf(program: Buffer, find: (name: string) => Library | undefined): readonly Library[] {
  const get = (name: string): Library => {
    const library = find(name);
    if (library === undefined) throw new Error(`the library ${name} is missing`);
    return library;
  };
  const { interpreter, needed } = dynamicLinksOf(program);
  const loader = interpreter === undefined ? undefined : posix.basename(interpreter);
  const found = new Map<string, Library>();
  if (interpreter !== undefined && loader !== undefined) found.set(loader, { path: interpreter, content: get(loader).content });
  const left = [...needed];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (found.has(name)) continue;
    const library = get(name);
    found.set(name, library);
    left.push(...dynamicLinksOf(library.content).needed);
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
