import { describe, expect, it } from '@jest/globals';
import { architectureOf, dynamicLinksOf, librariesOf, type Library } from './elf.ts';

interface ElfOf {
  readonly machine?: number;
  readonly interpreter?: string;
  readonly needed?: readonly string[];
}

const address = 0x40_0000;
const headerSize = 64;
const segmentSize = 56;

function segment(type: number, offset: number, size: number): Buffer {
  const header = Buffer.alloc(segmentSize);
  header.writeUInt32LE(type, 0);
  [offset, address + offset, address + offset, size].forEach((value, index) => header.writeBigUInt64LE(BigInt(value), 8 + index * 8));
  return header;
}

const words = (...values: readonly number[]): Buffer => {
  const buffer = Buffer.alloc(values.length * 8);
  values.forEach((value, index) => buffer.writeBigUInt64LE(BigInt(value), index * 8));
  return buffer;
};

/** A dynamic program: the header, the segments, the name of the loader, the names of the libraries, and the dynamic section. */
function elfOf({ machine = 183, interpreter, needed = [] }: ElfOf): Buffer {
  const loader = Buffer.from(interpreter === undefined ? '' : `${interpreter}\0`);
  const names = Buffer.from(['', ...needed].map((name) => `${name}\0`).join(''));
  const loaderAt = headerSize + 3 * segmentSize;
  const namesAt = loaderAt + loader.length;
  const nameAt = (index: number): number => 1 + needed.slice(0, index).reduce((sum, name) => sum + name.length + 1, 0);
  const dynamic = words(...needed.flatMap((_, index) => [1, nameAt(index)]), 5, address + namesAt, 0, 0, 1, 999);
  const dynamicAt = namesAt + names.length;
  const head = Buffer.alloc(headerSize);
  head.write('\x7fELF\x02\x01', 'latin1');
  head.writeUInt16LE(machine, 18);
  head.writeBigUInt64LE(BigInt(headerSize), 0x20);
  head.writeUInt16LE(segmentSize, 0x36);
  head.writeUInt16LE(3, 0x38);
  const segments = [
    interpreter === undefined ? segment(0, 0, 0) : segment(3, loaderAt, loader.length),
    segment(1, 0, dynamicAt + dynamic.length),
    segment(2, dynamicAt, dynamic.length),
  ];
  return Buffer.concat([head, ...segments, loader, names, dynamic]);
}

describe('the architecture', () => {
  it.each([
    [62, 'amd64'],
    [183, 'arm64'],
    [21, 'ppc64le'],
    [243, 'unknown'],
  ])('of machine %d is %s', (machine, architecture) => expect(architectureOf(elfOf({ machine }))).toBe(architecture));

  it('of another file is undefined', () => expect(architectureOf(Buffer.from('#!/bin/sh\n'))).toBeUndefined());
});

describe('what a program is linked to', () => {
  it('is its loader and its libraries, up to the end of the dynamic section', () => {
    const program = { interpreter: '/lib/ld-linux-aarch64.so.1', needed: ['libm.so.6', 'libc.so.6'] };
    expect(dynamicLinksOf(elfOf(program))).toEqual(program);
  });

  it('is no loader for a library, and nothing for a static program', () => {
    expect(dynamicLinksOf(elfOf({ needed: ['libc.so.6'] }))).toEqual({ interpreter: undefined, needed: ['libc.so.6'] });
    expect(dynamicLinksOf(elfOf({}))).toEqual({ interpreter: undefined, needed: [] });
  });
});

describe('the libraries of a program', () => {
  const program = elfOf({ interpreter: '/lib/ld.so.1', needed: ['libm.so.6', 'libc.so.6'] });
  const contents: Readonly<Record<string, Buffer>> = {
    'ld.so.1': elfOf({}),
    'libm.so.6': elfOf({ needed: ['libc.so.6', 'libextra.so'] }),
    'libc.so.6': elfOf({ needed: ['ld.so.1'] }),
    'libextra.so': elfOf({ needed: ['libm.so.6'] }),
    'unused.so': elfOf({}),
  };
  const finder =
    (missing?: string) =>
    (name: string): Library | undefined =>
      name === missing || contents[name] === undefined ? undefined : { path: `/usr/lib/${name}`, content: contents[name] };

  it('are those of the program and of its libraries, each once, with the loader at its own path', () => {
    expect(librariesOf(program, finder())).toEqual(
      ['/lib/ld.so.1', '/usr/lib/libc.so.6', '/usr/lib/libextra.so', '/usr/lib/libm.so.6'].map((path) => ({
        path,
        content: contents[path.slice(path.lastIndexOf('/') + 1)],
      })),
    );
  });

  it.each(['ld.so.1', 'libc.so.6', 'libextra.so'])('must all exist: %s', (name) => {
    expect(() => librariesOf(program, finder(name))).toThrow(`the library ${name} is missing`);
  });

  it('of a static program are none', () => expect(librariesOf(elfOf({}), finder())).toEqual([]));
});
