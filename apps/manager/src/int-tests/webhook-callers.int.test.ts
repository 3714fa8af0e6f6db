/** Webhooks that answer the API server alone: it shows a client certificate, and a stranger at the port changes nothing. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  comesToRest,
  createAuthority,
  eventually,
  issueCertificate,
  skipUnless,
  staysTrue,
  succeeds,
  type ControlPlane,
} from '@kruise/testing';
import { startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';

interface Configuration {
  readonly metadata: { readonly resourceVersion: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly webhooks: readonly { readonly name: string; readonly clientConfig: { readonly url?: string } }[];
}

const configurationPath = (which: 'mutating' | 'validating'): string =>
  `/apis/admissionregistration.k8s.io/v1/${which}webhookconfigurations/kruise-${which}-webhook-configuration`;
const cloneSetPath = (version: string, name = ''): string =>
  `/apis/apps.kruise.io/${version}/namespaces/default/clonesets${name === '' ? '' : `/${name}`}`;

const unknownCaller = 'this webhook answers only callers with a client certificate';
const [ours, theirs] = [createAuthority('api-server-clients'), createAuthority('another')];
const dir = mkdtempSync(join(tmpdir(), 'kruise-callers-'));
const authorities = join(dir, 'ca.crt');
let plane: ControlPlane;
let manager: ManagerProcess;

/** The files that make an API server show a certificate to webhooks. @returns its flag */
function admissionControl(): string {
  const { certificatePem, keyPem } = issueCertificate(ours, { commonName: 'kube-apiserver' });
  const [cert, key, kubeconfig, control] = ['client.crt', 'client.key', 'kubeconfig.json', 'control.json'].map((name) => join(dir, name));
  const group = 'apiserver.config.k8s.io/v1';
  const configuration = { apiVersion: group, kind: 'WebhookAdmissionConfiguration', kubeConfigFile: kubeconfig };
  const users = [{ name: '*', user: { 'client-certificate': cert, 'client-key': key } }];
  const plugins = ['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'].map((name) => ({ name, configuration }));
  writeFileSync(cert ?? '', certificatePem);
  writeFileSync(key ?? '', keyPem, { mode: 0o600 });
  writeFileSync(kubeconfig ?? '', JSON.stringify({ apiVersion: 'v1', kind: 'Config', users }));
  writeFileSync(control ?? '', JSON.stringify({ apiVersion: group, kind: 'AdmissionConfiguration', plugins }));
  return `--admission-control-config-file=${control}`;
}

const hasIPv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.family === 'IPv6');

const newManager = (flags: readonly string[]): Promise<ManagerProcess> =>
  ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir: join(dir, 'manager'), flags });

const configuration = async (which: 'mutating' | 'validating' = 'mutating'): Promise<Configuration> =>
  (await plane.api.request(configurationPath(which))) as Configuration;

let made = 0;
async function createCloneSet(version = 'v1beta1'): Promise<{ readonly metadata: { readonly name: string }; readonly spec: object }> {
  const spec = {
    selector: { matchLabels: { app: 'web' } },
    replicas: 0,
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'x' }] } },
  };
  const body = { apiVersion: `apps.kruise.io/${version}`, kind: 'CloneSet', metadata: { name: `web-${++made}` }, spec };
  return (await plane.api.request(cloneSetPath(version), { method: 'POST', body })) as Awaited<ReturnType<typeof createCloneSet>>;
}

/** Of a SidecarSet that does not exist: a replica that accepts it widens the rule of the Pod webhook. */
const forgedReview = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'forged',
    kind: { group: 'apps.kruise.io', version: 'v1beta1', kind: 'SidecarSet' },
    resource: { group: 'apps.kruise.io', version: 'v1beta1', resource: 'sidecarsets' },
    name: 'forged',
    operation: 'CREATE',
    dryRun: false,
    userInfo: {},
    object: {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'SidecarSet',
      metadata: { name: 'forged' },
      spec: { selector: { matchLabels: { app: 'forged' } }, containers: [{ name: 'side', image: 'y' }] },
    },
  },
};

