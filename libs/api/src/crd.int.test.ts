/**
 * The generated CRDs on a real API server: it accepts each as structural, defaults, prunes and prints as declared, and accepts the answers of our
 * conversion.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { type ControlPlane, startControlPlane } from '@kruise/testing';
import { convertObject } from './convert.ts';
import { allKinds } from './kinds/index.ts';
import { cloneSetLabels } from './kinds/cloneset/names.ts';
import { crdName, customResourceDefinition } from './schema/crd.ts';
import type { KindDeclaration } from './schema/kind.ts';
import { annotations } from './well-known.ts';

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly JsonObject[] };
}

function answer({ apiVersion, kind, request }: Review): unknown {
  const results = request.objects.map((object) => convertObject(object, request.desiredAPIVersion));
  const failure = results.find((result) => result.kind === 'Failed');
  const result = failure === undefined ? { status: 'Success' } : { status: 'Failure', message: failure.message };
  const convertedObjects = results.flatMap((one) => (one.kind === 'Converted' ? [one.object] : []));
  return { apiVersion, kind, response: { uid: request.uid, result, ...(failure === undefined ? { convertedObjects } : {}) } };
}

/** Answers ConversionReviews on loopback, with the certificate of the API server. */
async function serveConversion(plane: ControlPlane): Promise<Server> {
  const [cert, key] = ['crt', 'key'].map((ending) => readFileSync(join(plane.pki.folder, `kube-apiserver.${ending}`), 'utf8'));
  const server = createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () =>
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify(answer(JSON.parse(Buffer.concat(chunks).toString()) as Review))),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

interface Installed {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[] };
}

let plane: ControlPlane;
let conversion: Server;

/** Returns the CRD with conversion pointed at this process. */
function installable(declaration: KindDeclaration): unknown {
  const crd = customResourceDefinition(declaration);
  if (crd.spec.conversion.strategy === 'None') return crd;
  const { port } = conversion.address() as AddressInfo;
  const clientConfig = {
    url: `https://127.0.0.1:${port}/convert`,
    caBundle: Buffer.from(plane.pki.authority.certificatePem).toString('base64'),
  };
  return {
    ...crd,
    spec: { ...crd.spec, conversion: { ...crd.spec.conversion, webhook: { ...crd.spec.conversion.webhook, clientConfig } } },
  };
}

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

async function established(declaration: KindDeclaration): Promise<Installed> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const crd = (await plane.api.request(`${crds}/${crdName(declaration)}`)) as Installed;
    if (crd.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true) return crd;
    if (performance.now() > deadline) throw new Error(`${declaration.kind} is not established: ${JSON.stringify(crd.status)}`);
    await sleep(50);
  }
}

beforeAll(async () => {
  plane = await startControlPlane();
  conversion = await serveConversion(plane);
  for (const declaration of allKinds) await plane.api.request(crds, { method: 'POST', body: installable(declaration) });
  for (const declaration of allKinds) {
    await established(declaration);
    for (const { name } of declaration.versions) await plane.waitFor(collection(declaration, name));
  }
});

afterAll(async () => {
  conversion?.closeAllConnections();
  conversion?.close();
  await plane?.stop();
});

const collection = ({ group, plural, namespaced }: KindDeclaration, version: string): string =>
  `/apis/${group}/${version}/${namespaced ? 'namespaces/default/' : ''}${plural}`;
const clonesets = (version: string): string => `/apis/apps.kruise.io/${version}/namespaces/default/clonesets`;
const statefulsets = (version: string): string => `/apis/apps.kruise.io/${version}/namespaces/default/statefulsets`;
const replace = async (path: string, body: unknown): Promise<Answer> => (await plane.api.request(path, { method: 'PUT', body })) as Answer;
const create = async (path: string, body: unknown): Promise<Answer> => (await plane.api.request(path, { method: 'POST', body })) as Answer;
const read = async (path: string): Promise<Answer> => (await plane.api.request(path)) as Answer;

/** The fields of an answer that the tests read. */
interface Answer {
  readonly metadata: {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation: number;
    readonly annotations?: unknown;
  };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly items?: readonly { readonly metadata: { readonly name: string } }[];
}

const selector = { matchLabels: { app: 'x' } };
const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'main', image: 'x:1', strange: 1 }] } };

