/** Reads the layers of an image. */

export interface Entry {
  readonly name: string;
  readonly content: Buffer;
}

/** The entries of an archive whose names all fit into one header. */
export function entriesIn(archive: Buffer): readonly Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; archive[at] !== 0;) {
    const size = Number.parseInt(archive.toString('utf8', at + 124, at + 135), 8);
    entries.push({ name: archive.toString('utf8', at, archive.indexOf(0, at)), content: archive.subarray(at + 512, at + 512 + size) });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return entries;
}
