/** What is refused, and in which words. @see spec/resourcedistribution.md 4, 9 */
import { describe, expect, it } from '@jest/globals';
import type { AdmissionRequest, Decision } from '@kruise/admission';
import { defaultGates, type Gates } from '@kruise/api';
import { ApiError, type Client, type WriteOptions } from '@kruise/kube';
import type { KubeObject, ResourceType } from '@kruise/objects';
import { handlerFixture } from '../../module/fixtures/handler-fixture.testing.ts';
import { dryRunsIn } from '../../webhooks/dry-runs.ts';
import { resourceDistributionAdmission } from './admission.ts';
import { configMap, list, secret } from '@kruise/kinds/resourcedistribution/testing';

const { signal } = new AbortController();
const on: Gates = { ...defaultGates, ResourceDistributionGate: true };

interface Call {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly options: WriteOptions | undefined;
}

interface Asked {
  readonly object: object;
  readonly oldObject?: object;
  readonly version?: string;
  readonly gates?: Gates;
  readonly answer?: ApiError;
  readonly more?: object;
  readonly unable?: boolean;
}

async function ask({ object, oldObject, version = 'v1beta1', gates = on, answer, more, unable = false }: Asked) {
  const calls: Call[] = [];
  const create = (async (type: ResourceType, sent: KubeObject, options?: WriteOptions) => {
    calls.push({ type, object: sent, options });
    if (answer !== undefined) throw answer;
    return sent;
  }) as Client['create'];
  const { dependencies } = handlerFixture({ gates, ...(unable ? {} : { dryRuns: dryRunsIn('kruise-system', { create }) }) });
  const [handler] = resourceDistributionAdmission(dependencies);
  const request = {
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    resource: { group: 'apps.kruise.io', version, resource: 'resourcedistributions' },
    object,
    ...(oldObject === undefined ? {} : { oldObject }),
    ...more,
  } as unknown as AdmissionRequest;
  const decision: Decision | undefined = await handler?.decide(request, signal);
  return { decision, calls, message: decision !== undefined && 'message' in decision ? decision.message : undefined };
}

const of = (resource: unknown, targets: object = { allNamespaces: true }, metadata: object = {}): object => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'ResourceDistribution',
  metadata: { name: 'dist', ...metadata },
  spec: { resource, targets },
});
const alpha = (resource: unknown, targets: object): object => ({ ...of(resource, targets), apiVersion: 'apps.kruise.io/v1alpha1' });
const allowed = { kind: 'Allowed', warnings: [] };

