/** Writes ustar archives, the same bytes for the same entries. Pure. */

export type TarEntry =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'file'; readonly path: string; readonly content: Uint8Array; readonly executable?: boolean };

const blockSize = 512;
const typeFlags = { file: '0', link: '2', folder: '5' } as const;
const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');

function header(entry: TarEntry): Buffer {
  const path = entry.kind === 'folder' ? `${entry.path}/` : entry.path;
  if (Buffer.byteLength(path) > 100) throw new Error(`path too long for a tar header: ${path}`);
  const block = Buffer.alloc(blockSize);
  const mode = entry.kind === 'file' && entry.executable !== true ? 0o644 : 0o755;
  block.write(path, 0);
  block.write(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100);
  block.write(`${octal(entry.kind === 'file' ? entry.content.length : 0, 11)}\0${octal(0, 11)}\0`, 124);
  block.write(' '.repeat(8), 148);
  block.write(typeFlags[entry.kind], 156);
  if (entry.kind === 'link') block.write(entry.target, 157);
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

/** Entries in the given order, owned by root, modified at the beginning of time. */
export function tar(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    if (entry.kind !== 'file') return [header(entry)];
    const padding = (blockSize - (entry.content.length % blockSize)) % blockSize;
    return [header(entry), entry.content, Buffer.alloc(padding)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * blockSize)]);
}
