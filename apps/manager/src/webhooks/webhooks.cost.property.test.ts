/**
 * Every webhook, asked about large objects of every shape: it takes a time that grows with the bytes, whatever stands in them. A few hundred
 * shapes, spread over all paths and beginning with KRUISE_COST_SEED; all of them, some thousand, with FC_RUNS of at least 100,000.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatAdmissionReview, parseAdmissionReview, type AdmissionHandler } from '@kruise/admission';
import { defaultGates, podProbeMarkers, sidecarSets } from '@kruise/api';
import { Informers, SystemClock } from '@kruise/kube';
import { FakeApi, silentLogger } from '@kruise/kube/testing';
import { namespaces, nodes, parseLossless, pods, stringifyLossless } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { Caches } from '../caches/caches.ts';
import { modules } from '../kinds/index.ts';
import { createHandlers } from './handlers.ts';
import { growthsOf, inflated } from './inflated.testing.ts';
import { samples } from './samples.testing.ts';

const isThorough = Number(process.env['FC_RUNS'] ?? 0) >= 100_000;
const firstSeed = Number(process.env['KRUISE_COST_SEED'] ?? 0);
/** Of all shapes of a path, every so manieth is tried. */
const stride = isThorough ? 1 : 17;
const shapeBytes = 150_000;

/** Of CPU, so that other work on the machine does not count. */
const limitMs = 20;
const limitMsPerByte = 40e-6;
/** Where the cores are slow or shared, and for lists of thousands of faults, it is so many times what it costs to read and print the body. */
const mostRoundTrips = 25;

const sharing = { type: 'enabled' };
const mesh = {
  metadata: { name: 'mesh' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    initContainers: [{ name: 'mesh-init', image: 'mesh:1', shareVolumePolicy: sharing }],
    patchPodMetadata: [{ annotations: { note: '{"b":1}' }, patchPolicy: 'MergePatchJson' }],
    containers: [
      {
        name: 'mesh',
        image: 'mesh:1',
        shareVolumePolicy: sharing,
        shareVolumeDevicePolicy: sharing,
        transferEnv: [{ sourceContainerName: 'main', envName: 'FIRST', envNames: ['SECOND', 'NONE'] }],
        resourcesPolicy: {
          targetContainersMode: 'sum',
          targetContainersNameRegex: '^(main|app-.*|sec.*d|c[0-9]+).*[0-9]*$',
          resourcesExpr: { limits: { cpu: 'max(cpu*50%, 50m)' }, requests: { cpu: 'max(cpu*50%, 50m)' } },
        },
      },
    ],
  },
};
const marker = {
  metadata: { name: 'm', namespace: 'ns' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    probes: [{ name: 'p', containerName: 'main', probe: { exec: { command: ['true'] } }, podConditionType: 'example.com/c' }],
  },
};

const stop = new AbortController();
let handlers: readonly AdmissionHandler[];

beforeAll(async () => {
  const client = new FakeApi();
  client.seed(namespaces, { metadata: { name: 'ns' } });
  const pod = aPod({ name: 'p', namespace: 'ns', node: 'node1' });
  const { resourceVersion: _version, uid: _uid, ...metadata } = pod.metadata;
  client.seed(pods, { ...pod, metadata });
  client.seed(nodes, { metadata: { name: 'node1' } });
  client.seed(sidecarSets, mesh as never);
  client.seed(podProbeMarkers, marker);
  const informers = new Informers({ client, clock: new SystemClock(), logger: silentLogger() });
  const gates = { ...defaultGates, ImagePullJobGate: true, EnablePodProbeMarkerOnServerless: true };
  const dependencies = { client, caches: new Caches(informers, ''), gates, podNamespace: 'kruise-system', allowPrivileged: true };
  handlers = createHandlers(modules, dependencies, () => true);
  void informers.run(stop.signal);
  await informers.waitForSync(stop.signal);
});
afterAll(() => stop.abort());

const kindOf = (path: string): string => path.slice(path.lastIndexOf('-') + 1);
const alphaOnly: ReadonlySet<string> = new Set(['podprobemarker', 'ephemeraljob']);

function reviewOf(path: string, object: object, oldObject?: object): Buffer {
  const isPod = kindOf(path) === 'pod';
  const [group, version] = isPod ? ['', 'v1'] : ['apps.kruise.io', alphaOnly.has(kindOf(path)) ? 'v1alpha1' : 'v1beta1'];
  const types = { apiVersion: isPod ? 'v1' : `${group}/${version}`, kind: 'X' };
  const request = {
    uid: 'u',
    kind: { group, version, kind: 'X' },
    resource: { group, version, resource: isPod ? 'pods' : 'x' },
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    namespace: 'ns',
    object: { ...types, ...object },
    oldObject: oldObject && { ...types, ...oldObject },
  };
  return Buffer.from(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }));
}

async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function answer(handler: AdmissionHandler, body: Buffer): Promise<string> {
  const review = parseAdmissionReview(body, 'application/json');
  if (review.kind === 'Faulty') throw new Error(review.message);
  return formatAdmissionReview('admission.k8s.io/v1', 'u', await handler.decide(review.request, stop.signal), review.request);
}

