import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCertificateFiles, writeCertificateFiles } from './certificate-files.ts';

const material = { caKey: 'ck', caCert: 'cc', key: 'k', cert: 'c' };
let parent: string;
let directory: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'certs-'));
  directory = join(parent, 'certs');
});
afterEach(() => rm(parent, { recursive: true }));

describe('certificate directory', () => {
  it('contains all six files, readable only by the owner', async () => {
    expect(await writeCertificateFiles(directory, material)).toBe(true);
    expect(await readCertificateFiles(directory)).toEqual(material);
    expect(await readFile(join(directory, 'tls.crt'), 'utf8')).toBe('c');
    expect((await stat(join(directory, 'tls.key'))).mode & 0o777).toBe(0o600);
  });

  it('is not written again without a change', async () => {
    await writeCertificateFiles(directory, material);
    const before = await readdir(directory);
    expect(await writeCertificateFiles(directory, material)).toBe(false);
    expect(await readdir(directory)).toEqual(before);
  });

  it('swaps all files together and removes the old ones', async () => {
    await writeCertificateFiles(directory, material);
    await writeCertificateFiles(directory, { ...material, key: 'k2', cert: 'c2' });
    expect(await readCertificateFiles(directory)).toEqual({ ...material, key: 'k2', cert: 'c2' });
    expect((await readdir(directory)).filter((name) => name.startsWith('..certs-'))).toHaveLength(1);
  });

  it('replaces plain files of the same names', async () => {
    await writeCertificateFiles(directory, material);
    await rm(join(directory, 'cert.pem'));
    await writeFile(join(directory, 'cert.pem'), 'plain');
    expect(await writeCertificateFiles(directory, material)).toBe(true);
    expect(await readFile(join(directory, 'cert.pem'), 'utf8')).toBe('c');
  });

  it('is incomplete when one file is missing', async () => {
    await writeCertificateFiles(directory, material);
    await rm(join(directory, 'tls.crt'));
    expect(await readCertificateFiles(directory)).toBeUndefined();
  });
});
