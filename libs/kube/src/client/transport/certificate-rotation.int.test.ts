/** A client certificate that is replaced while its connection is open, against a real API server, which refuses it once it has expired. */
import { urlPath } from './resource-path.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually, issueCertificate, startControlPlane, type ControlPlane } from '@kruise/testing';
import { loadClusterConfig } from '../../config/load-config.ts';
import { createClient } from '../create-client.ts';

let plane: ControlPlane;
let dir: string;

beforeAll(async () => {
  plane = await startControlPlane();
  dir = mkdtempSync(join(tmpdir(), 'rotation-'));
});

afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await plane.stop();
});

function write(commonName: string, validForMs?: number): void {
  const pair = issueCertificate(plane.pki.authority, { commonName, organizations: ['system:masters'] }, validForMs);
  writeFileSync(join(dir, 'tls.crt'), pair.certificatePem);
  writeFileSync(join(dir, 'tls.key'), pair.keyPem);
}

it('no call fails when the certificate of an open connection expires after its files were replaced', async () => {
  const clientCertificate = { certificate: { file: join(dir, 'tls.crt') }, key: { file: join(dir, 'tls.key') } };
  const client = createClient(
    { ...loadClusterConfig({ path: plane.kubeconfigPath }), user: { clientCertificate } },
    { userAgent: 'kruise-test', qps: 20 },
  );
  const whoAmI = async (): Promise<string | undefined> => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const review = await client.raw(urlPath`/apis/authentication.k8s.io/v1/selfsubjectreviews`, { method: 'POST', body });
    return (review as { status?: { userInfo?: { username?: string } } }).status?.userInfo?.username;
  };
  // On a slow machine the certificate may expire before the first call. It is issued again until one call has used it.
  let first: string | undefined;
  await eventually(async () => {
    write('before', 5_000);
    first = await whoAmI().catch(() => undefined);
    return first !== undefined;
  });
  expect(first).toBe('before');
  write('after');
  await eventually(async () => (await whoAmI()) === 'after');
  client.close();
});