/** @returns what was too dear, in words; undefined when nothing was */
async function costOf(handler: AdmissionHandler, body: Buffer, shape: string): Promise<string | undefined> {
  let most = limitMs + limitMsPerByte * body.length;
  const tries: number[] = [];
  // A collection of garbage, or code that runs for the first time, may fall into one try.
  while (tries.length < 3 && Math.min(...tries) > most) {
    tries.push(await cpuMsOf(() => answer(handler, body)));
    if (Math.min(...tries) <= most) return undefined;
    const roundTrip = await cpuMsOf(() => stringifyLossless(parseLossless(body.toString())));
    most = Math.max(most, limitMs + mostRoundTrips * roundTrip);
  }
  if (Math.min(...tries) <= most) return undefined;
  return `${handler.path} ${shape}: ${tries.map(Math.round).join(', ')} ms of CPU for ${body.length} bytes, ${Math.round(most)} ms are allowed`;
}

const metadata = {
  name: 'n',
  namespace: 'ns',
  labels: { app: 'web' },
  annotations: { note: '{"a":{"b":1}}' },
  finalizers: ['example.com/c'],
  ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u' }],
};
const sampleOf = (path: string): object => ({ metadata, spec: samples[kindOf(path)] });

/** Shapes that only several members together make. */
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const pairedShapes: Readonly<Record<string, (bytes: number) => object>> = {
  'variables that sub paths name': (bytes) => {
    const all = numbers(bytes / 95);
    const env = all.map((index) => ({ name: `N${index}`, value: `$(N${index + 1})` }));
    const volumeMounts = all.map((index) => ({ name: 'work', mountPath: `/m${index}`, subPathExpr: `$(N${index})` }));
    return { containers: [{ name: 'main', image: 'a:1', env, volumeMounts }] };
  },
  'one sub path that names all variables': (bytes) => {
    const all = numbers(bytes / 34);
    const env = all.map((index) => ({ name: `N${index}`, value: 'x' }));
    const subPathExpr = all.map((index) => `$(N${index})`).join('/');
    return { containers: [{ name: 'main', image: 'a:1', env, volumeMounts: [{ name: 'work', mountPath: '/m', subPathExpr }] }] };
  },
  'references that do not end': (bytes) => ({
    containers: [{ name: 'main', image: 'a:1', volumeMounts: [{ name: 'w', mountPath: '/m', subPathExpr: '$(A'.repeat(bytes / 3) }] }],
  }),
  'a long name of a container': (bytes) => ({
    containers: [
      { name: `app-${'a'.repeat(bytes)}`, image: 'a:1' },
      { name: 'main', image: 'a:1' },
    ],
  }),
  'many containers with variables': (bytes) => ({
    containers: numbers(bytes / 120).map((index) => ({
      name: `c${index}`,
      image: 'a:1',
      env: [{ name: 'KRUISE_CONTAINER_PRIORITY', value: `${index}` }],
    })),
  }),
  'containers and init containers of the same names': (bytes) => {
    const containers = numbers(bytes / 70).map((index) => ({ name: `c${index}`, image: 'a:1' }));
    return { containers, initContainers: containers };
  },
};

describe('the webhooks', () => {
  it.each(Object.keys(pairedShapes))('take a Pod of up to 3 MiB with %s in a time that grows with its bytes', async (name) => {
    const handler = handlers.find(({ path }) => path === '/mutate-pod') as AdmissionHandler;
    const dear: (string | undefined)[] = [];
    for (const bytes of [10_000, 200_000, 3 * 2 ** 20]) {
      const body = reviewOf('/mutate-pod', { metadata, spec: pairedShapes[name]?.(bytes) });
      dear.push(await costOf(handler, body, name));
    }
    expect(dear.filter((text) => text !== undefined)).toEqual([]);
  });

  it('take objects of every shape in a time that grows with their bytes', async () => {
    const dear: string[] = [];
    let tried = 0;
    for (const handler of handlers.filter(({ path }) => kindOf(path) in samples)) {
      const sample = sampleOf(handler.path);
      await answer(handler, reviewOf(handler.path, sample)); // its code has run before it is measured
      const growths = growthsOf(sample);
      for (let index = firstSeed % stride; index < growths.length; index += stride) {
        const growth = growths[index] as (typeof growths)[number];
        const object = inflated(sample, growth, shapeBytes) as object;
        const isUpdate = index % 2 === 1 && handler.path !== '/mutate-pod';
        const body = reviewOf(handler.path, object, isUpdate ? (inflated(sample, growth, shapeBytes - 1000) as object) : undefined);
        const cost = await costOf(handler, body, `${growth.how} at ${growth.place.join('.')}`);
        if (cost !== undefined) dear.push(cost);
        tried++;
      }
    }
    expect(dear).toEqual([]);
    expect(tried).toBeGreaterThan(100);
  }, 120_000);

  it('are all asked about a sample', () => {
    expect(handlers.map(({ path }) => kindOf(path)).filter((kind) => !(kind in samples))).toEqual([]);
  });
});
