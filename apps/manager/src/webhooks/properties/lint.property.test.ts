/** `kubectl-kruise lint` says of every new object what the API server and our webhooks say. FC_RUNS sets the number of objects of each kind and version. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AdmissionHandler, Decision } from '@kruise/admission';
import {
  admissionPaths,
  allKinds,
  conforms,
  defaultGates,
  objectSchema,
  parseGates,
  type Gates,
  type JsonSchema,
  type KindDeclaration,
  type VersionDeclaration,
} from '@kruise/api';
import { lintObjects, lintRules, type Finding } from '@kruise/insight/lint';
import { Informers, SystemClock } from '@kruise/kube';
import { FakeApi, silentLogger } from '@kruise/kube/testing';
import {
  isJsonObject,
  memberAt,
  mostListedErrors,
  nodes,
  objectsAt,
  pods,
  textAt,
  type JsonObject,
  type KubeObject,
} from '@kruise/objects';
import { aPod, casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { Caches } from '../../caches/caches.ts';
import { modules } from '../../kinds/index.ts';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { createHandlers } from '../handlers.ts';
import { newObjects } from './new-objects.testing.ts';

const numRuns = casesOf(65, 700);
const stop = new AbortController();
const seen = new Occurrences();

const everyGate = parseGates('AllAlpha=true,AllBeta=true');
if (everyGate.kind !== 'Parsed') throw new Error(everyGate.message);
const gatesOf: Readonly<Record<string, Gates>> = { 'the default gates': defaultGates, 'every gate': everyGate.gates };
const handlersOf = new Map<string, readonly AdmissionHandler[]>();

/** Containers of whatever Pod is requested: that a Pod exists is no matter of lint. */
let containersOfPod: readonly string[] = [];

function podCalled(name: string): KubeObject {
  const pod = aPod({ name, namespace: 'ns', node: 'node1' });
  const containerStatuses = containersOfPod.map((container) => ({ name: container, containerID: 'containerd://1', restartCount: 0 }));
  const containers = containersOfPod.map((container) => ({ name: container, image: 'a' }));
  return { ...pod, spec: { ...pod.spec, containers }, status: { ...pod.status, containerStatuses } } as unknown as KubeObject;
}

beforeAll(async () => {
  for (const [name, gates] of Object.entries(gatesOf)) {
    const api = new FakeApi();
    api.seed(nodes, { metadata: { name: 'node1' } });
    const client = {
      get: (type, key, options) => (type.kind === pods.kind ? Promise.resolve(podCalled(key.name)) : api.get(type, key, options)),
      raw: api.raw.bind(api),
      list: api.list.bind(api),
    } as HandlerDependencies['client'];
    const informers = new Informers({ client: api, clock: new SystemClock(), logger: silentLogger() });
    const dependencies: HandlerDependencies = {
      client,
      caches: new Caches(informers, ''),
      dryRuns: { create: () => Promise.resolve() },
      gates,
      podNamespace: 'kruise-system',
      allowPrivileged: true,
    };
    handlersOf.set(
      name,
      createHandlers(modules, dependencies, () => true),
    );
    void informers.run(stop.signal);
    await informers.waitForSync(stop.signal);
  }
});
afterAll(() => stop.abort());

/** What the API server keeps of a value that is sent. */
function kept(value: unknown, schema: JsonSchema): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => (schema.items === undefined ? item : kept(item, schema.items)));
  if (!isJsonObject(value) || (schema.properties === undefined && schema.type !== 'object')) return value;
  const { properties = {}, additionalProperties } = schema;
  const known = (name: string): JsonSchema | undefined => properties[name] ?? additionalProperties;
  const isDropped = (name: string, inner: unknown): boolean =>
    inner === null && (known(name)?.type ?? known(name)?.['x-kubernetes-int-or-string']) !== undefined;
  const members = Object.entries(value).filter(
    ([name, inner]) => (known(name) !== undefined || schema['x-kubernetes-preserve-unknown-fields'] === true) && !isDropped(name, inner),
  );
  const defaults = Object.entries(properties).flatMap(([name, one]) => (one.default === undefined ? [] : [[name, one.default] as const]));
  return {
    ...Object.fromEntries(defaults),
    ...Object.fromEntries(members.map(([name, inner]) => [name, kept(inner, known(name) ?? {})])),
  };
}

