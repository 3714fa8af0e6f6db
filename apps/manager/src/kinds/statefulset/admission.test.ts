/** Both webhooks of StatefulSets, as the API server calls them. @see spec/statefulset.md 4 */
import { afterAll, describe, expect, it } from '@jest/globals';
import type { AdmissionRequest, Decision } from '@kruise/admission';
import { statefulSetConverter, statefulSetDeclaration, type Gates } from '@kruise/api';
import { apiFailures, FakeApi } from '@kruise/kube/testing';
import { createJsonPatch, setIn, storageClasses, type KubeObject } from '@kruise/objects';
import { handlerFixture, requestFor } from '../../module/fixtures/handler-fixture.testing.ts';
import type { ProtectionRecord } from '../../process/protection-log.ts';
import { statefulSetAdmission } from './admission.ts';
import { aClaimTemplate, aStatefulSet } from '@kruise/kinds/statefulset/testing';

interface Setup {
  readonly gates?: Partial<Gates>;
  readonly api?: FakeApi;
  readonly failing?: boolean;
  /** Of the review. */
  readonly signal?: AbortSignal;
  readonly onProtected?: (record: ProtectionRecord) => void;
}

const stop = new AbortController();
afterAll(() => stop.abort());

async function ask(
  verb: 'mutate' | 'validate',
  request: Partial<AdmissionRequest>,
  { gates = {}, api = new FakeApi(), failing = false, signal = stop.signal, onProtected }: Setup = {},
  version = 'v1beta1',
): Promise<Decision> {
  const before = (): void => {
    if (failing) throw apiFailures.serverError();
  };
  const client = api.connect('webhook', { before });
  const { dependencies, informers } = handlerFixture({ client, gates, ...(onProtected === undefined ? {} : { onProtected }) });
  const handlers = statefulSetAdmission(dependencies);
  void informers.run(stop.signal);
  const handler = handlers.find(({ path }) => path === `/${verb}-apps-kruise-io-statefulset`);
  if (handler === undefined) throw new Error(`no handler to ${verb}`);
  return handler.decide(requestFor(statefulSetDeclaration, version, request), signal);
}

const having = (object: KubeObject, path: string, value: unknown): KubeObject => setIn(object, path.split('.'), value);
const set = aStatefulSet({ replicas: 3 });

describe('the mutating webhook', () => {
  it.each(['v1alpha1', 'v1beta1'])('changes nothing but what is missing in %s', async (version) => {
    const { replicas: _replicas, ...spec } = set.spec;
    const object = { ...set, spec } as KubeObject;
    const decision = await ask('mutate', { object }, {}, version);
    if (decision.kind !== 'Changed') throw new Error(`it was ${decision.kind}`);
    const paths = createJsonPatch(object, decision.object).map(({ op, path }) => `${op} ${path}`);
    expect(paths.filter((path) => !path.startsWith('add '))).toEqual([]);
    expect(paths).toContain('add /spec/replicas');
    expect(paths.includes('add /spec/persistentVolumeClaimRetentionPolicy')).toBe(version === 'v1beta1');
  });

  it('keeps unknown members of the template', async () => {
    const object = having(set, 'spec.template.spec.future', { member: 1 });
    const decision = await ask('mutate', { object });
    expect(decision).toMatchObject({ kind: 'Changed', object: { spec: { template: { spec: { future: { member: 1 } } } } } });
  });
});

describe('the validating webhook', () => {
  const carrying = (spec: object): KubeObject => ({
    ...set,
    apiVersion: 'apps.kruise.io/v1alpha1',
    metadata: { ...set.metadata, annotations: { 'apps.kruise.io/v1beta1-members': JSON.stringify({ spec }) } },
  });

  it('judges what a v1alpha1 object carries as if v1beta1 said it', async () => {
    const object = carrying({ ordinals: { start: -1 } });
    const refused = { kind: 'Failed', code: 422, message: expect.stringContaining('spec.ordinals.start: Invalid value') };
    expect(await ask('validate', { object }, {}, 'v1alpha1')).toMatchObject(refused);
    const update = { operation: 'UPDATE', oldObject: carrying({ ordinals: { start: 1 } }), object } as const;
    expect(await ask('validate', update, {}, 'v1alpha1')).toMatchObject(refused);
    expect(await ask('validate', { object: carrying({ ordinals: { start: 1 } }) }, {}, 'v1alpha1')).toMatchObject({ kind: 'Allowed' });
  });

  it.each(['v1alpha1', 'v1beta1'])('lets a good one pass in %s', async (version) => {
    const mutated = await ask('mutate', { object: set }, {}, version);
    const object = mutated.kind === 'Changed' ? mutated.object : set;
    expect(await ask('validate', { object }, {}, version)).toMatchObject({ kind: 'Allowed' });
  });

  it('reports every error with 422, including those of the order of updates', async () => {
    const faulty = having(
      having(set, 'spec.updateStrategy.rollingUpdate.unorderedUpdate', { priorityStrategy: { orderPriority: [{ orderedKey: '' }] } }),
      'spec.replicas',
      -1,
    );
    const decision = await ask('validate', { object: faulty });
    expect(decision).toMatchObject({ kind: 'Failed', code: 422 });
    const { message } = decision as { readonly message: string };
    for (const path of ['spec.replicas', 'unorderedUpdate: Required value', 'unorderedUpdate.priorityStrategy'])
      expect(message).toContain(path);
  });

  it.each([
    null,
    'x',
    {},
    { spec: null, metadata: {} },
    { spec: [], metadata: {} },
    { spec: { template: 3, selector: 'x' }, metadata: { name: 7 } },
  ])('has an answer to %j', async (object) => {
    expect((await ask('validate', { object: object as unknown as KubeObject })).kind).toBe('Failed');
  });

  it('warns of what has no effect', async () => {
    const object = having(set, 'spec.ordinals', { start: 2 });
    expect(await ask('validate', { object })).toMatchObject({ warnings: [expect.stringContaining('StatefulSetStartOrdinal')] });
  });
});

