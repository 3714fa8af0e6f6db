import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock, silentLogger } from '@kruise/kube/testing';
import { instant, seconds } from '@kruise/objects';
import { createAuthority, eventually, issueCertificate } from '@kruise/testing';
import { parseAuthorities, readAuthorities, watchAuthorities } from './client-authorities.ts';

const [first, second] = [createAuthority('first'), createAuthority('second')];
const leaf = issueCertificate(first, { commonName: 'leaf' });
let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'authorities-'));
  path = join(directory, 'ca.crt');
});
afterEach(() => rm(directory, { recursive: true }));

describe('authorities of callers', () => {
  it('are all certificates of the text, whatever is between them', () => {
    const text = `# old\n${first.certificatePem}\n# new\r\n${second.certificatePem}`;
    expect(parseAuthorities(text).map(({ subject }) => subject)).toEqual(['CN=first', 'CN=second']);
  });

  it.each([
    ['no text', '', 'it must contain the PEM of one certificate or more'],
    ['a private key', first.keyPem, 'it must contain the PEM of one certificate or more'],
    [
      'a certificate that is cut off',
      `${first.certificatePem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      'certificate 2 of 2 cannot be read',
    ],
    ['the certificate of no authority', leaf.certificatePem, 'certificate 1 of 1 (CN=leaf) is not the certificate of an authority'],
  ])('cannot be %s, and the error names the cause', async (_, text, why) => {
    await writeFile(path, text);
    await expect(readAuthorities(path)).rejects.toThrow(`${path}: ${why}`);
  });

  it('cannot be in a file that does not exist', async () => {
    await expect(readAuthorities(path)).rejects.toThrow(/ca\.crt: ENOENT/);
  });

  it('are read again every 10 s; an unusable file is reported once and changes nothing', async () => {
    const clock = new FakeClock(instant(0));
    const stop = new AbortController();
    const [seen, errors]: [string[], unknown[]] = [[], []];
    const logger = { ...silentLogger(), error: (fields: object) => void errors.push(fields) };
    await writeFile(path, first.certificatePem);
    const onChange = (pem: string): void => void seen.push(pem);
    const watching = watchAuthorities({ path, known: await readAuthorities(path), clock, logger, onChange }, stop.signal);
    const looks = async (text: string, done: () => boolean): Promise<void> => {
      await writeFile(path, text);
      await eventually(async () => {
        await clock.step(seconds(10));
        return done();
      });
    };
    await looks('nonsense', () => errors.length > 0);
    await looks(second.certificatePem, () => seen.length > 0);
    await looks('nonsense', () => errors.length > 1);
    expect(seen).toEqual([second.certificatePem]);
    stop.abort();
    await watching;
    expect(errors).toEqual(Array(2).fill({ because: `${path}: it must contain the PEM of one certificate or more` }));
  });
});
