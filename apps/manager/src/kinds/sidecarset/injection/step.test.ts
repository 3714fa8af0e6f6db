import { afterEach, describe, expect, it } from '@jest/globals';
import { defaultGates, sidecarSets, type Gates, type SidecarSet } from '@kruise/api';
import { Informers } from '@kruise/kube';
import { apiFailures, FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { controllerRevisions, namespaces, type ControllerRevision, type KubeObject, type Pod } from '@kruise/objects';
import type { AdmissionRequest } from '@kruise/admission';
import type { PodStep, PodStepResult } from '../../../module/pod-step.ts';
import { versionBytes } from '@kruise/kinds/sidecarset';
import { aNewPod, aSidecarSet, namesOf, sidecar } from '@kruise/kinds/sidecarset/injection/injection.testing';
import { sidecarInjectionStep } from './step.ts';
import { Caches } from '../../../caches/caches.ts';

const podNamespace = 'kruise-system';
const stops: AbortController[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop.abort()));

const namespace = (name: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name, ...labels } },
});

/** A revision of a SidecarSet as the controller writes it. */
const revisionOf = (set: SidecarSet, revision: number, customVersion?: string): ControllerRevision => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: {
    name: `${set.metadata.name}-r${revision}`,
    namespace: podNamespace,
    labels: {
      'kruise.io/sidecarset-name': set.metadata.name,
      ...(customVersion === undefined ? {} : { 'apps.kruise.io/sidecarset-custom-version': customVersion }),
    },
    ...(set.metadata.annotations === undefined ? {} : { annotations: set.metadata.annotations }),
  },
  data: JSON.parse(versionBytes(set.spec)) as unknown,
  revision,
});

interface Fixture {
  readonly sets?: readonly SidecarSet[];
  readonly revisions?: readonly ControllerRevision[];
  readonly gates?: Partial<Gates>;
}

class Cluster {
  readonly client = new FakeApi();
  readonly informers = new Informers({ client: this.client, clock: new FakeClock(), logger: silentLogger() });
  readonly #stop = new AbortController();
  readonly #step: PodStep;
  readonly clock = new FakeClock();

  constructor(gates: Partial<Gates> = {}) {
    stops.push(this.#stop);
    const { client, informers } = this;
    this.#step = sidecarInjectionStep({
      client,
      caches: new Caches(informers, ''),
      podNamespace,
      gates: { ...defaultGates, ...gates },
      clock: this.clock,
    });
  }

  static async of({ sets = [], revisions = [], gates }: Fixture): Promise<Cluster> {
    const cluster = new Cluster(gates);
    for (const name of ['default', 'other']) await cluster.client.create(namespaces, namespace(name, { team: name }));
    for (const set of sets) await cluster.client.create(sidecarSets, set);
    for (const revision of revisions) await cluster.client.create(controllerRevisions, revision);
    void cluster.informers.run(cluster.#stop.signal);
    await cluster.informers.waitForSync(cluster.#stop.signal);
    return cluster;
  }

  /** When the caches know what the server knows. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  async create(pod: Pod, uid = 'request'): Promise<PodStepResult> {
    const request: AdmissionRequest = {
      uid,
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      operation: 'CREATE',
      userInfo: {},
      object: pod,
    };
    return this.#step.apply(pod, request, this.#stop.signal);
  }

  /** `name=image` of what was injected, in order; the message when the Pod is refused. */
  async injectedInto(pod: Pod, uid?: string): Promise<readonly string[] | string> {
    const result = await this.create(pod, uid);
    if (result.kind === 'Refused') return result.message;
    return result.pod.spec.containers.filter(({ name }) => name !== 'main').map(({ name, image }) => `${name}=${image ?? ''}`);
  }
}

const one = (name: string, spec: object = {}, metadata: object = {}) =>
  aSidecarSet(name, { containers: [sidecar(`c-${name}`)], ...spec }, metadata);
const inNamespace = (name: string) => ({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } });

