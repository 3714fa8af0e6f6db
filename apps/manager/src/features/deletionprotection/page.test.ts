/** What the page about deletion protection shows is so. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { AdmissionRequest } from '@kruise/admission';
import { defaultGates, deletionProtectionDeclaration } from '@kruise/api';
import { Informers } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { pods, type KubeObject } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { parse } from 'yaml';
import { Caches } from '../../caches/caches.ts';
import type { ProtectionRecord } from '../../process/protection-log.ts';
import { deletionProtectionAdmission } from './admission.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/deletion-protection.md'), 'utf8');
const example = (language: string): string => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';

it('the example is protected as the page says, and recorded in these words', async () => {
  const namespace = parse(example('yaml')) as KubeObject;
  const api = new FakeApi();
  const pod = aPod({ name: 'p', namespace: 'shop' });
  api.seed(pods, { ...pod, metadata: { name: 'p', namespace: 'shop' } });
  const records: ProtectionRecord[] = [];
  const informers = new Informers({ client: api, clock: new FakeClock(), logger: silentLogger() });
  const handler = deletionProtectionAdmission({
    client: api,
    caches: new Caches(informers, ''),
    gates: { ...defaultGates, ResourcesDeletionProtection: true },
    podNamespace: 'kruise-system',
    allowPrivileged: true,
    onProtected: (record) => void records.push(record),
  }).find(({ path }) => path === '/validate-namespace');
  const request = {
    operation: 'DELETE',
    kind: { group: '', version: 'v1', kind: 'Namespace' },
    resource: { group: '', version: 'v1', resource: 'namespaces' },
    namespace: 'shop',
    name: 'shop',
    userInfo: { username: 'jane' },
    oldObject: namespace,
  } as unknown as AdmissionRequest;
  expect(await handler?.decide(request, new AbortController().signal)).toMatchObject({ kind: 'Failed', code: 403 });
  expect(records).toEqual([JSON.parse(example('json'))]);
});

describe('the table', () => {
  it.each(['CloneSet', 'Advanced StatefulSet', 'UnitedDeployment'])('has our own kind %s', (kind) => {
    expect(page).toMatch(new RegExp(`^\\| [^|]*\\b${kind}\\b[^|]* \\| yes .*spec\\.replicas`, 'm'));
  });

  it.each(deletionProtectionDeclaration.webhooks.map(({ resource }) => resource))('has %s', (resource) => {
    const singular = resource.replace(/(sses|ses|s)$/, (ending) => (ending === 'sses' ? 'ss' : ending === 'ses' ? 's' : ''));
    expect(page.toLowerCase()).toContain(`| ${singular}`.slice(2));
  });
});
