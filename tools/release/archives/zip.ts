/** Writes zip archives: the same bytes for the same entries. */
import { crc32, deflateRawSync } from 'node:zlib';

/** A file of the archive. */
export interface ZipEntry {
  readonly path: string;
  readonly content: Uint8Array;
  /** Permissions on systems that have them; 0644 by default. */
  readonly mode?: number;
}

const signatures = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50 } as const;
/** Version 2.0 knows deflate. In the upper byte of the version that made the entry, 3 means that attributes are those of Unix. */
const [versionNeeded, madeOnUnix, deflated, utf8Names] = [20, (3 << 8) | 20, 8, 1 << 11] as const;
/** 1980-01-01 00:00, where the time of zip begins. */
const [firstTime, firstDate] = [0, (1 << 5) | 1] as const;
const regularFile = 0o100000;
const longest = 0xffff_ffff;

/** The members that both headers of an entry share, from the needed version to the length of the extra field. */
function sharedHeader(entry: ZipEntry, name: Buffer, compressed: Buffer): Buffer {
  const header = Buffer.alloc(26);
  [versionNeeded, utf8Names, deflated, firstTime, firstDate].forEach((value, index) => header.writeUInt16LE(value, index * 2));
  [crc32(entry.content), compressed.length, entry.content.length].forEach((value, index) => header.writeUInt32LE(value, 10 + index * 4));
  header.writeUInt16LE(name.length, 22);
  return header;
}

function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32LE(value, index * 4));
  return bytes;
}

function uint16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => bytes.writeUInt16LE(value, index * 2));
  return bytes;
}

/**
 * @returns the archive of `entries` in this order
 * @throws for an archive of 4 GiB or more
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.path);
    const compressed = deflateRawSync(entry.content, { level: 6 });
    const shared = sharedHeader(entry, name, compressed);
    const attributes = ((regularFile | (entry.mode ?? 0o644)) << 16) >>> 0;
    central.push(uint32(signatures.central), uint16(madeOnUnix), shared, uint16(0, 0, 0), uint32(attributes, offset), name);
    const parts = [uint32(signatures.local), shared, name, compressed];
    local.push(...parts);
    offset += parts.reduce((sum, { length }) => sum + length, 0);
    if (offset > longest) throw new Error(`${entry.path}: the archive would be 4 GiB or more`);
  }
  const directory = Buffer.concat(central);
  const end = [uint32(signatures.end), uint16(0, 0, entries.length, entries.length), uint32(directory.length, offset), uint16(0)];
  return Buffer.concat([...local, directory, ...end]);
}
