/** The rule of deletion protection, kind by kind the same. @see spec/deletion-protection.md 4 */
import { describe, expect, it } from '@jest/globals';
import type { AdmissionRequest } from '@kruise/admission';
import { defaultGates, type Gates } from '@kruise/api';
import type { Logger } from '@kruise/kube';
import { silentLogger } from '@kruise/kube/testing';
import type { ProtectionRecord } from '../process/protection-log.ts';
import { decideDeletion, replicasOf, type Cascade } from './decide-deletion.ts';

const label = 'policy.kruise.io/delete-protection';
const denial = `forbidden by ResourcesProtectionDeletion for ${label}`;
const { signal } = new AbortController();

const labelled = (value: unknown, more: { readonly metadata?: object; readonly spec?: object } = {}): object => ({
  metadata: { name: 'web', ...(value === undefined ? {} : { labels: { [label]: value } }), ...more.metadata },
  ...(more.spec === undefined ? {} : { spec: more.spec }),
});

interface Asked {
  readonly object?: unknown;
  readonly request?: object;
  readonly gates?: Partial<Gates>;
  readonly cascade?: Cascade | undefined;
  readonly logger?: Logger;
}

async function ask({ object, request, gates, logger, ...rest }: Asked) {
  const records: ProtectionRecord[] = [];
  const cascade = 'cascade' in rest ? rest.cascade : replicasOf;
  const asked = {
    operation: 'DELETE',
    kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
    resource: { group: 'apps', version: 'v1', resource: 'deployments' },
    namespace: 'shop',
    name: 'web',
    userInfo: { username: 'jane' },
    ...(object === undefined ? {} : { oldObject: object }),
    ...request,
  } as unknown as AdmissionRequest;
  const dependencies = {
    gates: { ...defaultGates, ResourcesDeletionProtection: true, ...gates },
    onProtected: (record: ProtectionRecord) => void records.push(record),
    ...(logger === undefined ? {} : { logger }),
  };
  return { decision: await decideDeletion(asked, dependencies, cascade, signal), records };
}

const refused = (message: string): object => ({ kind: 'Failed', code: 403, message });
const active: Cascade = () => ({ kind: 'Active', what: 'active pods 3>0' });

describe('a deletion is decided in this order', () => {
  it.each<{ name: string; asked: Asked; decision: object }>([
    {
      name: '1. what is no deletion is let through',
      asked: { object: labelled('Always'), request: { operation: 'UPDATE' } },
      decision: { kind: 'Allowed' },
    },
    {
      name: '1. so is that of a subresource',
      asked: { object: labelled('Always'), request: { subResource: 'status' } },
      decision: { kind: 'Allowed' },
    },
    { name: '2. and what comes without its object', asked: {}, decision: { kind: 'Allowed' } },
    { name: '2. or with none', asked: { object: null }, decision: { kind: 'Allowed' } },
    {
      name: '3. an object that cannot be read is refused, whatever the gate',
      asked: { object: 'Always', gates: { ResourcesDeletionProtection: false } },
      decision: { kind: 'Failed', code: 400, message: 'the request has no readable oldObject' },
    },
    {
      name: '4. with the gate off all may go (8)',
      asked: { object: labelled('Always'), gates: { ResourcesDeletionProtection: false } },
      decision: { kind: 'Allowed' },
    },
    {
      name: '4. one that is going already may go (7)',
      asked: { object: labelled('Always', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }) },
      decision: { kind: 'Allowed' },
    },
    {
      name: '4. a time of null is none',
      asked: { object: labelled('Always', { metadata: { deletionTimestamp: null } }) },
      decision: refused(`${denial}=Always`),
    },
    {
      name: '5. Always keeps it, with replicas or without (5)',
      asked: { object: labelled('Always') },
      decision: refused(`${denial}=Always`),
    },
    {
      name: '5. in a dry run as well (10)',
      asked: { object: labelled('Always'), request: { dryRun: true } },
      decision: refused(`${denial}=Always`),
    },
    {
      name: '5. Cascading keeps it while it has replicas (5)',
      asked: { object: labelled('Cascading', { spec: { replicas: 2 } }) },
      decision: refused(`${denial}=Cascading and replicas 2>0`),
    },
    {
      name: '5. not with 0',
      asked: { object: labelled('Cascading', { spec: { replicas: 0 } }) },
      decision: { kind: 'Allowed', warnings: [] },
    },
    {
      name: '5. not with none, which counts as 0',
      asked: { object: labelled('Cascading', { spec: {} }) },
      decision: { kind: 'Allowed', warnings: [] },
    },
    {
      name: '5. Cascading says what is left',
      asked: { object: labelled('Cascading'), cascade: active },
      decision: refused(`${denial}=Cascading and active pods 3>0`),
    },
    {
      name: '5. what cannot be found out keeps it',
      asked: { object: labelled('Cascading'), cascade: () => ({ kind: 'Unreadable', what: 'list pods error: no' }) },
      decision: refused('forbidden by ResourcesProtectionDeletion for list pods error: no'),
    },
    {
      name: '5. in words of its own where the contract has them',
      asked: { object: labelled('Cascading'), cascade: () => ({ kind: 'Unknown', message: 'failed to list' }) },
      decision: refused('failed to list'),
    },
    { name: '6. an object without the label may go', asked: { object: labelled(undefined) }, decision: { kind: 'Allowed', warnings: [] } },
    { name: '6. one without labels, too', asked: { object: {} }, decision: { kind: 'Allowed', warnings: [] } },
  ])('$name', async ({ asked, decision }) => {
    expect((await ask(asked)).decision).toEqual(decision);
  });

  it('only Cascading asks what an object still has', async () => {
    let asked = 0;
    const cascade: Cascade = () => {
      asked++;
      return { kind: 'None' };
    };
    for (const value of ['Always', 'Weird', undefined]) await ask({ object: labelled(value), cascade });
    await ask({ object: labelled('Cascading'), cascade, gates: { ResourcesDeletionProtection: false } });
    expect(asked).toBe(0);
    await ask({ object: labelled('Cascading'), cascade });
    expect(asked).toBe(1);
  });

  it('a deletion without its object leaves a line in the log', async () => {
    const lines: unknown[] = [];
    const logger: Logger = { ...silentLogger(), info: (fields, message) => void lines.push([fields, message]) };
    await ask({ logger });
    expect(lines).toEqual([
      [{ kind: 'Deployment', namespace: 'shop', name: 'web' }, 'Allowing a deletion whose review does not contain the object'],
    ]);
    await ask({ logger, object: labelled('Always') });
    expect(lines).toHaveLength(1);
  });
});

