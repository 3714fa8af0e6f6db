/** Request bodies that no honest API server sends, made from a seed. */
import { converters, deletionProtectionDeclaration, labels } from '@kruise/api';

/** Numbers from 0 to below 1; the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = () => number;
const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;

const nasty: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53 + 2,
  '',
  'a'.repeat(64),
  `${'a'.repeat(30_000)}!`,
  `${'a-'.repeat(20_000)}`,
  `${'0'.repeat(20_000)}m`,
  `${'1'.repeat(20_000)}%`,
  `${'/'.repeat(20_000)}`,
  `${'a.'.repeat(10_000)}example/${'x:'.repeat(10_000)}`,
  `$(${'A'.repeat(20_000)}`,
  `*/${'1,'.repeat(20_000)}`,
  '\u0000\uFFFF\u{1F600}',
  '__proto__',
  [],
  {},
  [[[[]]]],
  ['a', 'a', 'a'],
  { constructor: { prototype: { polluted: true } } },
  { matchLabels: { [`${'a'.repeat(300)}/${'b'.repeat(300)}`]: 'c'.repeat(300) } },
  { matchExpressions: [{ key: 'a', operator: 'In', values: Array.from({ length: 2000 }, (_, index) => `v${index}`) }] },
];

const container = {
  name: 'main',
  image: 'nginx:1',
  env: [{ name: 'A', value: 'b' }],
  ports: [{ containerPort: 80 }],
  resources: { limits: { cpu: '1', memory: '1Gi' } },
};
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [container], volumes: [{ name: 'v', emptyDir: {} }] } };
const spec = {
  ...template.spec,
  replicas: 3,
  selector: { matchLabels: { app: 'web' } },
  template,
  updateStrategy: {
    type: 'RollingUpdate',
    partition: '50%',
    rollingUpdate: { maxUnavailable: '20%' },
    selector: { matchLabels: { a: 'b' } },
  },
  scaleStrategy: { podsToDelete: ['a'] },
  lifecycle: { preDelete: { labelsHandler: { a: 'b' } } },
  injectionStrategy: { revision: { customVersion: '1' } },
  patchPodMetadata: [{ annotations: { a: '{"b":1}' }, patchPolicy: 'MergePatchJson' }],
  schedule: '*/5 * * * *',
  image: 'nginx:1',
  images: ['nginx:1', 'busybox'],
  podSelector: { selector: { matchLabels: { app: 'web' } } },
  completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 10 },
  probes: [{ name: 'p', containerName: 'main', probe: { exec: { command: ['true'] } }, podConditionType: 'x/y' }],
  podName: 'p',
};

const app = { matchLabels: { app: 'web' } };
const completionPolicy = { type: 'Always', ttlSecondsAfterFinished: 10 };
const { containers, volumes } = template.spec;
const barrier = { name: 'KRUISE_CONTAINER_PRIORITY', value: '1' };

/** What is admitted, by the end of the path: the rules behind the first check see something, too. */
const sound: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  cloneset: {
    replicas: 3,
    selector: app,
    template,
    scaleStrategy: { podsToDelete: ['a'] },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: '50%', maxUnavailable: '20%' } },
    lifecycle: { preDelete: { labelsHandler: { a: 'b' } } },
  },
  containerrecreaterequest: { podName: 'p', containers: [{ name: 'main' }], strategy: {} },
  nodeimage: { images: { nginx: { tags: [{ tag: '1', createdAt: '2026-01-01T00:00:00Z' }] } } },
  imagepulljob: { image: 'nginx:1', podSelector: app, completionPolicy },
  imagelistpulljob: { images: ['nginx:1', 'busybox'], podSelector: app, completionPolicy },
  podprobemarker: {
    selector: app,
    probes: [{ name: 'p', containerName: 'main', probe: { exec: { command: ['true'] } }, podConditionType: 'example.com/y' }],
  },
  ephemeraljob: { selector: app, template: { ephemeralContainers: [{ name: 'debug', image: 'nginx:1', targetContainerName: 'main' }] } },
  sidecarset: {
    selector: app,
    containers: [{ name: 'side', image: 'nginx:1', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
    volumes,
    updateStrategy: { type: 'RollingUpdate', partition: '50%', maxUnavailable: '20%' },
  },
  resourcedistribution: {
    resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: '1' } },
    targets: { includedNamespaces: { list: [{ name: 'a' }] } },
  },
  pod: { containers: [...containers, { ...container, name: 'second', env: [barrier] }], volumes },
};
/** Webhooks that are asked about labelled objects of Kubernetes, when they are deleted. */
const guards: ReadonlySet<string> = new Set(deletionProtectionDeclaration.webhooks.map(({ path }) => path));
const alphaOnly: ReadonlySet<string> = new Set(['podprobemarker', 'ephemeraljob']);

/** Replaces a member somewhere inside, or adds one. */
function mutate(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.15) return pick(random, nasty);
  if (Array.isArray(value)) {
    if (value.length === 0 || random() < 0.2) return [...(value as readonly unknown[]), pick(random, nasty)];
    const at = Math.floor(random() * value.length);
    return value.map((one: unknown, index) => (index === at ? mutate(one, random) : one));
  }
  const keys = Object.keys(value);
  if (keys.length === 0 || random() < 0.15)
    return { ...value, [pick(random, ['x', 'labels', 'annotations', 'name', 'image', 'type'])]: pick(random, nasty) };
  const key = pick(random, keys);
  return { ...value, [key]: mutate((value as Readonly<Record<string, unknown>>)[key], random) };
}

function mutatedUpTo3Times(object: object, random: Random): unknown {
  let changed: unknown = object;
  for (let changes = Math.floor(random() * 4); changes > 0; changes--) changed = mutate(changed, random);
  return changed;
}

/** `<group>/<kind>` of what has two versions, and a kind that has none. */
const convertible = [...converters.keys(), 'apps.kruise.io/X'];

function conversionReview(random: Random): object {
  const [group = '', kind = ''] = pick(random, convertible).split('/');
  const [from, to] = random() < 0.5 ? ['v1alpha1', 'v1beta1'] : ['v1beta1', 'v1alpha1'];
  const metadata = { name: 'n', namespace: 'ns', labels: { app: 'web' }, annotations: {} };
  const object = {
    apiVersion: `${group}/${from}`,
    kind,
    metadata,
    spec,
    status: { replicas: 1, conditions: [{ type: 'A', status: 'True' }] },
  };
  const objects = Array.from({ length: Math.floor(random() * 3) }, () => mutatedUpTo3Times(object, random));
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: 'u', desiredAPIVersion: `${group}/${to}`, objects: [object, ...objects] },
  };
}

function reviewFor(path: string, random: Random): object {
  if (path === '/convert') return conversionReview(random);
  const kind = path.slice(path.lastIndexOf('-') + 1);
  const isSound = random() < 0.5;
  const ofOurs = isSound && alphaOnly.has(kind) ? 'v1alpha1' : pick(random, ['v1alpha1', 'v1beta1']);
  const isGuard = guards.has(path);
  const isBuiltIn = isGuard || path === '/mutate-pod';
  const version = isBuiltIn ? 'v1' : ofOurs;
  const group = isBuiltIn ? '' : 'apps.kruise.io';
  const operation = pick(random, isGuard ? ['DELETE', 'DELETE', 'DELETE', 'CREATE'] : ['CREATE', 'CREATE', 'UPDATE', 'UPDATE', 'DELETE']);
  const protection = isGuard ? { [labels.deleteProtection]: pick(random, ['Always', 'Cascading', 'Weird']) } : {};
  const object = {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind: 'X',
    metadata: { name: 'n', namespace: 'ns', labels: { app: 'web', ...protection }, annotations: {} },
    spec: isSound ? (sound[kind] ?? spec) : spec,
  };
  const resource = path === '/mutate-pod' ? 'pods' : 'x';
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u',
      kind: { group, version, kind: 'X' },
      resource: { group, version, resource },
      operation,
      namespace: 'ns',
      userInfo: {},
      object: mutatedUpTo3Times(object, random),
      oldObject: operation === 'CREATE' ? null : isGuard && !isSound ? mutatedUpTo3Times(object, random) : object,
    },
  };
}

const bytes = (random: Random, length: number): Buffer => Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));

/** About one in a hundred is 3 MiB. */
export function bodyFor(path: string, random: Random): Buffer {
  const kind = random();
  const text = JSON.stringify(reviewFor(path, random));
  if (kind < 0.6) return Buffer.from(text);
  if (kind < 0.7) return Buffer.from(text.replace('"metadata":{', '"metadata":{"__proto__":{"polluted":true},"labels":{"__proto__":"x"},'));
  if (kind < 0.78) return Buffer.from(text.slice(0, Math.floor(random() * text.length)));
  if (kind < 0.86) return bytes(random, Math.floor(random() * 2000));
  if (kind < 0.93) return Buffer.from(text.replace('"spec":{', `"spec":{"deep":${'[{"a":'.repeat(30_000)}1${'}]'.repeat(30_000)},`));
  if (kind < 0.99) return Buffer.from(JSON.stringify(mutate(JSON.parse(text), random)));
  return Buffer.from(text.replace('"spec":{', `"spec":{"huge":"${'a'.repeat(3 * 1024 * 1024)}",`));
}
