/** Both webhooks of UnitedDeployments, as the API server calls them. @see spec/uniteddeployment.md 4 */
import { describe, expect, it } from '@jest/globals';
import type { AdmissionRequest, Decision } from '@kruise/admission';
import { defaultGates, deleteProtection, labels, type Gates } from '@kruise/api';
import type { KubeObject } from '@kruise/objects';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { unitedDeploymentAdmission } from './admission.ts';
import { aUnited, templateOf, type UnitedShape } from '@kruise/kinds/uniteddeployment/testing';

const { signal } = new AbortController();

interface Question {
  readonly object?: KubeObject | undefined;
  readonly oldObject?: KubeObject;
  readonly operation?: string;
  readonly version?: string;
  readonly gates?: Partial<Gates>;
}

function ask(verb: 'mutate' | 'validate', { object, oldObject, operation, version = 'v1beta1', gates = {} }: Question): Promise<Decision> {
  const dependencies = { gates: { ...defaultGates, ResourcesDeletionProtection: true, ...gates }, allowPrivileged: true, kubernetes: 34 };
  const handler = unitedDeploymentAdmission(dependencies as unknown as HandlerDependencies).find(
    ({ path }) => path === `/${verb}-apps-kruise-io-uniteddeployment`,
  );
  if (handler === undefined) throw new Error(`no handler to ${verb}`);
  const request = {
    uid: 'r',
    kind: { group: 'apps.kruise.io', version, kind: 'UnitedDeployment' },
    resource: { group: 'apps.kruise.io', version, resource: 'uniteddeployments' },
    namespace: 'default',
    name: 'web',
    operation: operation ?? (oldObject === undefined ? 'CREATE' : 'UPDATE'),
    userInfo: { username: 'jane' },
    object,
    ...(oldObject === undefined ? {} : { oldObject }),
  };
  return Promise.resolve(handler.decide(request as unknown as AdmissionRequest, signal));
}

describe('a UnitedDeployment that is submitted', () => {
  it('is stored as it is when nothing is missing, and filled in otherwise', async () => {
    expect(await ask('mutate', { object: aUnited() })).toEqual({ kind: 'Allowed' });
    const { replicas: _replicas, ...spec } = aUnited().spec;
    expect(await ask('mutate', { object: { ...aUnited(), spec } as KubeObject })).toMatchObject({
      kind: 'Changed',
      object: { spec: { replicas: 1 } },
    });
    expect(await ask('mutate', { object: undefined })).toMatchObject({ kind: 'Failed', code: 400 });
    expect(await ask('mutate', { object: aUnited(), version: 'v1' })).toMatchObject({ kind: 'Failed', code: 400 });
  });

  it.each(['v1alpha1', 'v1beta1'])('in %s is judged by the same rules, with all faults at once', async (version) => {
    const object = { ...aUnited({ replicas: -1 }), spec: { ...aUnited({ replicas: -1 }).spec, selector: {} } };
    const decision = await ask('validate', { object, version });
    expect(decision).toMatchObject({ kind: 'Failed', code: 422 });
    for (const path of ['spec.replicas', 'spec.selector']) expect(JSON.stringify(decision)).toContain(path);
    expect(await ask('validate', { object: aUnited(), version })).toMatchObject({ kind: 'Allowed', warnings: [] });
  });

  it('is warned of partitions that do nothing', async () => {
    const object = aUnited({ kind: 'Deployment', partitions: { a: 1 } });
    expect(await ask('validate', { object })).toMatchObject({ kind: 'Allowed', warnings: [expect.stringContaining('Deployments')] });
  });

  it('keeps its selector, and may get a template of another kind', async () => {
    const oldObject = aUnited();
    const spec = { ...oldObject.spec, selector: { matchLabels: { app: 'web', more: 'x' } } };
    expect(await ask('validate', { object: { ...oldObject, spec } as KubeObject, oldObject })).toMatchObject({ kind: 'Failed', code: 422 });
    const other = { ...oldObject, spec: { ...oldObject.spec, template: templateOf('StatefulSet') } };
    expect(await ask('validate', { object: other, oldObject })).toMatchObject({ kind: 'Allowed' });
  });
});

describe('a UnitedDeployment that is deleted (19)', () => {
  const labelled = (value: string, shape: UnitedShape = {}): KubeObject => {
    const object = aUnited(shape);
    return { ...object, metadata: { ...object.metadata, labels: { [labels.deleteProtection]: value } } };
  };
  it.each([
    { name: 'always protected', oldObject: labelled(deleteProtection.always, { replicas: 0 }), then: 403 },
    { name: 'protected while it has replicas', oldObject: labelled(deleteProtection.cascading), then: 403 },
    {
      name: 'protected while it has replicas, and has none',
      oldObject: labelled(deleteProtection.cascading, { replicas: 0 }),
      then: undefined,
    },
    { name: 'not protected', oldObject: aUnited(), then: undefined },
  ])('$name', async ({ oldObject, then }) => {
    const decision = await ask('validate', { oldObject, operation: 'DELETE' });
    expect(decision).toMatchObject(then === undefined ? { kind: 'Allowed' } : { kind: 'Failed', code: then });
    const off = await ask('validate', { oldObject, operation: 'DELETE', gates: { ResourcesDeletionProtection: false } });
    expect(off).toMatchObject({ kind: 'Allowed' });
  });
});
