import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { zip } from './zip.ts';

/** The files by name, found as unpacking programs do: from the end record to the directory, from there to the local headers. */
function filesIn(archive: Buffer): Readonly<Record<string, string>> {
  const end = archive.length - 22;
  const files: Record<string, string> = {};
  let at = archive.readUInt32LE(end + 16);
  for (let index = 0; index < archive.readUInt16LE(end + 10); index++) {
    const [size, nameLength, local] = [archive.readUInt32LE(at + 20), archive.readUInt16LE(at + 28), archive.readUInt32LE(at + 42)];
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    const content = local + 30 + archive.readUInt16LE(local + 26);
    files[name] = inflateRawSync(archive.subarray(content, content + size)).toString();
    at += 46 + nameLength;
  }
  return files;
}

const entries = [
  { path: 'a/b.txt', content: Buffer.from('x'.repeat(1000)), mode: 0o755 },
  { path: 'caf\u00e9', content: Buffer.from('') },
];

describe('a zip archive', () => {
  it('has its files where the directory says', () => {
    expect(filesIn(zip(entries))).toEqual({ 'a/b.txt': 'x'.repeat(1000), 'caf\u00e9': '' });
  });

  it('compresses, keeps the mode, and has the first time that the format has', () => {
    const archive = zip(entries);
    expect(archive.length).toBeLessThan(500);
    const central = archive.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    expect(archive.readUInt32LE(central + 38) >>> 16).toBe(0o100755);
    expect([archive.readUInt16LE(central + 12), archive.readUInt16LE(central + 14)]).toEqual([0, 0x21]);
  });
});
