import { afterEach, describe, expect, it } from '@jest/globals';
import type { Decision } from '@kruise/admission';
import { configuration, sidecarSetDeclaration, sidecarSets, sidecarSetWhiteListKey, type Gates, type SidecarSet } from '@kruise/api';
import { apiFailures, FakeApi } from '@kruise/kube/testing';
import { configMaps, controllerRevisions, createJsonPatch, type JsonObject, type KubeObject } from '@kruise/objects';
import { recordedObjects, recordedStages } from '@kruise/testing';
import { sidecarSetAdmission } from './admission.ts';
import { completeSidecarSet } from '@kruise/kinds/sidecarset';
import { handlerFixture, requestFor } from '../../../module/fixtures/handler-fixture.testing.ts';

const podNamespace = 'kruise-system';
const bare = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name, ...metadata },
  spec: { selector: { matchLabels: { app: 'web' } }, containers: [{ name: `c-${name}`, image: 'c:1' }], ...spec },
});
const complete = (...args: Parameters<typeof bare>): SidecarSet => completeSidecarSet(bare(...args)) as unknown as SidecarSet;

const stops: AbortController[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop.abort()));

interface Fixture {
  readonly gates?: Partial<Gates>;
  readonly sets?: readonly SidecarSet[];
  readonly others?: (client: FakeApi) => Promise<unknown>;
  /** After the caches were filled. */
  readonly later?: (client: FakeApi) => Promise<unknown>;
}

interface Asked {
  readonly object: unknown;
  readonly oldObject?: unknown;
  readonly version?: string;
}

async function ask(
  verb: 'mutate' | 'validate',
  { object, oldObject, version = 'v1beta1' }: Asked,
  fixture: Fixture = {},
): Promise<Decision> {
  const client = new FakeApi();
  const { dependencies, informers } = handlerFixture({ client, ...(fixture.gates === undefined ? {} : { gates: fixture.gates }) });
  const stop = new AbortController();
  stops.push(stop);
  const handler = sidecarSetAdmission(dependencies).find(({ path }) => path === `/${verb}-apps-kruise-io-sidecarset`)!;
  for (const set of fixture.sets ?? []) await client.create(sidecarSets, set);
  await fixture.others?.(client);
  void informers.run(stop.signal);
  await informers.waitForSync(stop.signal);
  client.holdWatches();
  await fixture.later?.(client);
  const written = { operation: oldObject === undefined ? 'CREATE' : 'UPDATE', object: object as KubeObject } as const;
  const stored = oldObject === undefined ? {} : { oldObject: oldObject as KubeObject };
  const request = requestFor(sidecarSetDeclaration, version, { ...written, ...stored });
  return handler.decide(request, stop.signal);
}

const messageOf = (decision: Decision): string => (decision.kind === 'Failed' ? decision.message : decision.kind);
const validated = async (asked: Asked, fixture?: Fixture): Promise<string> => messageOf(await ask('validate', asked, fixture));

