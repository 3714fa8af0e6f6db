/** Writes ustar archives: the same bytes for the same entries. Pure except for the bytes of the entries. */

/** Owner, mode (defaults: 0755 for folders and executables, otherwise 0644) and path without a leading `/`. */
interface Placed {
  readonly path: string;
  readonly mode?: number;
  /** Both user and group; root by default. */
  readonly owner?: number;
}

/** One entry of an archive. A hard link must follow the file that it names. */
export type TarEntry =
  | (Placed & { readonly kind: 'folder' })
  | (Placed & { readonly kind: 'file'; readonly content: Uint8Array })
  /** A second name of an earlier file in the archive. */
  | (Placed & { readonly kind: 'hard link'; readonly target: string })
  /** A symbolic link. */
  | (Placed & { readonly kind: 'link'; readonly target: string });

const blockSize = 512;
const typeFlags = { file: '0', 'hard link': '1', link: '2', folder: '5' } as const;
const defaultModes = { file: 0o644, 'hard link': 0o755, link: 0o755, folder: 0o755 } as const;

/** Returns a number in a field of `width` bytes; the last one is NUL. */
const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;

/** Splits a path into ustar's prefix (155 bytes) and name (100 bytes) at a slash. */
function splitPath(path: string): { readonly prefix: string; readonly name: string } {
  if (Buffer.byteLength(path) <= 100) return { prefix: '', name: path };
  for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
    const [prefix, name] = [path.slice(0, slash), path.slice(slash + 1)];
    if (name !== '' && Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) return { prefix, name };
  }
  throw new Error(`path too long for a tar header: ${path}`);
}

function header(entry: TarEntry): Buffer {
  const { prefix, name } = splitPath(entry.kind === 'folder' ? `${entry.path}/` : entry.path);
  const block = Buffer.alloc(blockSize);
  const owner = octal(entry.owner ?? 0, 8);
  block.write(name, 0);
  block.write(octal(entry.mode ?? defaultModes[entry.kind], 8) + owner + owner, 100);
  block.write(octal(entry.kind === 'file' ? entry.content.length : 0, 12) + octal(0, 12), 124);
  block.write(' '.repeat(8), 148);
  block.write(typeFlags[entry.kind], 156);
  if (entry.kind === 'hard link' || entry.kind === 'link') block.write(entry.target, 157);
  block.write('ustar\u000000', 257);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)} `, 148);
  return block;
}

/** Returns the archive of `entries` in this order, modified at the beginning of the epoch. */
export function tar(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    if (entry.kind !== 'file') return [header(entry)];
    const padding = (blockSize - (entry.content.length % blockSize)) % blockSize;
    return [header(entry), entry.content, Buffer.alloc(padding)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * blockSize)]);
}

/** Returns the entries with every folder above them, sorted, so that folders precede their content and a hard link follows its target. */
export function withParents(entries: readonly TarEntry[]): readonly TarEntry[] {
  const byPath = new Map<string, TarEntry>();
  for (const { path } of entries) {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth++) {
      const parent = parts.slice(0, depth).join('/');
      byPath.set(parent, { kind: 'folder', path: parent });
    }
  }
  for (const entry of entries) byPath.set(entry.path, entry);
  const rank = (entry: TarEntry): number => (entry.kind === 'hard link' ? 1 : 0);
  return [...byPath.values()].sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
}