interface Expected {
  readonly isRefused: boolean;
  /** Of the webhooks, undefined when they are not asked, or say nothing. */
  readonly message?: string;
}

async function decide(
  kind: KindDeclaration,
  version: string,
  handlers: readonly AdmissionHandler[],
  object: JsonObject,
  verb: 'mutate' | 'validate',
) {
  const [path] = admissionPaths(kind, verb);
  const resource = { group: kind.group, version, resource: kind.plural };
  const request = {
    uid: 'r',
    kind: { group: kind.group, version, kind: kind.kind },
    resource,
    namespace: kind.namespaced ? 'ns' : '',
    name: textAt(object, 'metadata', 'name'),
    operation: 'CREATE' as const,
    userInfo: { username: 'jane' },
    object: object as unknown as KubeObject,
    dryRun: true,
  };
  return handlers.find((one) => one.path === path)?.decide(request, stop.signal);
}

const failure = (decision: Decision | undefined): string | undefined => (decision?.kind === 'Failed' ? decision.message : undefined);

/** The verdict of the API server: defaults, schema, validation. */
async function expectedOf(kind: KindDeclaration, version: VersionDeclaration, written: JsonObject, gates: string): Promise<Expected> {
  const handlers = handlersOf.get(gates) ?? [];
  const schema = objectSchema(kind, version);
  const sent = { ...(kept(written, schema) as JsonObject), metadata: written['metadata'] };
  containersOfPod = objectsAt(sent, 'spec', 'containers').map((container) => textAt(container, 'name'));
  const mutation = await decide(kind, version.name, handlers, sent, 'mutate');
  const complete = mutation?.kind === 'Changed' ? ({ ...mutation.object } as unknown as JsonObject) : sent;
  const replicas = version.scale === undefined ? 0 : Number(memberAt(complete, 'spec', 'replicas') ?? 0);
  const isScalable = !(replicas < 0 || replicas >= 2 ** 31);
  if (failure(mutation) === undefined && !(conforms(schema, complete) && isScalable)) return { isRefused: true };
  const message = failure(mutation) ?? failure(await decide(kind, version.name, handlers, complete, 'validate'));
  return message === undefined ? { isRefused: false } : { isRefused: true, message };
}

const isError = ({ id }: Finding): boolean => lintRules[id].severity === 'error';

/** What only the cluster answers has another text: it has no Pods and no revisions of an object that is new. */
const saysOtherwise = /find pod|owner is not this CloneSet|Cannot find specific ControllerRevision/;

describe.each(Object.keys(gatesOf))('lint with %s', (gates) => {
  const objects = allKinds.flatMap((kind) => kind.versions.map((version) => ({ name: `${kind.kind} ${version.name}`, kind, version })));

  it.each(objects)('says of every new $name what the webhooks say', async ({ kind, version }) => {
    const property = fc.asyncProperty(newObjects(kind, version), async (written) => {
      const { isRefused, message } = await expectedOf(kind, version, written, gates);
      const [findings = []] = lintObjects([written], { gates: gatesOf[gates] ?? defaultGates });
      const errors = findings.filter(isError);
      seen.note(`${kind.kind} ${isRefused ? 'refused' : 'admitted'}`);
      expect({ isRefused: errors.length > 0, errors, message }).toEqual({ isRefused, errors, message });
      if (message === undefined || saysOtherwise.test(message) || errors.length >= mostListedErrors) return;
      for (const error of errors.filter(({ id }) => id === 'KR004' || id === 'KR005')) expect(message).toContain(error.message);
    });
    await fc.assert(property, { numRuns });
  });
});

it('has admitted and refused objects of this run', () => {
  const admitted = allKinds.filter(({ admission }) => admission !== undefined);
  expect(admitted.length).toBeGreaterThan(15);
  for (const { kind } of admitted) seen.expectAtLeast({ [`${kind} admitted`]: 1, [`${kind} refused`]: 5 });
});