describe('the mutating webhook', () => {
  it.each(['v1beta1', 'v1alpha1'])('fills in defaults and hashes in %s, and nothing the second time', async (version) => {
    const object = { ...bare('s'), apiVersion: `apps.kruise.io/${version}` };
    const first = await ask('mutate', { object, version });
    if (first.kind !== 'Changed') throw new Error(first.kind);
    expect(first.object).toMatchObject({
      apiVersion: `apps.kruise.io/${version}`,
      metadata: {
        annotations: {
          'kruise.io/sidecarset-hash': expect.stringMatching(/^[a-z2-9]{64}$/),
          'kruise.io/sidecarset-hash-without-image': expect.any(String),
        },
      },
      spec: {
        containers: [{ podInjectPolicy: 'BeforeAppContainer', terminationMessagePolicy: 'File' }],
        updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1, partition: 0 },
        revisionHistoryLimit: 10,
      },
    });
    expect(await ask('mutate', { object: first.object, version })).toEqual({ kind: 'Allowed' });
  });

  it('says what the containers are, whatever the user has written', async () => {
    const object = complete('s');
    const forged = {
      ...object,
      metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, 'kruise.io/sidecarset-hash': 'forged', own: 'x' } },
    };
    const decision = await ask('mutate', { object: forged, oldObject: object });
    expect(decision.kind === 'Changed' && createJsonPatch(forged, decision.object)).toEqual([
      {
        op: 'replace',
        path: '/metadata/annotations/kruise.io~1sidecarset-hash',
        value: object.metadata.annotations?.['kruise.io/sidecarset-hash'],
      },
    ]);
  });

  it.each<unknown>([
    { metadata: { name: 's' }, spec: null },
    { metadata: { name: 's' }, spec: { containers: [null, 'x', { name: 1 }], initContainers: 'x', volumes: [null] } },
  ])('never throws: %j', async (object) => {
    expect((await ask('mutate', { object })).kind).toBe('Changed');
  });

  it('knows two versions', async () => {
    expect(await ask('mutate', { object: bare('s'), version: 'v2' })).toEqual({
      kind: 'Failed',
      code: 400,
      message: 'unsupported version: v2',
    });
  });
});

describe('the validating webhook', () => {
  it('answers faults with code 500, all at once, with warnings', async () => {
    const object = complete('a.b', {
      selector: {},
      revisionHistoryLimit: 10,
      updateStrategy: {
        type: 'RollingUpdate',
        maxUnavailable: 0,
        partition: -1,
        priorityStrategy: { weightPriority: [{ weight: 200, matchSelector: {} }] },
      },
    });
    const decision = await ask('validate', { object });
    expect(decision).toMatchObject({ kind: 'Failed', code: 500 });
    for (const path of [
      'metadata.name',
      'spec.selector',
      'spec.updateStrategy.partition',
      'spec.updateStrategy.priorityStrategy.weightPriority[0].weight',
    ])
      expect(messageOf(decision)).toContain(path);
    expect(decision.warnings).toEqual([expect.stringContaining('maxUnavailable')]);
  });

  it('reads v1alpha1 objects as v1beta1', async () => {
    const object = { ...complete('s', { namespace: 'shop', namespaceSelector: {} }), apiVersion: 'apps.kruise.io/v1alpha1' };
    const taken = complete('t', {
      containers: [{ name: 'c-s', image: 'x:1' }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
    });
    const elsewhere = complete('t', {
      containers: [{ name: 'c-s', image: 'x:1' }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'bank' } },
    });
    expect(await validated({ object, version: 'v1alpha1' }, { sets: [elsewhere] })).toBe('Allowed');
    expect(await validated({ object, version: 'v1alpha1' }, { sets: [taken] })).toContain('container c-s already exist in t');
  });

  it('refuses an update that adds a container', async () => {
    const oldObject = complete('s');
    expect(await validated({ object: complete('s', { containers: [{ name: 'new', image: 'n:1' }] }), oldObject })).toContain(
      'container new is not found',
    );
  });

  it('lets one that is being deleted go, whatever is wrong with it', async () => {
    const oldObject = complete('s', { selector: {} }, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(await validated({ object: oldObject, oldObject })).toBe('Allowed');
  });

  it('warns of changes that cannot be made in place', async () => {
    const decision = await ask('validate', {
      object: complete('s', { containers: [{ name: 'c-s', image: 'c:1', env: [{ name: 'A' }] }] }),
      oldObject: complete('s'),
    });
    expect(decision).toMatchObject({ kind: 'Allowed', warnings: [expect.stringContaining('not upgradable')] });
  });
});

describe('a manifest that is applied to a SidecarSet which the original has stored', () => {
  /** As testdata/recorded/manifests.yaml says it, without what defaults add. */
  const manifest = (image: string, version: string, more: object = {}): JsonObject => ({
    apiVersion: `apps.kruise.io/${version}`,
    kind: 'SidecarSet',
    metadata: { name: 'recorded-sidecar' },
    spec: {
      ...(version === 'v1alpha1' ? { namespace: 'recorded' } : {}),
      ...(version === 'v1alpha1' ? {} : { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'recorded' } } }),
      selector: { matchLabels: { sidecar: 'yes' } },
      updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1 },
      containers: [
        {
          name: 'side',
          image,
          command: ['/bin/sh', '-c', 'sleep 100000'],
          podInjectPolicy: 'BeforeAppContainer',
          shareVolumePolicy: { type: 'disabled' },
          env: [{ name: 'A', value: 'b' }],
          ...more,
        },
      ],
      volumes: [{ name: 'v', emptyDir: {} }],
    },
  });

  it.each(['v1alpha1', 'v1beta1'])('draws a warning only when it changes more than images, in %s', async (version) => {
    for (const stage of recordedStages) {
      const [oldObject] = recordedObjects<SidecarSet>(stage, `sidecarsets.${version}`);
      const image = oldObject?.spec.containers?.[0]?.image ?? '';
      const isWarned = async (sent: JsonObject): Promise<boolean | undefined> => {
        const { kind, warnings } = await ask('validate', { object: completeSidecarSet(sent), oldObject, version });
        return kind === 'Allowed' ? warnings?.some((warning) => warning.includes('not upgradable')) : undefined;
      };
      expect(await isWarned(manifest(image, version))).toBe(false);
      expect(await isWarned(manifest('busybox:2', version))).toBe(false);
      expect(await isWarned(manifest(image, version, { args: ['x'] }))).toBe(true);
    }
  });
});

