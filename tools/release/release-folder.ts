/** The folder of a release: its files, with the digests of all and the content of those that the bill of materials lists. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Material } from '../build/sbom.ts';

export interface Written {
  readonly name: string;
  readonly sizeBytes: number;
}

/** Names that releases have used for their files. */
const ownName = /^(kubectl-kruise[-_].*\.(tar\.gz|zip|tgz|cdx\.json)|kruise\.yaml|checksums\.txt)$/;

/** Deletes the files of an earlier release. @throws before anything is deleted, if the folder has other files */
function emptyFolder(path: string): void {
  const names = existsSync(path) ? readdirSync(path) : [];
  const foreign = names.find((name) => !ownName.test(name));
  if (foreign !== undefined) throw new Error(`${join(path, foreign)} is not a file of a release: name a folder for the release alone`);
  for (const name of names) rmSync(join(path, name));
  mkdirSync(path, { recursive: true });
}

export class ReleaseFolder {
  readonly #path: string;
  readonly #onWritten: (written: Written) => void;
  readonly #sums: string[] = [];
  readonly #materials: Material[] = [];

  /** @throws for a folder that has other files than those of a release */
  constructor(path: string, onWritten: (written: Written) => void) {
    emptyFolder(path);
    this.#path = path;
    this.#onWritten = onWritten;
  }

  get materials(): readonly Material[] {
    return this.#materials;
  }

  /** @returns the SHA-256 digest, hexadecimal */
  write(name: string, content: Buffer): string {
    writeFileSync(join(this.#path, name), content);
    const digest = createHash('sha256').update(content).digest('hex');
    this.#sums.push(`${digest}  ${name}\n`);
    this.#onWritten({ name, sizeBytes: content.length });
    return digest;
  }

  /**
   * Writes a file of the bill of materials.
   *
   * @param packages folders of the npm packages that are in it
   * @returns as {@link write}
   */
  publish(name: string, content: Buffer, packages: readonly string[]): string {
    this.#materials.push({ path: name, content, packages });
    return this.write(name, content);
  }

  /** Writes `checksums.txt`, which `sha256sum --check` reads. */
  writeChecksums(): void {
    writeFileSync(join(this.#path, 'checksums.txt'), this.#sums.join(''));
  }
}
