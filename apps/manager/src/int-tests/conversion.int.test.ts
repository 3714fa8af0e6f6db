/** Objects of every kind with two versions between them, on a real API server: those that an older release has stored, many, and those that v1alpha1 cannot say. */
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebhookServer } from '@kruise/admission';
import { allKinds, converters } from '@kruise/api';
import { silentLogger } from '@kruise/kube/testing';
import { createAuthority, issueCertificate, type ControlPlane } from '@kruise/testing';
import { convert } from '../webhooks/handlers.ts';
import { hubOnly } from '../webhooks/properties/hub-only.testing.ts';
import { startInstalledPlane, type Manifest } from './processes/installed-plane.testing.ts';

interface Version {
  readonly name: string;
  readonly storage: boolean;
}
interface Crd extends Manifest {
  readonly spec: { readonly conversion?: { readonly strategy: string; readonly webhook?: object }; readonly versions: readonly Version[] };
  readonly status?: { readonly storedVersions?: readonly string[] };
}
interface Answer {
  readonly apiVersion: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: object;
  readonly items: readonly Answer[];
}

const [alpha, beta] = ['v1alpha1', 'v1beta1'];
const kinds = allKinds.filter(({ group, kind }) => converters.has(`${group}/${kind}`));
type Kind = (typeof kinds)[number];

const selector = { matchLabels: { app: 'web' } };
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'x:1' }] } };
const targetRef = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' };
const policies = { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 10 }, podSelector: selector };

/** As v1alpha1 says it; what the versions say differently is in them. */
const alphaSpecs: Readonly<Record<string, object>> = {
  AdvancedCronJob: { schedule: '@hourly', template: { broadcastJobTemplate: { spec: { template } } } },
  BroadcastJob: { template, parallelism: '50%', completionPolicy: { type: 'Never' } },
  CloneSet: { selector, template, replicas: 3, updateStrategy: { type: 'InPlaceIfPossible', partition: 2, maxUnavailable: '20%' } },
  ContainerRecreateRequest: { podName: 'web-0', containers: [{ name: 'main' }], strategy: { failurePolicy: 'Ignore' } },
  DaemonSet: {
    selector,
    template,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { rollingUpdateType: 'Standard', partition: 1 } },
  },
  ImageListPullJob: { images: ['a', 'b'], ...policies },
  ImagePullJob: { image: 'a', parallelism: 2, ...policies },
  NodeImage: { images: { a: { tags: [{ tag: '1', createdAt: '2026-01-01T00:00:00Z' }] } } },
  PersistentPodState: { targetRef, requiredPersistentTopology: { nodeTopologyKeys: ['kubernetes.io/hostname'] } },
  PodUnavailableBudget: { selector, maxUnavailable: '30%' },
  ResourceDistribution: {
    resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'b' } },
    targets: { includedNamespaces: { list: [{ name: 'default' }] } },
  },
  SidecarSet: { selector, containers: [{ name: 'side', image: 'y' }], updateStrategy: { type: 'RollingUpdate' } },
  StatefulSet: { selector, template, replicas: 2, serviceName: 'web', updateStrategy: { rollingUpdate: { partition: 1 } } },
  UnitedDeployment: {
    selector,
    template: { statefulSetTemplate: { spec: { selector, template } } },
    topology: { subsets: [{ name: 'a' }] },
  },
  WorkloadSpread: { targetRef, subsets: [{ name: 'zone-a', maxReplicas: 3 }] },
};

const authority = createAuthority('conversion-ca');
let server: WebhookServer;
let plane: ControlPlane;

const pathOf = ({ group, plural, namespaced }: Kind, version = '', name = ''): string =>
  `/apis/${group}/${version}/${namespaced ? 'namespaces/default/' : ''}${plural}${name === '' ? '' : `/${name}`}`;