describe('the base of a canary', () => {
  const canary = complete(
    'canary',
    { updateStrategy: { type: 'NotUpdate' } },
    { annotations: { 'apps.kruise.io/sidecarset-canary': 'true', 'apps.kruise.io/sidecarset-base': 'base' } },
  );
  const again = complete('base', {}, { annotations: canary.metadata.annotations });

  it.each<{ name: string; fixture: Fixture; then: string }>([
    { name: 'must be there', fixture: {}, then: 'fetch base sidecarSet[base] failed' },
    { name: 'may be there', fixture: { sets: [complete('base')] }, then: 'Allowed' },
    {
      name: 'may have been made a moment ago',
      fixture: { later: (client) => client.create(sidecarSets, complete('base')) },
      then: 'Allowed',
    },
    {
      name: 'must not be a canary itself',
      fixture: {
        sets: [
          { ...again, metadata: { name: 'base', annotations: { ...canary.metadata.annotations, 'apps.kruise.io/sidecarset-base': 'x' } } },
        ],
      },
      then: 'base sidecarSet cannot be canary',
    },
    {
      name: 'cannot be read',
      fixture: {
        later: async (client) => {
          client.faults.before = () => Promise.reject(apiFailures.serverError());
        },
      },
      then: 'spec: Internal error: internal error',
    },
  ])('$name', async ({ fixture, then }) => {
    expect(await validated({ object: canary }, fixture)).toContain(then);
  });
});

