import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { skipUnless } from '@kruise/testing';
import { stripSymbols } from './strip-symbols.ts';

interface SectionOf {
  readonly name: string;
  readonly type: number;
  readonly loaded?: boolean;
  readonly content: string;
  /** By name. */
  readonly link?: string;
}

/** An ELF file: 64 bytes of header, the contents in order, `.shstrtab`, the headers. */
function elfOf(sections: readonly SectionOf[]): Buffer {
  const all: readonly SectionOf[] = [{ name: '', type: 0, content: '' }, ...sections, { name: '.shstrtab', type: 3, content: '' }];
  const names = `${all.map(({ name }) => name).join('\0')}\0`;
  const nameAt = (index: number): number => all.slice(0, index).reduce((sum, { name }) => sum + name.length + 1, 0);
  const contents = all.map(({ name, content }) => Buffer.from(name === '.shstrtab' ? names : content));
  const offsetOf = (index: number): number => 64 + contents.slice(0, index).reduce((sum, { length }) => sum + length, 0);
  const headers = all.map(({ type, loaded, link }, index) => {
    const header = Buffer.alloc(64);
    header.writeUInt32LE(nameAt(index), 0);
    header.writeUInt32LE(type, 4);
    header.writeBigUInt64LE(loaded === true ? 2n : 0n, 8);
    header.writeBigUInt64LE(BigInt(offsetOf(index)), 24);
    header.writeBigUInt64LE(BigInt(contents[index]!.length), 32);
    header.writeUInt32LE(link === undefined ? 0 : all.findIndex(({ name }) => name === link), 40);
    header.writeBigUInt64LE(1n, 48);
    return header;
  });
  const head = Buffer.alloc(64);
  head.write('\x7fELF\x02\x01', 'latin1');
  head.writeBigUInt64LE(BigInt(offsetOf(all.length)), 0x28);
  head.writeUInt16LE(64, 0x3a);
  head.writeUInt16LE(all.length, 0x3c);
  head.writeUInt16LE(all.length - 1, 0x3e);
  return Buffer.concat([head, ...contents, ...headers]);
}

/** Name, content and name of the linked section, of each. */
function read(elf: Buffer): readonly string[] {
  const table = Number(elf.readBigUInt64LE(0x28));
  const header = (index: number): Buffer => elf.subarray(table + index * 64, table + (index + 1) * 64);
  const content = (index: number): string => {
    const [offset, size] = [Number(header(index).readBigUInt64LE(24)), Number(header(index).readBigUInt64LE(32))];
    return elf.toString('latin1', offset, offset + size);
  };
  const names = content(elf.readUInt16LE(0x3e));
  const nameOf = (index: number): string => {
    const at = header(index).readUInt32LE(0);
    return names.slice(at, names.indexOf('\0', at));
  };
  return Array.from({ length: elf.readUInt16LE(0x3c) }, (_, index) => {
    const link = nameOf(header(index).readUInt32LE(40));
    return `${nameOf(index)}=${nameOf(index) === '.shstrtab' ? 'names' : content(index)}${link === '' ? '' : ` -> ${link}`}`;
  });
}

const program = elfOf([
  { name: '.dynsym', type: 11, loaded: true, content: 'dynamic', link: '.dynstr' },
  { name: '.dynstr', type: 3, loaded: true, content: 'strings' },
  { name: '.debug_info', type: 1, content: 'long text for debuggers' },
  { name: '.symtab', type: 2, content: 'many symbols', link: '.strtab' },
  { name: '.strtab', type: 3, content: 'their names' },
  { name: '.comment', type: 1, content: 'compiler' },
]);

describe('a program without symbols', () => {
  it('keeps what is loaded, and other sections with their links', () => {
    expect(read(program)).toHaveLength(8);
    const stripped = stripSymbols(program);
    expect(read(stripped)).toEqual(['=', '.dynsym=dynamic -> .dynstr', '.dynstr=strings', '.comment=compiler', '.shstrtab=names']);
    expect(stripped.length).toBeLessThan(program.length - 3 * 64 - 40);
  });

  it('is stripped no further the second time', () => {
    const once = stripSymbols(program);
    expect(stripSymbols(once).equals(once)).toBe(true);
  });

  it('is refused in another format', () => {
    expect(() => stripSymbols(Buffer.from('MZ of another system'))).toThrow('not a 64-bit little-endian ELF file');
  });

  describe('that is real', () => {
    let folder: string;
    beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'strip-'))));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    skipUnless(
      process.platform === 'linux',
      'needs Linux',
      it,
    )('runs as before, and is smaller', () => {
      const file = join(folder, 'node');
      const stripped = stripSymbols(readFileSync(process.execPath));
      writeFileSync(file, stripped);
      chmodSync(file, 0o755);
      expect(stripped.length).toBeLessThan(readFileSync(process.execPath).length);
      expect(execFileSync(file, ['-p', 'process.version'], { encoding: 'utf8' })).toBe(`${process.version}\n`);
    });
  });
});
