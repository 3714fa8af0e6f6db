/**
 * The certificate directory: files are replaced as a whole by swapping one symlink, so that a reader never sees a key without its certificate.
 * `<dir>/..<time>/…` contains the files, `<dir>/..data` points to it, `<dir>/<file>` points into `..data`.
 * @see spec/manager.md 4.6
 */
import { mkdir, readFile, readlink, rename, rm, symlink, writeFile, lstat, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyMaterial } from './key-material.ts';

/** Returns the texts by file name and Secret key. The `tls.*` pair is a copy under the names that other tools expect. */
export function toNamedTexts(material: KeyMaterial): Readonly<Record<string, string>> {
  const { caKey, caCert, key, cert } = material;
  return {
    ...(caKey === undefined ? {} : { 'ca-key.pem': caKey }),
    'ca-cert.pem': caCert,
    'key.pem': key,
    'tls.key': key,
    'cert.pem': cert,
    'tls.crt': cert,
  };
}

/** Inverse of {@link toNamedTexts}. Returns undefined when a required text is missing or empty. */
export function fromNamedTexts(texts: Readonly<Record<string, string | undefined>>): KeyMaterial | undefined {
  const { 'ca-key.pem': caKey, 'ca-cert.pem': caCert, 'key.pem': key, 'cert.pem': cert } = texts;
  return caKey && caCert && key && cert ? { caKey, caCert, key, cert } : undefined;
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads the certificate directory. @returns undefined unless all files exist */
export async function readCertificateFiles(directory: string): Promise<KeyMaterial | undefined> {
  const names = ['ca-key.pem', 'ca-cert.pem', 'key.pem', 'cert.pem', 'tls.key', 'tls.crt'] as const;
  const texts = await Promise.all(names.map(async (name) => [name, await readText(join(directory, name))] as const));
  return texts.some(([, text]) => text === undefined) ? undefined : fromNamedTexts(Object.fromEntries(texts));
}

async function isUpToDate(directory: string, texts: Readonly<Record<string, string>>): Promise<boolean> {
  for (const [name, text] of Object.entries(texts)) if ((await readText(join(directory, name))) !== text) return false;
  return true;
}

async function linkInto(directory: string, name: string): Promise<void> {
  const path = join(directory, name);
  const target = join('..data', name);
  const present = await lstat(path).catch(() => undefined);
  if (present?.isSymbolicLink() === true && (await readlink(path)) === target) return;
  if (present !== undefined) await rm(path, { recursive: true });
  await symlink(target, path);
}

/**
 * Writes the material if it differs from the files. Directories get mode 0700, files 0600.
 * @returns whether anything was written
 */
export async function writeCertificateFiles(directory: string, material: KeyMaterial): Promise<boolean> {
  const texts = toNamedTexts(material);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (await isUpToDate(directory, texts)) return false;
  const previous = await readlink(join(directory, '..data')).catch(() => undefined);
  const next = await mkdtemp(join(directory, '..certs-'));
  for (const [name, text] of Object.entries(texts)) await writeFile(join(next, name), text, { mode: 0o600 });
  const staged = join(directory, '..data_tmp');
  await rm(staged, { force: true });
  await symlink(next.slice(directory.length).replace(/^[/\\]/, ''), staged);
  await rename(staged, join(directory, '..data'));
  for (const name of Object.keys(texts)) await linkInto(directory, name);
  if (previous !== undefined) await rm(join(directory, previous), { recursive: true, force: true });
  return true;
}