describe('another SidecarSet that could meet it in a Pod', () => {
  const other = complete('other', { containers: [{ name: 'c-s', image: 'x:1' }] });
  const harmless = complete('other', { containers: [{ name: 'c-x', image: 'x:1' }] });
  const refused = 'spec.containers.name: Invalid value: "c-s": container c-s already exist in other';
  const key = { namespace: '', name: 'other' };

  it.each<{ name: string; fixture: Fixture; isUpdate?: boolean; then: string }>([
    { name: 'must not have the same container', fixture: { sets: [other] }, then: refused },
    { name: 'must not get in the way of an update either', fixture: { sets: [other] }, isUpdate: true, then: refused },
    { name: 'may have been made a moment ago', fixture: { later: (client) => client.create(sidecarSets, other) }, then: refused },
    { name: 'may be gone by now', fixture: { sets: [other], later: (client) => client.delete(sidecarSets, key) }, then: 'Allowed' },
    {
      name: 'may have been changed by now',
      fixture: { sets: [other], later: (client) => client.patch(sidecarSets, key, { spec: harmless.spec }, { type: 'merge' }) },
      isUpdate: true,
      then: 'Allowed',
    },
    {
      name: 'is the one that was known last, where the server does not answer',
      fixture: {
        sets: [other],
        later: async (client) => {
          client.faults.before = () => Promise.reject(apiFailures.serverError());
        },
      },
      then: refused,
    },
  ])('$name', async ({ fixture, isUpdate = false, then }) => {
    const oldObject = isUpdate ? complete('s', { revisionHistoryLimit: 3 }) : undefined;
    expect(await validated({ object: complete('s'), ...(oldObject === undefined ? {} : { oldObject }) }, fixture)).toContain(then);
  });
});

describe('the revision for new Pods', () => {
  const object = complete('s', { injectionStrategy: { revision: { customVersion: 'v1' } } });
  const revision = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: 's-1',
      namespace: podNamespace,
      labels: { 'kruise.io/sidecarset-name': 's', 'apps.kruise.io/sidecarset-custom-version': 'v1' },
    },
    revision: 1,
  };

  it('must be there, if only since a moment ago', async () => {
    expect(await validated({ object, oldObject: complete('s') })).toContain(
      'Cannot find specific ControllerRevision, err: SidecarSet s has no revision with custom version "v1": not found',
    );
    expect(
      await validated({ object, oldObject: complete('s') }, { others: (client) => client.create(controllerRevisions, revision) }),
    ).toBe('Allowed');
    expect(await validated({ object, oldObject: complete('s') }, { later: (client) => client.create(controllerRevisions, revision) })).toBe(
      'Allowed',
    );
  });

  it('is none of another SidecarSet, whatever the name says', async () => {
    const named = { ...object, metadata: { ...object.metadata, name: 's,other' } };
    const labelled = { ...revision, metadata: { ...revision.metadata, labels: { ...revision.metadata.labels, other: '' } } };
    expect(await validated({ object: named }, { later: (client) => client.create(controllerRevisions, labelled) })).toContain(
      'SidecarSet s,other has no revision',
    );
  });

  it('is not looked for by what is no text', async () => {
    const big = { injectionStrategy: { revision: { customVersion: 9007199254740994n, revisionName: 5 } } };
    expect(await validated({ object: complete('s', big) })).not.toContain('ControllerRevision');
  });
});

describe('patched annotations', () => {
  const object = complete('s', { patchPodMetadata: [{ annotations: { key: 'x' } }] });
  const settings = (expression: string): KubeObject =>
    ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: configuration.name, namespace: podNamespace },
      data: { [sidecarSetWhiteListKey]: JSON.stringify({ rules: [{ allowedAnnotationKeyExprs: [expression] }] }) },
    }) as KubeObject;

  it.each<{ name: string; fixture: Fixture; then: string }>([
    { name: 'need a white list', fixture: {}, then: 'SidecarSet patch metadata whitelist not found' },
    { name: 'need none with the gate', fixture: { gates: { SidecarSetPatchPodMetadataDefaultsAllowed: true } }, then: 'Allowed' },
    { name: 'are allowed by it', fixture: { others: (client) => client.create(configMaps, settings('^key$')) }, then: 'Allowed' },
    {
      name: 'are allowed by one that was made a moment ago',
      fixture: { later: (client) => client.create(configMaps, settings('^key$')) },
      then: 'Allowed',
    },
    {
      name: 'are forbidden by it',
      fixture: { others: (client) => client.create(configMaps, settings('^other$')) },
      then: 'annotation(key) is not allowed',
    },
  ])('$name', async ({ fixture, then }) => {
    expect(await validated({ object }, fixture)).toContain(then);
  });
});