/** @param host an address at which the webhooks listen */
async function sendForged(host = '127.0.0.1'): Promise<{ readonly status: number; readonly text: string }> {
  const { webhooks } = await configuration('validating');
  const path = webhooks.map(({ clientConfig }) => new URL(clientConfig.url ?? '').pathname).find((one) => one.includes('sidecarset'));
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const to = { host, port: manager.ports.webhook, path: `${path}?timeout=10s`, method: 'POST', headers };
    const request = httpsRequest({ ...to, rejectUnauthorized: false, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on('error', reject).end(JSON.stringify(forgedReview));
  });
}

const isNarrowed = async (): Promise<boolean> => (await configuration()).webhooks.some(({ name }) => name === 'kruise-workload.mpod.kb.io');

beforeAll(async () => {
  writeFileSync(authorities, ours.certificatePem);
  plane = await startInstalledPlane({ simulatedNodes: 0, controllers: false, apiServerFlags: [admissionControl()] });
  manager = await newManager([`--webhook-client-ca-file=${authorities}`]);
  await manager.start();
  await eventually(isNarrowed);
  // The API server applies a configuration a moment after it returns it.
  await eventually(() => succeeds(createCloneSet()));
});
afterAll(async () => {
  await manager?.signal('SIGKILL');
  await plane?.stop();
  rmSync(dir, { recursive: true, force: true });
});

describe('webhooks that know the API server by its certificate', () => {
  it('are asked by it when objects are created, and convert them', async () => {
    const { metadata, spec } = await createCloneSet();
    expect(spec).toMatchObject({ updateStrategy: { type: 'RollingUpdate' }, revisionHistoryLimit: 10 });
    expect(await plane.api.request(cloneSetPath('v1alpha1', metadata.name))).toMatchObject({
      apiVersion: 'apps.kruise.io/v1alpha1',
      spec: { updateStrategy: { type: 'ReCreate' } },
    });
    expect(await createCloneSet('v1alpha1')).toMatchObject({ spec: { updateStrategy: { type: 'ReCreate' } } });
  });

  it('refuse a forged review, which changes nothing', async () => {
    const version = async (): Promise<string> => (await configuration()).metadata.resourceVersion;
    const before = await comesToRest('the webhook configuration', version, 2000);
    const { status, text } = await sendForged();
    expect(status).toBe(401);
    expect(JSON.parse(text)).toMatchObject({ kind: 'Status', reason: 'Unauthorized', message: expect.stringContaining(unknownCaller) });
    await staysTrue('the webhook configuration is not written', async () => (await version()) === before, 2000);
    expect(await manager.metrics()).toMatch(/^controller_runtime_webhook_requests_total\{webhook="[^"]*sidecarset",code="401"\} 1$/m);
  });

  skipUnless(
    hasIPv6,
    'needs IPv6',
    it,
  )('answer at IPv6 addresses, too, as a Pod of an IPv6 cluster has no other', async () => {
    expect(await sendForged('::1')).toMatchObject({ status: 401 });
  });

  it('refuse an API server of another authority once the file names that one, and know it again when it is back', async () => {
    const failure = (): Promise<string> =>
      createCloneSet().then(
        () => '',
        (error: unknown) => String(error),
      );
    writeFileSync(authorities, theirs.certificatePem);
    await eventually(async () => (await failure()).includes(unknownCaller));
    writeFileSync(authorities, `${theirs.certificatePem}${ours.certificatePem}`);
    await eventually(async () => (await failure()) === '');
    expect(manager.exits).toEqual([]);
  });

  it('end the manager with a clear line when their file cannot be used', async () => {
    writeFileSync(authorities, 'nonsense');
    await manager.signal('SIGKILL');
    const other = await newManager([`--webhook-client-ca-file=${authorities}`]);
    await expect(other.start()).rejects.toThrow(
      `--webhook-client-ca-file=${authorities}: it must contain the PEM of one certificate or more`,
    );
  });

  it('answer everybody without the option: the same review widens the rule of the Pod webhook', async () => {
    manager = await newManager([]);
    await manager.start();
    await eventually(isNarrowed);
    const before = await configuration();
    expect(await sendForged()).toMatchObject({ status: 200, text: expect.stringContaining('"allowed":true') });
    expect((await configuration()).metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    expect(await createCloneSet()).toMatchObject({ spec: { revisionHistoryLimit: 10 } });
  });
});
