/**
 * Removes from an ELF program what only debuggers read: the symbol table, its names, and sections `.debug_*`. Does what `strip` does, for programs of
 * every architecture and with the same bytes on every machine. What the loader reads stays where it is.
 *
 * @see https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html
 */

/** Places in the header of the file. */
const fileHeader = { sectionTable: 0x28, sectionSize: 0x3a, sectionCount: 0x3c, namesIndex: 0x3e } as const;

/** Places in the header of a section. */
const sectionHeader = { name: 0, type: 4, flags: 8, offset: 24, size: 32, link: 40, info: 44, alignment: 48 } as const;

const types = { none: 0, symbolTable: 2, relocationsWithAddends: 4, noBits: 8, relocations: 9 } as const;
const isLoaded = 2n;

interface Section {
  readonly index: number;
  readonly header: Buffer;
  readonly name: string;
  readonly type: number;
  readonly loaded: boolean;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
}

function sectionsOf(elf: Buffer): readonly Section[] {
  const [table, size] = [Number(elf.readBigUInt64LE(fileHeader.sectionTable)), elf.readUInt16LE(fileHeader.sectionSize)];
  const headers = Array.from({ length: elf.readUInt16LE(fileHeader.sectionCount) }, (_, index) =>
    elf.subarray(table + index * size, table + (index + 1) * size),
  );
  const names = Number(headers[elf.readUInt16LE(fileHeader.namesIndex)]!.readBigUInt64LE(sectionHeader.offset));
  return headers.map((header, index) => {
    const name = names + header.readUInt32LE(sectionHeader.name);
    return {
      index,
      header,
      name: elf.toString('latin1', name, elf.indexOf(0, name)),
      type: header.readUInt32LE(sectionHeader.type),
      loaded: (header.readBigUInt64LE(sectionHeader.flags) & isLoaded) !== 0n,
      offset: Number(header.readBigUInt64LE(sectionHeader.offset)),
      size: Number(header.readBigUInt64LE(sectionHeader.size)),
      link: header.readUInt32LE(sectionHeader.link),
    };
  });
}

/** Sections that nothing but a debugger reads. */
function isForDebuggers(section: Section, sections: readonly Section[], namesIndex: number): boolean {
  if (section.loaded) return false;
  if (section.type === types.symbolTable || section.name.startsWith('.debug_')) return true;
  return section.index !== namesIndex && sections.some(({ type, link }) => type === types.symbolTable && link === section.index);
}

const padded = (size: number, alignment: number): number => Math.ceil(size / alignment) * alignment;

/**
 * @param elf a 64-bit little-endian program
 * @returns the same without symbols; a copy
 * @throws for another format
 */
export function stripSymbols(elf: Buffer): Buffer {
  if (elf.toString('latin1', 0, 6) !== '\x7fELF\x02\x01') throw new Error('not a 64-bit little-endian ELF file');
  const namesIndex = elf.readUInt16LE(fileHeader.namesIndex);
  const sections = sectionsOf(elf);
  const kept = sections.filter((section) => !isForDebuggers(section, sections, namesIndex));
  const indexes = new Map(kept.map(({ index }, position) => [index, position]));
  const loadedEnd = Math.max(...sections.map(({ loaded, type, offset, size }) => (loaded && type !== types.noBits ? offset + size : 0)));
  const parts: Buffer[] = [elf.subarray(0, loadedEnd)];
  let end = loadedEnd;
  const append = (bytes: Buffer, alignment: number): number => {
    const at = padded(end, alignment);
    parts.push(Buffer.alloc(at - end), bytes);
    end = at + bytes.length;
    return at;
  };
  const headers = kept.map(({ header, type, loaded, offset, size, link }) => {
    const copy = Buffer.from(header);
    if (type !== types.none && !loaded && offset >= loadedEnd) {
      const alignment = Math.max(1, Number(header.readBigUInt64LE(sectionHeader.alignment)));
      copy.writeBigUInt64LE(BigInt(append(elf.subarray(offset, offset + size), alignment)), sectionHeader.offset);
    }
    copy.writeUInt32LE(indexes.get(link) ?? 0, sectionHeader.link);
    if (type === types.relocations || type === types.relocationsWithAddends)
      copy.writeUInt32LE(indexes.get(header.readUInt32LE(sectionHeader.info)) ?? 0, sectionHeader.info);
    return copy;
  });
  const table = append(Buffer.concat(headers), 8);
  const stripped = Buffer.concat(parts);
  stripped.writeBigUInt64LE(BigInt(table), fileHeader.sectionTable);
  stripped.writeUInt16LE(headers.length, fileHeader.sectionCount);
  stripped.writeUInt16LE(indexes.get(namesIndex)!, fileHeader.namesIndex);
  return stripped;
}
