import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { ReleaseFolder, type Written } from './release-folder.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'release-folder-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a release replaces the files of an earlier one, and lists the digests of its own', () => {
  for (const name of ['kubectl-kruise_1.0.0_linux_amd64.tar.gz', 'kubectl-kruise-1.0.0.tgz', 'kruise.yaml', 'checksums.txt'])
    writeFileSync(join(folder, name), 'old');
  const written: Written[] = [];
  const release = new ReleaseFolder(folder, (one) => written.push(one));
  const digest = release.publish('kubectl-kruise-2.0.0.tgz', Buffer.from('new'), ['node_modules/a']);
  release.write('kruise.yaml', Buffer.from('manifest'));
  release.writeChecksums();
  expect(digest).toBe(createHash('sha256').update('new').digest('hex'));
  expect(readdirSync(folder).sort()).toEqual(['checksums.txt', 'kruise.yaml', 'kubectl-kruise-2.0.0.tgz']);
  expect(readFileSync(join(folder, 'checksums.txt'), 'utf8')).toMatch(
    /^[0-9a-f]{64} {2}kubectl-kruise-2\.0\.0\.tgz\n[0-9a-f]{64} {2}kruise\.yaml\n$/,
  );
  expect(written.map(({ name, sizeBytes }) => [name, sizeBytes])).toEqual([
    ['kubectl-kruise-2.0.0.tgz', 3],
    ['kruise.yaml', 8],
  ]);
  expect(release.materials.map(({ path, packages }) => [path, packages])).toEqual([['kubectl-kruise-2.0.0.tgz', ['node_modules/a']]]);
});

it('a folder with a foreign file is refused and not changed', () => {
  writeFileSync(join(folder, 'checksums.txt'), 'old');
  writeFileSync(join(folder, 'letter.txt'), 'precious');
  expect(() => new ReleaseFolder(folder, () => undefined)).toThrow(`${join(folder, 'letter.txt')} is not a file of a release`);
  expect(readdirSync(folder).sort()).toEqual(['checksums.txt', 'letter.txt']);
});

it('a folder that does not exist is created', () => {
  expect(new ReleaseFolder(join(folder, 'a/b'), () => undefined).materials).toEqual([]);
  expect(existsSync(join(folder, 'a/b'))).toBe(true);
});