describe('the SidecarSets of a Pod', () => {
  it('are those that select it, those bound to its namespace first, each group by name', async () => {
    const cluster = await Cluster.of({
      sets: [
        one('z'),
        one('b'),
        one('y', inNamespace('default')),
        one('x', inNamespace('default')),
        one('other', inNamespace('other')),
        one('labels', { selector: { matchLabels: { app: 'db' } } }),
        one('paused', { injectionStrategy: { paused: true } }),
        one('empty', { selector: {} }),
        one('team', { namespaceSelector: { matchLabels: { team: 'default' } } }),
        one('noteam', { namespaceSelector: { matchLabels: { team: 'other' } } }),
      ],
    });
    const result = await cluster.create(aNewPod());
    expect(result.kind === 'Pod' && namesOf(result.pod.spec.containers)).toEqual(['c-x', 'c-y', 'c-b', 'c-team', 'c-z', 'main']);
    expect(await cluster.injectedInto(aNewPod({}, { labels: { app: 'none' } }))).toEqual([]);
  });

  it('are none for Pods that are finished or terminating', async () => {
    const cluster = await Cluster.of({ sets: [one('a')] });
    const done = { ...aNewPod(), status: { phase: 'Succeeded' } };
    const leaving = aNewPod({}, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    for (const pod of [done, leaving]) expect(await cluster.create(pod)).toEqual({ kind: 'Pod', pod });
  });

  it('are found in a namespace that the cache does not know yet, and not in a deleted one', async () => {
    const cluster = await Cluster.of({ sets: [one('a', { namespaceSelector: { matchLabels: { team: 'late' } } })] });
    const unseen = new FakeApi();
    await unseen.create(namespaces, namespace('late', { team: 'late' }));
    const informers = cluster.informers;
    const client = { ...cluster.client, get: unseen.get.bind(unseen) } as unknown as FakeApi;
    const step = sidecarInjectionStep({
      client,
      caches: new Caches(informers, ''),
      podNamespace,
      gates: defaultGates,
      clock: new FakeClock(),
    });
    const { signal } = new AbortController();
    const created = async (name: string) => step.apply(aNewPod({}, { namespace: name }), { uid: 'u' } as AdmissionRequest, signal);
    const late = await created('late');
    expect(late.kind === 'Pod' && namesOf(late.pod.spec.containers)).toEqual(['c-a', 'main']);
    const deleted = await created('gone');
    expect(deleted.kind === 'Pod' && namesOf(deleted.pod.spec.containers)).toEqual(['main']);
  });

  it('a canary takes the place of its base', async () => {
    const canary = one(
      'canary',
      { updateStrategy: { type: 'NotUpdate' } },
      {
        annotations: { 'apps.kruise.io/sidecarset-canary': 'true', 'apps.kruise.io/sidecarset-base': 'base' },
      },
    );
    const paused = { ...canary, spec: { ...canary.spec, injectionStrategy: { paused: true } } };
    expect(await (await Cluster.of({ sets: [one('base'), canary] })).injectedInto(aNewPod())).toEqual(['c-canary=c-canary:1']);
    expect(await (await Cluster.of({ sets: [one('base'), paused] })).injectedInto(aNewPod())).toEqual(['c-base=c-base:1']);
  });

  it('one that is malformed harms no Pod', async () => {
    const broken = { ...one('broken'), spec: null } as unknown as SidecarSet;
    expect(await (await Cluster.of({ sets: [broken, one('good')] })).injectedInto(aNewPod())).toEqual(['c-good=c-good:1']);
  });
});

describe('the version that a new Pod gets', () => {
  const version = (image: string, spec: object = {}) => aSidecarSet('s', { containers: [{ name: 'c', image }], ...spec });
  const revisions = [
    revisionOf(version('c:0'), 1, 'v0'),
    revisionOf(version('c:3'), 2, 'v3'),
    revisionOf(version('c:3b'), 3, 'v3'),
    revisionOf(version('c:5'), 4),
  ];
  const choosing = (revision: object, spec: object = {}) => version('c:5', { injectionStrategy: { revision }, ...spec });

  it.each<{ name: string; set: SidecarSet; then: string }>([
    { name: 'is the present one without a revision', set: version('c:5'), then: 'c=c:5' },
    { name: 'is the newest of a custom version', set: choosing({ customVersion: 'v3' }), then: 'c=c:3b' },
    { name: 'is that of the name, which wins', set: choosing({ revisionName: 's-r1', customVersion: 'v3' }), then: 'c=c:0' },
    {
      name: 'is a former one while updates are paused',
      set: choosing({ customVersion: 'v0', policy: 'Partial' }, { updateStrategy: { paused: true } }),
      then: 'c=c:0',
    },
    {
      name: 'is a former one with policy Partial for Pods that are not selected',
      set: choosing({ customVersion: 'v0', policy: 'Partial' }, { updateStrategy: { selector: { matchLabels: { version: 'canary' } } } }),
      then: 'c=c:0',
    },
    {
      name: 'is the present one with policy Partial for Pods that are selected',
      set: choosing({ customVersion: 'v0', policy: 'Partial' }, { updateStrategy: { selector: { matchLabels: { app: 'web' } } } }),
      then: 'c=c:5',
    },
    {
      name: 'is a former one with policy Partial and partition 100%',
      set: choosing({ customVersion: 'v0', policy: 'Partial' }, { updateStrategy: { partition: '100%' } }),
      then: 'c=c:0',
    },
    {
      name: 'is the present one with policy Partial and a partition in Pods',
      set: choosing({ customVersion: 'v0', policy: 'Partial' }, { updateStrategy: { partition: 2 } }),
      then: 'c=c:5',
    },
  ])('$name', async ({ set, then }) => {
    expect(await (await Cluster.of({ sets: [set], revisions })).injectedInto(aNewPod())).toEqual([then]);
  });

  it('is recorded with its hash and revision', async () => {
    const cluster = await Cluster.of({ sets: [choosing({ customVersion: 'v0' })], revisions });
    const result = await cluster.create(aNewPod());
    const record =
      result.kind === 'Pod' ? (JSON.parse(result.pod.metadata.annotations?.['kruise.io/sidecarset-hash'] ?? '') as unknown) : result;
    expect(record).toMatchObject({
      s: { controllerRevision: 's-r1', hash: version('c:0').metadata.annotations?.['kruise.io/sidecarset-hash'] },
    });
  });

  it('is shared out by a percent partition, always the same for one request', async () => {
    const cluster = await Cluster.of({
      sets: [choosing({ customVersion: 'v0', policy: 'Partial' }, { updateStrategy: { partition: '30%' } })],
      revisions,
    });
    const got = await Promise.all(Array.from({ length: 1000 }, (_, i) => cluster.injectedInto(aNewPod(), `request-${i}`)));
    const former = got.filter(([container]) => container === 'c=c:0').length;
    expect(former).toBeGreaterThan(250);
    expect(former).toBeLessThan(350);
    expect(await cluster.injectedInto(aNewPod(), 'request-1')).toEqual(got[1]);
  });

  it.each<{ name: string; revision: object; then: string }>([
    {
      name: 'a custom version that is not there',
      revision: { customVersion: 'v9' },
      then: 'SidecarSet s has no revision with custom version "v9": not found',
    },
    { name: 'a revision that is not there', revision: { revisionName: 's-r9' }, then: 'SidecarSet s has no revision "s-r9": not found' },
    { name: 'a revision of another SidecarSet', revision: { revisionName: 'other-r1' }, then: 'not found' },
  ])('that is $name refuses the Pod', async ({ revision, then }) => {
    const all = [...revisions, revisionOf(aSidecarSet('other', { containers: [sidecar('x')] }), 1)];
    expect(await (await Cluster.of({ sets: [choosing(revision)], revisions: all })).injectedInto(aNewPod())).toContain(then);
  });

  it('that does not exist is listed once for the Pods of some seconds', async () => {
    const cluster = await Cluster.of({ sets: [choosing({ customVersion: 'v3' })] });
    const lists = (): number =>
      cluster.client.calls.filter(({ verb, type }) => verb === 'list' && type?.kind === 'ControllerRevision').length;
    const before = lists();
    for (let pod = 0; pod < 10; pod++) expect(await cluster.injectedInto(aNewPod(), `request-${pod}`)).toContain('not found');
    expect(lists() - before).toBe(1);
    await cluster.clock.step(5000);
    await cluster.injectedInto(aNewPod());
    expect(lists() - before).toBe(2);
  });

  it('that was missing a moment ago is given as soon as the cache has it', async () => {
    const cluster = await Cluster.of({ sets: [choosing({ customVersion: 'v3' })] });
    expect(await cluster.injectedInto(aNewPod())).toContain('not found');
    await cluster.client.create(controllerRevisions, revisions[1]!);
    await cluster.settled();
    expect(await cluster.injectedInto(aNewPod())).toEqual(['c=c:3']);
  });

  it('is read from the server when the cache does not have it yet', async () => {
    const cluster = await Cluster.of({ sets: [choosing({ revisionName: 's-r1' })] });
    cluster.client.holdWatches();
    await cluster.client.create(controllerRevisions, revisions[0]!);
    expect(await cluster.injectedInto(aNewPod())).toEqual(['c=c:0']);
  });

  it('that cannot be read is a failure of the request, not of the program', async () => {
    const cluster = await Cluster.of({ sets: [choosing({ customVersion: 'v9' })] });
    cluster.client.faults.before = () => Promise.reject(apiFailures.serverError());
    await expect(cluster.create(aNewPod())).rejects.toMatchObject({ name: 'ApiError' });
  });
});

describe('a SidecarSet that changes while a Pod is created', () => {
  const key = { namespace: '', name: 's' };
  const first = aSidecarSet('s', { containers: [{ name: 'c', image: 'c:1' }], namespaceSelector: { matchLabels: { team: 'default' } } });
  const second = aSidecarSet('s', { containers: [{ name: 'c', image: 'c:2' }] });
  const choosing = (revisionName: string) =>
    aSidecarSet('s', { containers: [{ name: 'c', image: 'c:2' }], injectionStrategy: { revision: { revisionName } } });

  it('is injected as one version, with the hash of what was injected', async () => {
    const cluster = await Cluster.of({ sets: [first] });
    await cluster.client.delete(namespaces, { namespace: '', name: 'default' });
    await cluster.settled();
    // The namespace, which no cache knows, is read in between.
    cluster.client.faults.before = async ({ verb }) => {
      if (verb !== 'get') return;
      cluster.client.faults.before = () => undefined;
      await cluster.client.create(namespaces, namespace('default', { team: 'default' }));
      const { spec, metadata } = second;
      await cluster.client.patch(sidecarSets, key, { spec, metadata: { annotations: metadata.annotations } }, { type: 'merge' });
      await cluster.settled();
    };
    const result = await cluster.create(aNewPod());
    if (result.kind === 'Refused') throw new Error(result.message);
    const [injected] = result.pod.spec.containers;
    const record = JSON.parse(result.pod.metadata.annotations?.['kruise.io/sidecarset-hash'] ?? '{}') as Record<string, { hash: string }>;
    const version = injected?.image === 'c:1' ? first : second;
    expect(record['s']?.hash).toBe(version.metadata.annotations?.['kruise.io/sidecarset-hash']);
  });

  it('is not injected any more when it was deleted with the revision that it requests', async () => {
    const cluster = await Cluster.of({ sets: [choosing('s-r1'), one('other')] });
    cluster.client.holdWatches();
    expect(await cluster.injectedInto(aNewPod())).toContain('has no revision "s-r1"');
    await cluster.client.delete(sidecarSets, key);
    expect(await cluster.injectedInto(aNewPod())).toEqual(['c-other=c-other:1']);
  });

  it('gives the version that it names now when the one that it named before is deleted', async () => {
    const cluster = await Cluster.of({ sets: [choosing('s-r1')], revisions: [revisionOf(first, 2)] });
    cluster.client.holdWatches();
    await cluster.client.update(sidecarSets, { ...choosing('s-r2'), metadata: { name: 's' } });
    expect(await cluster.injectedInto(aNewPod())).toEqual(['c=c:1']);
  });
});

describe('the step', () => {
  it('warns, and logs, when a container of the Pod gives way', async () => {
    const cluster = await Cluster.of({ sets: [one('a')] });
    const logged: unknown[] = [];
    const logger = { info: (fields: object, message: string) => void logged.push({ ...fields, message }) };
    const { client, informers } = cluster;
    const step = sidecarInjectionStep({
      client,
      caches: new Caches(informers, ''),
      podNamespace,
      gates: defaultGates,
      clock: new FakeClock(),
      logger,
    });
    const pod = aNewPod({ containers: [{ name: 'c-a', image: 'mine:1' }] });
    const result = await step.apply(pod, { uid: 'u' } as AdmissionRequest, new AbortController().signal);
    expect(result).toMatchObject({ kind: 'Pod', warnings: ['container c-a is replaced by an injected sidecar'] });
    expect(logged).toEqual([{ pod: 'default/web-', containers: ['c-a'], message: 'Replaced containers with injected sidecars' }]);
  });

  it('sees the Pods of every SidecarSet that injects', async () => {
    const cluster = await Cluster.of({ sets: [one('a')] });
    const step = sidecarInjectionStep({
      client: cluster.client,
      caches: new Caches(cluster.informers, ''),
      podNamespace,
      gates: defaultGates,
      clock: new FakeClock(),
    });
    expect(step.needs?.current()).toEqual([{ reason: 'sidecarset', objectSelector: { matchLabels: { app: 'web' } } }]);
  });
});