describe('a label that protects from nothing', () => {
  it.each<{ value: string; cascade?: undefined; warning: string }>([
    { value: 'Weird', warning: `label ${label}=Weird protects from nothing; known here: Always and Cascading` },
    { value: 'always', warning: `label ${label}=always protects from nothing; did you mean Always?` },
    { value: '', warning: `label ${label}= protects from nothing; known here: Always and Cascading` },
  ])('causes a warning and never a refusal: "$value" (11)', async ({ value, warning }) => {
    const { decision, records } = await ask({ object: labelled(value, { spec: { replicas: 1 } }) });
    expect(decision).toEqual({ kind: 'Allowed', warnings: [warning] });
    expect(records).toEqual([]);
  });

  it('is Cascading on a kind that has nothing to lose (6)', async () => {
    const { decision } = await ask({ object: labelled('Cascading', { spec: { replicas: 1 } }), cascade: undefined });
    expect(decision).toEqual({ kind: 'Allowed', warnings: [`label ${label}=Cascading protects from nothing; known here: Always`] });
  });

  it('causes no warning when it is valid', async () => {
    expect((await ask({ object: labelled('Cascading') })).decision).toEqual({ kind: 'Allowed', warnings: [] });
  });
});

describe('a refusal is reported to the metric and the protection log', () => {
  it('with kind, namespace, name and user, dry runs included (1, 10, 12)', async () => {
    const record = { Event: 'DeletionProtection', Kind: 'Deployment', Namespace: 'shop', Name: 'web', UserAgent: 'jane' };
    expect((await ask({ object: labelled('Always') })).records).toEqual([record]);
    expect((await ask({ object: labelled('Always'), request: { dryRun: true, userInfo: { username: 'bob' } } })).records).toEqual([
      { ...record, UserAgent: 'bob' },
    ]);
  });

  it('without a namespace for what has none: a namespace comes with its own name', async () => {
    const request = {
      kind: { group: '', version: 'v1', kind: 'Namespace' },
      resource: { group: '', version: 'v1', resource: 'namespaces' },
      namespace: 'web',
    };
    expect((await ask({ object: labelled('Always'), request })).records).toEqual([
      { Event: 'DeletionProtection', Kind: 'Namespace', Namespace: '', Name: 'web', UserAgent: 'jane' },
    ]);
  });

  it('by the name of the object where the request has none', async () => {
    const { records } = await ask({ object: labelled('Always'), request: { name: undefined, userInfo: {} } });
    expect(records).toMatchObject([{ Name: 'web', UserAgent: '' }]);
  });

  it('an allowed deletion is not reported', async () => {
    expect((await ask({ object: labelled('Weird') })).records).toEqual([]);
  });
});
