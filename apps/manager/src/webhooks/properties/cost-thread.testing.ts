/**
 * Asks every webhook about large objects, in a thread as that of the webhooks: under Jest all code but the parser is slower than it is there.
 * `webhooks.cost.property.test.ts` says what is asked.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { answerConversionReview, formatAdmissionReview, parseAdmissionReview, type AdmissionHandler } from '@kruise/admission';
import { allConverters, defaultGates, deletionProtectionDeclaration, labels, podProbeMarkers, sidecarSets } from '@kruise/api';
import { Informers, SystemClock } from '@kruise/kube';
import { FakeApi, silentLogger } from '@kruise/kube/testing';
import { namespaces, nodes, pods, type JsonObject } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { Caches } from '../../caches/caches.ts';
import { modules } from '../../kinds/index.ts';
import { excessOf } from './cpu-budget.testing.ts';
import { convert, createHandlers } from '../handlers.ts';
import { growthsOf, inflated, type Growth } from './inflated.testing.ts';
import { pairedObjects, pairedPods, pairedSpecs } from './paired-shapes.testing.ts';
import { samples } from './samples.testing.ts';

/** What the thread is made with. */
export interface CostSettings {
  /** Every shape in every size. */
  readonly isThorough: boolean;
  /** Which shapes are tried otherwise. */
  readonly firstSeed: number;
}

/** What to ask about: a paired shape by its name, or the shapes in which one place has grown. */
export type CostQuestion =
  { readonly kind: 'Pod' | 'Spec' | 'Object'; readonly name: string } | { readonly kind: 'Shapes' | 'Conversions' | 'Samples' };

export interface CostAnswer {
  /** What was too dear, or for `Samples` the paths without one. */
  readonly excesses: readonly string[];
  readonly tried: number;
}

const { isThorough, firstSeed } = workerData as CostSettings;
const [smallBytes, middleBytes, largeBytes] = [10_000, 200_000, 3 * 2 ** 20];
/** A large object takes as long as a dozen others. */
const oneInHowManyIsLarge = 12;

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

async function startHandlers(): Promise<readonly AdmissionHandler[]> {
  const client = new FakeApi();
  client.seed(namespaces, { metadata: { name: 'ns' } });
  const pod = aPod({ name: 'p', namespace: 'ns', node: 'node1' });
  const { resourceVersion: _version, uid: _uid, ...metadata } = pod.metadata;
  client.seed(pods, { ...pod, metadata });
  client.seed(nodes, { metadata: { name: 'node1' } });
  client.seed(sidecarSets, mesh as never);
  client.seed(podProbeMarkers, marker);
  const informers = new Informers({ client, clock: new SystemClock(), logger: silentLogger() });
  const gates = {
    ...defaultGates,
    ImagePullJobGate: true,
    EnablePodProbeMarkerOnServerless: true,
    ResourceDistributionGate: true,
    ResourcesDeletionProtection: true,
    DeletionProtectionForCRDCascadingGate: true,
  };
  const dryRuns = { create: () => Promise.resolve() };
  const dependencies = { client, dryRuns, caches: new Caches(informers, ''), gates, podNamespace: 'kruise-system', allowPrivileged: true };
  const made = createHandlers(modules, dependencies, () => true);
  void informers.run(stop.signal);
  await informers.waitForSync(stop.signal);
  return made;
}

const handlers = await startHandlers();

const kindOf = (path: string): string => path.slice(path.lastIndexOf('-') + 1);
/** Webhooks that review deletions; their request has only the deleted object. */
const guards: ReadonlySet<string> = new Set(deletionProtectionDeclaration.webhooks.map(({ path }) => path));
const alphaOnly: ReadonlySet<string> = new Set(['podprobemarker', 'ephemeraljob']);

function reviewOf(path: string, object: object, oldObject?: object): Buffer {
  const isPod = kindOf(path) === 'pod';
  const isGuard = guards.has(path);
  const [group, version] = isPod || isGuard ? ['', 'v1'] : ['apps.kruise.io', alphaOnly.has(kindOf(path)) ? 'v1alpha1' : 'v1beta1'];
  const types = { apiVersion: group === '' ? 'v1' : `${group}/${version}`, kind: 'X' };
  const request = {
    uid: 'u',
    kind: { group, version, kind: 'X' },
    resource: { group, version, resource: isPod ? 'pods' : 'x' },
    operation: isGuard ? 'DELETE' : oldObject === undefined ? 'CREATE' : 'UPDATE',
    namespace: 'ns',
    ...(isGuard ? {} : { object: { ...types, ...object } }),
    oldObject: isGuard ? { ...types, ...object } : oldObject && { ...types, ...oldObject },
  };
  return Buffer.from(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }));
}

async function answer(handler: AdmissionHandler, body: Buffer): Promise<string> {
  const review = parseAdmissionReview(body, 'application/json');
  if (review.kind === 'Faulty') throw new Error(review.message);
  return formatAdmissionReview('admission.k8s.io/v1', 'u', await handler.decide(review.request, stop.signal), review.request);
}

/** What was too dear, in words. */
type Excesses = string[];

async function admit(handler: AdmissionHandler, body: Buffer, shape: string, excesses: Excesses): Promise<void> {
  const excess = await excessOf(body, () => answer(handler, body));
  if (excess !== undefined) excesses.push(`${handler.path} ${shape}: ${excess}`);
}

const apiVersionsOf = (group: string): readonly [string, string] => [`${group}/v1alpha1`, `${group}/v1beta1`];

