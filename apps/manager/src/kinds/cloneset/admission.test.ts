import { describe, expect, it } from '@jest/globals';
import type { AdmissionHandler, AdmissionRequest, Decision } from '@kruise/admission';
import { cloneSetDeclaration, type Gates } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { apiFailures, FakeApi } from '@kruise/kube/testing';
import { createJsonPatch, pods, setIn, type KubeObject } from '@kruise/objects';
import type { ProtectionRecord } from '../../process/protection-log.ts';
import { handlerFixture, requestFor } from '../../module/fixtures/handler-fixture.testing.ts';
import { cloneSetAdmission } from './admission.ts';

const bare = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'CloneSet',
  metadata: { name: 'web', namespace: 'default', uid: 'u1' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'nginx:1', resources: { limits: { cpu: '0.5' } } }] },
    },
  },
};

interface Setup {
  readonly gates?: Partial<Gates>;
  readonly client?: Client;
  readonly onProtected?: (record: ProtectionRecord) => void;
}

const handlersOf = (setup: Setup): readonly AdmissionHandler[] => cloneSetAdmission(handlerFixture(setup).dependencies);

async function ask(
  verb: 'mutate' | 'validate',
  request: Partial<AdmissionRequest>,
  setup: Setup = {},
  version = 'v1beta1',
): Promise<Decision> {
  const handler = handlersOf(setup).find(({ path }) => path.startsWith(`/${verb}-`));
  if (handler === undefined) throw new Error(`no handler to ${verb}`);
  return handler.decide(requestFor(cloneSetDeclaration, version, request), new AbortController().signal);
}

async function filled(object: unknown, version = 'v1beta1'): Promise<KubeObject> {
  const decision = await ask('mutate', { object: object as KubeObject }, {}, version);
  if (decision.kind !== 'Changed') throw new Error(`expected a change, got ${decision.kind}`);
  return decision.object;
}

describe('admission of CloneSets', () => {
  it('answers on the paths of the contract and of older installations', () => {
    expect(handlersOf({}).map(({ path, aliases }) => [path, aliases])).toEqual([
      ['/mutate-apps-kruise-io-cloneset', ['/mutate-apps-kruise-io-v1alpha1-cloneset']],
      ['/validate-apps-kruise-io-cloneset', ['/validate-apps-kruise-io-v1alpha1-cloneset']],
    ]);
  });

  it('fills in what is missing, removes nothing, and writes quantities canonically', async () => {
    const object = setIn<unknown>(bare, ['spec', 'template', 'spec', 'future'], { a: 1 });
    const patch = createJsonPatch(object, await filled(object));
    expect(patch.filter(({ op }) => op !== 'add')).toEqual([
      { op: 'replace', path: '/spec/template/spec/containers/0/resources/limits/cpu', value: '500m' },
    ]);
    expect(patch).toContainEqual({ op: 'add', path: '/spec/replicas', value: 1 });
  });

  it('leaves a complete object alone and takes it', async () => {
    const object = await filled(bare);
    expect(await ask('mutate', { object })).toEqual({ kind: 'Allowed' });
    expect(await ask('validate', { object })).toEqual({ kind: 'Allowed', warnings: [] });
  });

  it('refuses with every fault of the object', async () => {
    const object = setIn<KubeObject>(
      setIn<KubeObject>(await filled(bare), ['spec', 'replicas'], -1),
      ['spec', 'updateStrategy', 'rollingUpdate'],
      {
        partition: 'x',
        maxUnavailable: 1,
        priorityStrategy: { weightPriority: [{ weight: 500, matchSelector: {} }] },
        scatterStrategy: 'everywhere',
      },
    );
    const decision = await ask('validate', { object });
    expect(decision).toMatchObject({ kind: 'Failed', code: 422 });
    const { message } = decision as { readonly message: string };
    for (const path of [
      'spec.replicas',
      'partition',
      'priorityStrategy.weightPriority[0].weight',
      'weightPriority[0].matchSelector',
      'scatterStrategy',
    ])
      expect(message).toContain(path);
  });

  it.each([
    { name: 'an unknown version', request: { object: bare }, version: 'v1', message: 'unsupported version: v1' },
    { name: 'no object', request: {}, version: 'v1beta1', message: 'the request has no object' },
    {
      name: 'an update of nothing',
      request: { operation: 'UPDATE', object: bare },
      version: 'v1beta1',
      message: 'the request has no oldObject',
    },
  ] as const)('$name is a bad request', async ({ request, version, message }) => {
    for (const verb of ['mutate', 'validate'] as const)
      expect(await ask(verb, request, {}, version)).toEqual({ kind: 'Failed', code: 400, message });
  });

  it('has no say in subresources', async () => {
    for (const verb of ['mutate', 'validate'] as const) expect(await ask(verb, { subResource: 'status' })).toEqual({ kind: 'Allowed' });
  });
});