describe('claim templates that grow', () => {
  const growing = (storage: string): KubeObject =>
    aStatefulSet({ claims: [aClaimTemplate('data', storage)], spec: { volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' } } });
  const update = { operation: 'UPDATE', object: growing('2Gi'), oldObject: growing('1Gi') } as const;
  const gates = { StatefulSetAutoResizePVCGate: true };
  const withClass = (allowVolumeExpansion: boolean): FakeApi => {
    const api = new FakeApi();
    api.seed(storageClasses, { metadata: { name: 'fast' }, allowVolumeExpansion });
    return api;
  };

  it.each([
    { allows: true, then: 'Allowed' },
    { allows: false, then: 'Failed' },
  ])('are judged by their class, which allows it: $allows', async ({ allows, then }) => {
    expect((await ask('validate', update, { gates, api: withClass(allows) })).kind).toBe(then);
  });

  it('are judged in v1alpha1 as in v1beta1', async () => {
    const older = (storage: string): KubeObject => {
      const converted = statefulSetConverter.fromHub({ ...growing(storage) });
      if (converted.kind !== 'Converted') throw new Error(converted.message);
      return { ...converted.object, apiVersion: 'apps.kruise.io/v1alpha1' } as unknown as KubeObject;
    };
    const request = { operation: 'UPDATE', object: older('2Gi'), oldObject: older('1Gi') } as const;
    expect((await ask('validate', request, { gates, api: withClass(false) }, 'v1alpha1')).kind).toBe('Failed');
    expect((await ask('validate', request, { gates, api: withClass(true) }, 'v1alpha1')).kind).toBe('Allowed');
  });

  it('are not looked at with the gate off, nor where the stored object does not resize', async () => {
    expect((await ask('validate', update, { api: withClass(false) })).kind).toBe('Allowed');
    const unasked = { ...update, oldObject: having(growing('1Gi'), 'spec.volumeClaimUpdateStrategy', { type: 'OnDelete' }) };
    expect((await ask('validate', unasked, { gates, api: withClass(false) })).kind).toBe('Allowed');
  });

  it('read classes only when a size changes, and say so when they cannot be read', async () => {
    expect((await ask('validate', { ...update, object: growing('1024Mi') }, { gates, failing: true })).kind).toBe('Allowed');
    const signal = AbortSignal.abort(new Error('the time of the review is over'));
    expect(await ask('validate', update, { gates, failing: true, signal })).toMatchObject({
      kind: 'Failed',
      message: expect.stringContaining('StorageClasses cannot be read'),
    });
  });
});

describe('protection from deletion', () => {
  const labelled = (value: string, replicas: number): KubeObject =>
    having(aStatefulSet({ replicas }), 'metadata.labels', { 'policy.kruise.io/delete-protection': value });
  const gates = { ResourcesDeletionProtection: true };
  const remove = (oldObject: KubeObject, setup: Setup = { gates }): Promise<Decision> =>
    ask('validate', { operation: 'DELETE', oldObject, object: undefined as unknown as KubeObject }, setup);

  it.each([
    { value: 'Always', replicas: 0, then: 'Failed' },
    { value: 'Cascading', replicas: 1, then: 'Failed' },
    { value: 'Cascading', replicas: 0, then: 'Allowed' },
  ])('$value with $replicas replicas: $then', async ({ value, replicas, then }) => {
    expect((await remove(labelled(value, replicas))).kind).toBe(then);
  });

  it('is off without its gate, ends for one that is being deleted, and is recorded', async () => {
    expect((await remove(labelled('Always', 1), {})).kind).toBe('Allowed');
    const going = having(labelled('Always', 1), 'metadata.deletionTimestamp', '2026-01-01T00:00:00Z');
    expect((await remove(going)).kind).toBe('Allowed');
    const records: ProtectionRecord[] = [];
    await remove(labelled('Always', 1), { gates, onProtected: (record) => void records.push(record) });
    expect(records).toMatchObject([{ Kind: 'StatefulSet', Namespace: 'default', Name: 'web' }]);
  });
});