async function convertOne(object: JsonObject, shape: string, excesses: Excesses): Promise<void> {
  const [group = ''] = String(object['apiVersion']).split('/');
  const desiredAPIVersion = apiVersionsOf(group).find((version) => version !== object['apiVersion']);
  const request = { uid: 'u', desiredAPIVersion, objects: [object] };
  const body = Buffer.from(JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request }));
  const work = { convert, objectLimit: 2 * largeBytes, turn: () => Promise.resolve() };
  const excess = await excessOf(body, async () => {
    const { kind } = await answerConversionReview(body, work);
    if (kind !== 'Answered') throw new Error(`the review was not answered: ${kind}`);
    return undefined;
  });
  if (excess !== undefined) excesses.push(`${String(object['kind'])} to ${String(desiredAPIVersion)}, ${shape}: ${excess}`);
}

const metadata = {
  name: 'n',
  namespace: 'ns',
  labels: { app: 'web', [labels.deleteProtection]: 'Cascading' },
  annotations: { note: '{"a":{"b":1}}' },
  finalizers: ['example.com/c'],
  ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u' }],
};
const sampleOf = (path: string): object => ({ metadata, spec: samples[kindOf(path)] });

interface Trial {
  readonly growth: Growth;
  readonly shape: string;
  readonly bytes: number;
  readonly index: number;
}

/** @param stride of all shapes, every so manieth is tried, in one size */
function* trialsOf(sample: object, stride: number): Generator<Trial> {
  const growths = growthsOf(sample);
  const step = isThorough ? 1 : stride;
  for (let index = isThorough ? 0 : firstSeed % step; index < growths.length; index += step) {
    const growth = growths[index] as Growth;
    const shape = `${growth.how} at ${growth.place.join('.')}`;
    const isLarge = (firstSeed + index) % oneInHowManyIsLarge === 0;
    const one = isLarge ? largeBytes : index % 2 === 0 ? middleBytes : smallBytes;
    for (const bytes of isThorough ? [smallBytes, middleBytes, largeBytes] : [one]) yield { growth, shape, bytes, index };
  }
}

async function askAboutPod(name: string): Promise<CostAnswer> {
  const handler = handlers.find(({ path }) => path === '/mutate-pod') as AdmissionHandler;
  const excesses: Excesses = [];
  for (const bytes of [smallBytes, middleBytes, largeBytes])
    await admit(handler, reviewOf('/mutate-pod', { metadata, spec: pairedPods[name]?.(bytes) }), name, excesses);
  return { excesses, tried: 3 };
}

async function askAboutSpec(name: string): Promise<CostAnswer> {
  const [path, specOf] = pairedSpecs[name] as (typeof pairedSpecs)[string];
  const handler = handlers.find((one) => one.path === path) as AdmissionHandler;
  const excesses: Excesses = [];
  for (const bytes of [middleBytes, largeBytes]) {
    await admit(handler, reviewOf(path, { metadata, spec: specOf(bytes, 1) }), `${name}, created`, excesses);
    const [object, oldObject] = [1, 2].map((version) => ({ metadata, spec: specOf(bytes / 2, version) })) as [object, object];
    await admit(handler, reviewOf(path, object, oldObject), `${name}, updated`, excesses);
  }
  return { excesses, tried: 4 };
}

async function askAboutObject(name: string): Promise<CostAnswer> {
  const excesses: Excesses = [];
  for (const bytes of [middleBytes, largeBytes]) await convertOne(pairedObjects[name]?.(bytes) ?? {}, name, excesses);
  return { excesses, tried: 2 };
}

async function askAboutShapes(): Promise<CostAnswer> {
  const excesses: Excesses = [];
  let tried = 0;
  for (const handler of handlers.filter(({ path }) => kindOf(path) in samples)) {
    const sample = sampleOf(handler.path);
    await answer(handler, reviewOf(handler.path, sample)); // its code has run before it is measured
    for (const { growth, shape, bytes, index } of trialsOf(sample, 41)) {
      const isUpdate = index % 2 === 1 && handler.path !== '/mutate-pod';
      const objectOf = (size: number): object => inflated(sample, growth, size) as object;
      const body = isUpdate
        ? reviewOf(handler.path, objectOf(bytes / 2), objectOf(bytes / 2 - 1000))
        : reviewOf(handler.path, objectOf(bytes));
      await admit(handler, body, shape, excesses);
      tried++;
    }
  }
  return { excesses, tried };
}

async function askAboutConversions(): Promise<CostAnswer> {
  const excesses: Excesses = [];
  let tried = 0;
  for (const { group, kind } of allConverters)
    for (const apiVersion of apiVersionsOf(group)) {
      // A kind without a sample has much in common with a CloneSet: template, selector, strategies.
      const sample = { metadata, spec: samples[kind.toLowerCase()] ?? samples['cloneset'] };
      for (const { growth, shape, bytes } of trialsOf(sample, 101)) {
        await convertOne({ apiVersion, kind, ...(inflated(sample, growth, bytes) as object) }, shape, excesses);
        tried++;
      }
    }
  return { excesses, tried };
}

const withoutSample = (): CostAnswer => {
  const paths = handlers.map(({ path }) => path);
  return { excesses: paths.filter((path) => !(kindOf(path) in samples)), tried: paths.length };
};

function ask(question: CostQuestion): CostAnswer | Promise<CostAnswer> {
  switch (question.kind) {
    case 'Pod':
      return askAboutPod(question.name);
    case 'Spec':
      return askAboutSpec(question.name);
    case 'Object':
      return askAboutObject(question.name);
    case 'Shapes':
      return askAboutShapes();
    case 'Conversions':
      return askAboutConversions();
    case 'Samples':
      return withoutSample();
  }
}

parentPort?.on('message', (question: CostQuestion) => void Promise.resolve(ask(question)).then((given) => parentPort?.postMessage(given)));
parentPort?.postMessage('ready');