describe('podsToDelete of v1alpha1', () => {
  const pod = (name: string, uid: string): KubeObject => ({
    metadata: {
      name,
      namespace: 'default',
      ownerReferences: [{ apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web', uid, controller: true }],
    },
  });

  const validateUpdate = async (client: Client, ...names: readonly string[]): Promise<Decision> => {
    const old = await filled(bare, 'v1alpha1');
    const known = setIn<KubeObject>(old, ['spec', 'scaleStrategy'], { podsToDelete: ['gone'] });
    const object = setIn<KubeObject>(known, ['spec', 'scaleStrategy', 'podsToDelete'], ['gone', ...names]);
    return ask('validate', { operation: 'UPDATE', object, oldObject: known }, { client }, 'v1alpha1');
  };

  it('are Pods of this CloneSet; names that were there already are not asked about', async () => {
    const api = new FakeApi();
    await api.create(pods, pod('web-own', 'u1') as never);
    await api.create(pods, pod('web-other', 'u2') as never);
    expect(await validateUpdate(api, 'web-own')).toMatchObject({ kind: 'Allowed' });
    expect(await validateUpdate(api, 'web-other', 'web-none')).toEqual({
      kind: 'Failed',
      code: 422,
      warnings: [],
      message:
        '[spec.scaleStrategy.podsToDelete[1]: Invalid value: "web-other": owner is not this CloneSet, spec.scaleStrategy.podsToDelete[2]: Invalid value: "web-none": find pod web-none failed]',
    });
  });

  it('that cannot be read are refused with the reason', async () => {
    const api = new FakeApi();
    api.faults = {
      before: () => {
        throw apiFailures.unreachable('no answer');
      },
    };
    expect(await validateUpdate(api, 'web-own')).toMatchObject({
      kind: 'Failed',
      code: 422,
      message: expect.stringContaining('find pod web-own failed: '),
    });
  });

  it('are not looked up for v1beta1', async () => {
    const object = setIn<KubeObject>(await filled(bare), ['spec', 'scaleStrategy'], { podsToDelete: ['any'] });
    expect(await ask('validate', { object })).toMatchObject({ kind: 'Allowed' });
  });
});

describe('deletion protection', () => {
  const labelled = (value: string, replicas: number): KubeObject =>
    ({
      ...bare,
      metadata: { ...bare.metadata, labels: { 'policy.kruise.io/delete-protection': value } },
      spec: { ...bare.spec, replicas },
    }) as KubeObject;
  const gates = { ResourcesDeletionProtection: true };
  const remove = (oldObject: KubeObject | null, setup: Setup = { gates }): Promise<Decision> =>
    ask('validate', { operation: 'DELETE', oldObject }, setup);

  it('Always refuses, and says who was refused', async () => {
    const records: ProtectionRecord[] = [];
    expect(await remove(labelled('Always', 0), { gates, onProtected: (record) => records.push(record) })).toEqual({
      kind: 'Failed',
      code: 403,
      message: 'forbidden by ResourcesProtectionDeletion for policy.kruise.io/delete-protection=Always',
    });
    expect(records).toEqual([{ Event: 'DeletionProtection', Kind: 'CloneSet', Namespace: 'default', Name: 'web', UserAgent: 'jane' }]);
  });

  it('Cascading refuses while there are replicas', async () => {
    expect(await remove(labelled('Cascading', 2))).toEqual({
      kind: 'Failed',
      code: 403,
      message: 'forbidden by ResourcesProtectionDeletion for policy.kruise.io/delete-protection=Cascading and replicas 2>0',
    });
    expect(await remove(labelled('Cascading', 0))).toMatchObject({ kind: 'Allowed' });
  });

  it('a value that means nothing is warned of', async () => {
    expect(await remove(labelled('Weird', 1))).toEqual({
      kind: 'Allowed',
      warnings: [expect.stringContaining('=Weird protects from nothing')],
    });
  });

  it('delays nothing without the gate, an object that is being deleted, or one that is absent', async () => {
    expect(await remove(labelled('Always', 1), {})).toEqual({ kind: 'Allowed' });
    const going = setIn<KubeObject>(labelled('Always', 1), ['metadata', 'deletionTimestamp'], '2026-01-01T00:00:00Z');
    expect(await remove(going)).toEqual({ kind: 'Allowed' });
    expect(await remove(null)).toEqual({ kind: 'Allowed' });
  });
});