describe('the gate', () => {
  it.each(['v1alpha1', 'v1beta1'])('refuses every write of %s while it is off, and names itself (1)', async (version) => {
    const off = { kind: 'Failed', code: 403, message: 'feature-gate ResourceDistributionGate is not enabled' };
    expect((await ask({ object: of(configMap), version, gates: defaultGates })).decision).toEqual(off);
    expect((await ask({ object: of(configMap), oldObject: of(configMap), version, gates: defaultGates })).decision).toEqual(off);
  });

  it('never delays an object that is being deleted', async () => {
    const going = of(configMap, {}, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect((await ask({ object: going, oldObject: going, gates: defaultGates })).decision).toEqual({ kind: 'Allowed' });
    expect((await ask({ object: of({}), oldObject: going })).decision).toEqual({ kind: 'Allowed' });
  });

  it('is not asked about deletions', async () => {
    expect((await ask({ object: of(configMap), more: { operation: 'DELETE' }, gates: defaultGates })).decision).toEqual({
      kind: 'Allowed',
    });
  });
});

describe('what cannot be read', () => {
  it.each([
    { name: 'an unknown version', asked: { object: of(configMap), version: 'v2' }, message: 'unsupported version: v2' },
    { name: 'no object', asked: { object: null as unknown as object }, message: 'the request has no object' },
    {
      name: 'an update without the stored object',
      asked: { object: of(configMap), more: { operation: 'UPDATE' } },
      message: 'the request has no oldObject',
    },
  ])('is refused with code 400: $name', async ({ asked, message }) => {
    expect((await ask(asked)).decision).toEqual({ kind: 'Failed', code: 400, message });
  });
});

describe('the API server is asked', () => {
  it.each([configMap, secret])(
    'whether it would take the resource, in the manager’s own namespace and without making it: $kind (15)',
    async (resource) => {
      const { decision, calls } = await ask({ object: of({ ...resource, metadata: { ...resource.metadata, namespace: 'elsewhere' } }) });
      expect(decision).toMatchObject({ kind: 'Allowed', warnings: [expect.stringContaining('metadata.namespace')] });
      expect(calls).toEqual([
        {
          type: {
            group: '',
            version: 'v1',
            kind: resource.kind,
            plural: resource.kind === 'Secret' ? 'secrets' : 'configmaps',
            namespaced: true,
          },
          object: { ...resource, metadata: { ...resource.metadata, namespace: 'kruise-system' } },
          options: { dryRun: true, timeoutMs: 2000, signal },
        },
      ]);
    },
  );

  const failure = (kind: 'AlreadyExists' | 'BadRequest' | 'Forbidden' | 'NotFound' | 'Unreachable' | 'Invalid'): ApiError =>
    new ApiError(
      `said ${kind}`,
      kind === 'Invalid' ? { kind, causes: [] } : kind === 'Unreachable' ? { kind, cause: undefined } : { kind },
    );

  it.each<{ answer: ApiError; message: string | undefined }>([
    { answer: failure('AlreadyExists'), message: undefined },
    { answer: failure('Invalid'), message: 'spec.resource: Invalid value: "settings": spec.resource is invalid: said Invalid' },
    { answer: failure('BadRequest'), message: 'spec.resource: Invalid value: "settings": spec.resource is invalid: said BadRequest' },
    { answer: failure('Forbidden'), message: 'spec.resource: Forbidden: spec.resource is forbidden: said Forbidden' },
    { answer: failure('NotFound'), message: 'spec.resource: Internal error: failed to dry-run validate spec.resource: said NotFound' },
    {
      answer: failure('Unreachable'),
      message: 'spec.resource: Internal error: failed to dry-run validate spec.resource: said Unreachable',
    },
  ])('$answer.message: $message (11)', async ({ answer, message }) => {
    const { decision } = await ask({ object: of(configMap), answer });
    expect(decision).toEqual(message === undefined ? allowed : { kind: 'Failed', code: 422, message, warnings: [] });
  });

  it('nothing when the resource is wrong already, or is the one that is stored', async () => {
    expect((await ask({ object: of({ ...configMap, kind: 'Service' }) })).calls).toEqual([]);
    expect((await ask({ object: of({ ...configMap, metadata: { name: 'other' } }), oldObject: of(configMap) })).calls).toEqual([]);
    expect((await ask({ object: of(configMap, {}, { labels: { a: 'b' } }), oldObject: of(configMap) })).calls).toEqual([]);
    expect((await ask({ object: of({ ...configMap, data: {} }), oldObject: of(configMap) })).calls).toHaveLength(1);
  });

  it('or nothing is admitted', async () => {
    expect((await ask({ object: of(configMap), unable: true })).message).toBe(
      'spec.resource: Internal error: failed to dry-run validate spec.resource: the API server cannot be asked here',
    );
  });
});

describe('an object', () => {
  it('gets every error at once, in terms of v1beta1', async () => {
    const { decision, message } = await ask({
      object: alpha(
        { ...configMap, kind: 'Service' },
        { includedNamespaces: list('A', 'b'), excludedNamespaces: list('b'), namespaceLabelSelector: { matchLabels: { 'a b': 'c' } } },
      ),
      version: 'v1alpha1',
    });
    expect(decision).toMatchObject({ kind: 'Failed', code: 422 });
    for (const part of [
      'unsupported resource GroupKind',
      'spec.targets.includedNamespaces: Invalid value: "A"',
      'ambiguous targets because namespace [b]',
      'spec.targets.namespaceSelector.matchLabels',
    ])
      expect(message).toContain(part);
  });

  it.each([
    { name: 'the name', next: { ...configMap, metadata: { name: 'other' } } },
    { name: 'the kind', next: { ...secret, metadata: configMap.metadata } },
    { name: 'the version', next: { ...configMap, apiVersion: 'v2' } },
  ])('keeps $name of its resource (10)', async ({ next }) => {
    const { decision, message } = await ask({ object: of(next), oldObject: of(configMap) });
    expect(decision).toMatchObject({ kind: 'Failed', code: 422 });
    expect(message).toContain('resource apiVersion, kind, and name are immutable');
    expect((await ask({ object: alpha(next, {}), oldObject: alpha(configMap, {}), version: 'v1alpha1' })).message).toContain('immutable');
  });

  it('may be of either version (13)', async () => {
    expect(
      (await ask({ object: alpha(configMap, { namespaceLabelSelector: { matchLabels: { a: 'b' } } }), version: 'v1alpha1' })).decision,
    ).toEqual(allowed);
  });

  it('with a Secret is refused without a word of it', async () => {
    const answers = await Promise.all([
      ask({ object: of({ ...secret, kind: 'Sekret' }) }),
      ask({ object: of({ ...secret, metadata: { name: 'b' } }), oldObject: of(secret) }),
      ask({ object: of(secret), answer: new ApiError('no', { kind: 'Invalid', causes: [] }) }),
      ask({ object: of({ stringData: secret.stringData }) }),
    ]);
    for (const { decision } of answers) {
      expect(decision?.kind).toBe('Failed');
      expect(JSON.stringify(decision)).not.toContain('hunter2');
    }
  });
});