const crdPath = ({ plural, group }: Kind): string => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${group}`;
const kindOf = (name: string): Kind => kinds.find(({ kind }) => kind === name) as Kind;
const read = async (path: string): Promise<Answer> => (await plane.api.request(path)) as Answer;
const write = async (method: 'POST' | 'PUT', path: string, body: object): Promise<Answer> =>
  (await plane.api.request(path, { method, body })) as Answer;
const create = (kind: Kind, version: string | undefined, name: string, spec: object): Promise<Answer> => {
  const head = { apiVersion: `${kind.group}/${version}`, kind: kind.kind };
  return write('POST', pathOf(kind, version), { ...head, metadata: { name }, spec });
};

/** The version that etcd holds an object in. */
async function storedAs({ group, plural, namespaced }: Kind, name: string): Promise<string> {
  const key = Buffer.from(`/registry/${group}/${plural}/${namespaced ? 'default/' : ''}${name}`).toString('base64');
  const answer = await fetch(`${plane.etcdServer}/v3/kv/range`, { method: 'POST', body: JSON.stringify({ key }) });
  const { kvs = [] } = (await answer.json()) as { readonly kvs?: readonly { readonly value: string }[] };
  const held = JSON.parse(Buffer.from(kvs[0]?.value ?? '', 'base64').toString()) as Answer;
  return held.apiVersion;
}

const withStorage = (crd: Crd, storage: string | undefined): Crd => ({
  ...crd,
  spec: { ...crd.spec, versions: crd.spec.versions.map((version) => ({ ...version, storage: version.name === storage })) },
});

/** Only the CRDs, converted by this process, and stored as an older release stored them. */
function install(manifest: Manifest): Manifest | undefined {
  if (manifest.kind !== 'CustomResourceDefinition') return undefined;
  const crd = manifest as Crd;
  if (crd.spec.conversion?.strategy !== 'Webhook') return crd;
  const { port } = server.server.address() as AddressInfo;
  const clientConfig = { url: `https://127.0.0.1:${port}/convert`, caBundle: Buffer.from(authority.certificatePem).toString('base64') };
  const conversion = { ...crd.spec.conversion, webhook: { ...crd.spec.conversion.webhook, clientConfig } };
  return withStorage({ ...crd, spec: { ...crd.spec, conversion } }, alpha);
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not so after 120 s`);
    await sleep(50);
  }
}

beforeAll(async () => {
  const { certificatePem: cert, keyPem: key } = issueCertificate(authority, { commonName: 'webhook', ipAddresses: ['127.0.0.1'] });
  const metrics = { started: () => undefined, finished: () => undefined, panicked: () => undefined };
  server = new WebhookServer({ handlers: [], convert, metrics, logger: silentLogger(), keyPair: { cert, key } });
  await new Promise<void>((done) => server.server.listen(0, '127.0.0.1', done));
  plane = await startInstalledPlane({ simulatedNodes: 0, controllers: false, edit: install });
});
afterAll(async () => {
  await plane?.stop();
  await server.stop(100);
});

describe('conversion on a real API server', () => {
  const made = new Map<string, Answer>();

  it.each(kinds.map(({ kind }) => kind))('stores a %s as v1alpha1 while that is the version to store', async (name) => {
    const kind = kindOf(name);
    made.set(name, await create(kind, alpha, 'old', alphaSpecs[name] ?? {}));
    expect(await storedAs(kind, 'old')).toBe(`${kind.group}/${alpha}`);
  });

  it('continues when the storage version becomes v1beta1', async () => {
    for (const kind of kinds) await write('PUT', crdPath(kind), withStorage((await plane.api.request(crdPath(kind))) as Crd, beta));
    for (const kind of kinds) {
      const stored = async (): Promise<readonly string[]> => ((await plane.api.request(crdPath(kind))) as Crd).status?.storedVersions ?? [];
      await until(`${kind.kind} is stored anew`, async () => (await stored()).includes('v1beta1'));
      expect(await stored()).toEqual([alpha, beta]);
    }
  });

  it.each(kinds.map(({ kind }) => kind))(
    'reads a stored v1alpha1 %s in both versions, and a write through either loses nothing',
    async (name) => {
      const kind = kindOf(name);
      const before = made.get(name) as Answer;
      const hub = convert({ ...before, kind: name }, `${kind.group}/${beta}`);
      if (hub.kind === 'Failed') throw new Error(hub.message);
      const { spec: hubSpec } = hub.object as unknown as Answer;
      expect(Object.keys(before.spec)).not.toEqual([]);
      expect(await read(pathOf(kind, alpha, 'old'))).toMatchObject({ apiVersion: `${kind.group}/${alpha}`, spec: before.spec });
      const asBeta = await read(pathOf(kind, beta, 'old'));
      expect([asBeta.apiVersion, asBeta.metadata.uid]).toEqual([`${kind.group}/${beta}`, before.metadata.uid]);
      expect(asBeta.spec).toEqual(hubSpec);

      const labelled = (object: Answer, label: string): object => ({ ...object, metadata: { ...object.metadata, labels: { by: label } } });
      await until('it is stored as v1beta1', async () => {
        const held = await read(pathOf(kind, alpha, 'old'));
        await write('PUT', pathOf(kind, alpha, 'old'), labelled(held, `alpha-${held.metadata.resourceVersion}`));
        return (await storedAs(kind, 'old')) === `${kind.group}/${beta}`;
      });
      await write('PUT', pathOf(kind, beta, 'old'), labelled(await read(pathOf(kind, beta, 'old')), 'beta'));
      expect((await read(pathOf(kind, alpha, 'old'))).spec).toEqual(before.spec);
      expect((await read(pathOf(kind, beta, 'old'))).spec).toEqual(hubSpec);
      expect(await storedAs(kind, 'old')).toBe(`${kind.group}/${beta}`);
    },
  );

  it('lists 500 objects in the version that they are not stored in', async () => {
    const kind = kindOf('CloneSet');
    const names = Array.from({ length: 500 }, (_, index) => `many-${index}`);
    for (let from = 0; from < names.length; from += 50)
      await Promise.all(names.slice(from, from + 50).map((name) => create(kind, beta, name, { selector, template, replicas: 1 })));
    expect(await storedAs(kind, 'many-499')).toBe('apps.kruise.io/v1beta1');
    const { items, metadata } = await read(`${pathOf(kind, alpha)}`);
    const many = items.filter(({ metadata: { name } }) => name.startsWith('many-'));
    expect(many.map((item) => item.metadata.name).sort()).toEqual([...names].sort());
    expect(new Set(many.map((item) => item.apiVersion))).toEqual(new Set(['apps.kruise.io/v1alpha1']));
    expect(many.every(({ spec }) => spec['replicas'] === 1 && spec['template'] !== undefined)).toBe(true);
    expect(metadata.resourceVersion).toMatch(/^\d+$/);
  });

  it.each(hubOnly)(
    'of a $kind that v1alpha1 cannot say carries what it cannot say, also in a list',
    async ({ kind: name, spec, status }) => {
      const kind = kindOf(name);
      const created = await create(kind, beta, 'odd', spec);
      const reported = { ...created, kind: name, status };
      const stored = status === undefined ? created : await write('PUT', `${pathOf(kind, beta, 'odd')}/status`, reported);
      const namesIn = async (version: string | undefined): Promise<readonly string[]> => {
        const { items } = await read(pathOf(kind, version));
        return items.map((item) => item.metadata.name).filter((one) => !one.startsWith('many-'));
      };
      expect([(await namesIn(alpha)).toSorted(), (await namesIn(beta)).toSorted()]).toEqual([
        ['odd', 'old'],
        ['odd', 'old'],
      ]);
      const seen = await read(pathOf(kind, alpha, 'odd'));
      expect(seen.metadata.annotations).toHaveProperty(['apps.kruise.io/v1beta1-members']);
      await write('PUT', pathOf(kind, alpha, 'odd'), seen);
      const { spec: backSpec, status: backStatus } = await read(pathOf(kind, beta, 'odd'));
      expect([backSpec, backStatus]).toEqual([stored.spec, stored.status]);
      expect((await read(pathOf(kind, alpha, 'old'))).spec).toEqual((made.get(name) as Answer).spec);
      await plane.api.request(pathOf(kind, beta, 'odd'), { method: 'DELETE' });
      expect(await namesIn(alpha)).toEqual(['old']);
    },
  );
});
