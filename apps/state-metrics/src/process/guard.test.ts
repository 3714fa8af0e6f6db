import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FakeClock, silentLogger } from '@kruise/kube/testing';
import { listen } from '@kruise/process';
import { createAuthority, issueCertificate } from '@kruise/testing';
import { credentialsOf, Guard } from './guard.ts';

const authority = createAuthority('test');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'guard-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function writeCertificate(commonName: string): void {
  const { certificatePem, keyPem } = issueCertificate(authority, { commonName, dnsNames: ['localhost'] });
  writeFileSync(join(folder, 'tls.crt'), certificatePem);
  writeFileSync(join(folder, 'tls.key'), keyPem);
}

async function nameAt(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: authority.certificatePem });
  await once(socket, 'secureConnect');
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(CN);
}

describe('a guard', () => {
  it('takes up a new certificate within half a minute, and keeps the former one while the files are faulty', async () => {
    writeCertificate('first');
    const path = join(folder, 'web.yaml');
    writeFileSync(path, 'tls_server_config: { cert_file: tls.crt, key_file: tls.key }');
    const guard = new Guard(path);
    const server = createServer(guard.tls ?? {});
    const port = await listen(server, { host: '127.0.0.1', port: 0 });
    guard.watch(server);
    const [clock, logger, stop] = [new FakeClock(), silentLogger(), new AbortController()];
    const running = guard.run({ clock, logger }, stop.signal);
    try {
      expect(await nameAt(port)).toBe('first');
      writeCertificate('second');
      await clock.step(30_000);
      expect(await nameAt(port)).toBe('second');
      writeFileSync(path, 'tls_server_config: { cert_file: absent.crt, key_file: tls.key }');
      await clock.step(90_000);
      expect(await nameAt(port)).toBe('second');
      expect(logger.lines.map(({ message }) => message)).toEqual(['Failed to read the web configuration; keeping the previous one']);
    } finally {
      stop.abort();
      await running;
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it.each([
    [undefined, undefined],
    ['Bearer abc', undefined],
    [`Basic ${Buffer.from('no colon').toString('base64')}`, undefined],
    [`Basic ${Buffer.from('a:b:c').toString('base64')}`, { user: 'a', password: 'b:c' }],
    [`basic ${Buffer.from(':').toString('base64')}`, { user: '', password: '' }],
  ])('reads the credentials of %j', (authorization, then) => {
    expect(credentialsOf({ headers: authorization === undefined ? {} : { authorization } })).toEqual(then);
  });
});