describe('on a real API server', () => {
  it.each(allKinds.map((declaration) => ({ name: declaration.kind, declaration })))(
    '$name is established and structural',
    async ({ declaration }) => {
      const conditions = (await established(declaration)).status?.conditions ?? [];
      expect(conditions.filter(({ type }) => type === 'NonStructuralSchema')).toEqual([]);
      expect(conditions.filter(({ status }) => status !== 'True').map(({ type, message }) => `${type}: ${message}`)).toEqual([]);
    },
  );

  it('defaults and prunes a CloneSet, but not its template', async () => {
    const spec = { selector, template, scaleStrategy: {}, strange: 1 };
    const made = await create(clonesets('v1beta1'), {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'CloneSet',
      metadata: { name: 'pruned' },
      spec,
    });
    expect(made.spec).toEqual({ selector, template, scaleStrategy: { enablePVCReuse: false } });
  });

  describe('members of a template that no Kubernetes knows', () => {
    const [container] = template.spec.containers;
    const odd = {
      metadata: { ...template.metadata, odd: 1 },
      spec: { containers: [{ ...container, odd: { a: [] } }], odd: '' },
      odd: false,
    };
    const cloneSetOf = (name: string, more: object = {}): object => ({
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'CloneSet',
      metadata: { name },
      spec: { selector, template: odd, ...more },
    });

    it.each(['Ignore', 'Warn', 'Strict'])('are stored with field validation %s', async (fieldValidation) => {
      const name = `odd-${fieldValidation.toLowerCase()}`;
      await create(`${clonesets('v1beta1')}?fieldValidation=${fieldValidation}`, cloneSetOf(name));
      expect((await read(`${clonesets('v1beta1')}/${name}`)).spec['template']).toEqual(odd);
    });

    it('are stored by server-side apply', async () => {
      const path = `${clonesets('v1beta1')}/odd-applied`;
      const contentType = 'application/apply-patch+yaml';
      await plane.api.request(`${path}?fieldManager=me&fieldValidation=Strict`, {
        method: 'PATCH',
        contentType,
        body: cloneSetOf('odd-applied'),
      });
      expect((await read(path)).spec['template']).toEqual(odd);
    });

    it('are no reason for strict validation to take those of the CloneSet itself', async () => {
      await expect(create(`${clonesets('v1beta1')}?fieldValidation=Strict`, cloneSetOf('odd-itself', { odd: 1 }))).rejects.toMatchObject({
        message: expect.stringContaining('unknown field "spec.odd"'),
      });
    });
  });

  it('refuses a CloneSet without a selector', async () => {
    const without = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', metadata: { name: 'without' }, spec: { template } };
    await expect(create(clonesets('v1beta1'), without)).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('spec.selector: Required value'),
    });
  });

  it('gives a v1alpha1 CloneSet back in v1beta1 and lists it in both', async () => {
    const spec = {
      selector,
      template,
      updateStrategy: { type: 'InPlaceIfPossible', partition: 2, inPlaceUpdateStrategy: { gracePeriodSeconds: 3 } },
    };
    const metadata = {
      name: 'converted',
      labels: { [cloneSetLabels.scalingExcludePreparingDelete]: 'true' },
      annotations: { [annotations.preDownloadParallelism]: '4' },
    };
    const made = await create(clonesets('v1alpha1'), { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', metadata, spec });
    const hub = await read(`${clonesets('v1beta1')}/converted`);
    expect(hub.metadata).toMatchObject({ ...metadata, uid: made.metadata.uid, resourceVersion: made.metadata.resourceVersion });
    expect(hub.spec).toEqual({
      selector,
      template,
      scaleStrategy: { enablePVCReuse: true, excludePreparingDelete: true },
      updateStrategy: {
        type: 'RollingUpdate',
        rollingUpdate: {
          partition: 2,
          podUpdatePolicy: 'InPlaceIfPossible',
          inPlaceUpdateStrategy: { gracePeriodSeconds: 3, imagePreDownloadParallelism: 4 },
        },
      },
    });
    for (const version of ['v1alpha1', 'v1beta1']) {
      const names = (await read(clonesets(version))).items?.map(({ metadata: { name } }) => name);
      expect(names).toContain('converted');
    }
  });

  it('a write through v1alpha1 loses nothing of a v1beta1 StatefulSet', async () => {
    const spec = {
      selector,
      template,
      replicas: 1,
      reserveOrdinals: [1, '3-5'],
      ordinals: { start: 2 },
      lifecycle: { preDelete: { labelsHandler: { hold: 'on' }, markPodNotReady: true } },
    };
    const metadata = { name: 'kept', annotations: { mine: 'stays' } };
    const made = await create(statefulsets('v1beta1'), { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', metadata, spec });
    const alpha = await read(`${statefulsets('v1alpha1')}/kept`);
    expect(alpha.spec).toEqual({ selector, template, replicas: 1 });
    await replace(`${statefulsets('v1alpha1')}/kept`, { ...alpha, spec: { ...alpha.spec, replicas: 2 } });
    const after = await read(`${statefulsets('v1beta1')}/kept`);
    expect(after.spec).toEqual({ ...spec, replicas: 2 });
    expect(after.metadata.annotations).toEqual({ mine: 'stays' });
    expect(after.metadata.generation).toBe(made.metadata.generation + 1);
  });

  it('carries through v1alpha1 a template that it cannot say', async () => {
    const images = { imageListPullJobTemplate: { metadata: { labels: { kept: 'yes' } }, spec: { images: ['x:1'], completionPolicy: {} } } };
    const spec = { schedule: '@hourly', template: images };
    const path = (version: string): string => `/apis/apps.kruise.io/${version}/namespaces/default/advancedcronjobs`;
    const made = await create(path('v1beta1'), {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'AdvancedCronJob',
      metadata: { name: 'pull' },
      spec,
    });
    expect(made.spec['template']).toEqual(images);
    const alpha = await read(`${path('v1alpha1')}/pull`);
    expect(alpha.spec['template']).toEqual({});
    await replace(`${path('v1alpha1')}/pull`, { ...alpha, spec: { ...alpha.spec, schedule: '@daily' } });
    const after = await read(`${path('v1beta1')}/pull`);
    expect(after.spec).toEqual({ ...made.spec, schedule: '@daily' });
  });

  it('scales a CloneSet by its subresource', async () => {
    await create(clonesets('v1beta1'), {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'CloneSet',
      metadata: { name: 'scaled' },
      spec: { selector, template, replicas: 1 },
    });
    const scale = await read(`${clonesets('v1beta1')}/scaled/scale`);
    await replace(`${clonesets('v1beta1')}/scaled/scale`, { ...scale, spec: { replicas: 7 } });
    expect((await read(`${clonesets('v1beta1')}/scaled`)).spec['replicas']).toBe(7);
  });
});
