/** Steps of a move that other clients disturb. */
import { describe, expect, it } from '@jest/globals';
import type { Untyped } from '../../objects/untyped.ts';
import { adoptableTypes } from '../controllers.testing.ts';
import { directionFrom } from '../observed/directions.ts';
import { adoptMark, type Observed } from '../observed/observed.ts';
import { planAdoption } from './plan-adoption.ts';
import { adoptRecord } from './source-record.ts';
import type { Step } from '../step.ts';

const word = 'statefulsets.apps.kruise.io/web';

const target = (mark: string | undefined, metadata: object = {}): Untyped => ({
  kind: 'StatefulSet',
  metadata: { name: 'web', uid: 'target', generation: 1, annotations: mark === undefined ? {} : { [adoptMark]: mark }, ...metadata },
  spec: { replicas: 1, updateStrategy: { type: 'OnDelete' } },
  status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, updateRevision: 'web-1' },
});

/** A StatefulSet that was deleted and is kept, and its only Pod without an owner. */
const observed = (more: Partial<Observed>): Observed => ({
  direction: directionFrom('StatefulSet')!,
  targetType: adoptableTypes.AdvancedStatefulSet,
  targetName: 'web',
  source: {
    metadata: { name: 'web', uid: 'source', deletionTimestamp: 'now', annotations: { [adoptMark]: word }, finalizers: [adoptMark] },
    spec: { replicas: 1 },
  },
  target: undefined,
  replicaSets: [],
  pods: [{ metadata: { name: 'web-0', uid: 'pod', labels: { 'controller-revision-hash': 'web-1' } } }],
  revisions: [],
  claims: [],
  ...more,
});

const stepOf = (more: Partial<Observed>): Step => planAdoption(observed(more), word);

describe('a target on hold', () => {
  it('gets the Pods of the source whose UID it has', () => {
    expect(stepOf({ target: target('source') })).toMatchObject({ kind: 'Write', because: 'handing over 1 Pod' });
  });

  it('gets no Pod of another source', () => {
    expect(stepOf({ target: target('other') })).toMatchObject({
      kind: 'Refuse',
      refusals: [{ of: 'StatefulSet/web', field: 'metadata.annotations[kubectl-kruise/adopt]' }],
    });
  });

  it('gets no Pod while it is being deleted, because the Pod would be collected with it', () => {
    expect(stepOf({ target: target('source', { deletionTimestamp: 'now' }) })).toEqual({
      kind: 'Wait',
      because: 'StatefulSet/web, which is on hold, is being deleted by another client',
    });
  });
});

describe('a Deployment that was marked', () => {
  /** The API server counts a new annotation of a Deployment as a new generation. */
  const marked = (observedGeneration: number): Untyped => ({
    metadata: { name: 'web', uid: 'source', generation: 2, annotations: { [adoptMark]: word }, finalizers: [adoptMark] },
    spec: { replicas: 0 },
    status: { observedGeneration },
  });
  const given = { direction: directionFrom('Deployment')!, pods: [] };

  it('keeps its mark until its controller has seen it', () => {
    expect(stepOf({ ...given, source: marked(1) })).toEqual({ kind: 'Wait', because: 'the controller of the source sees the mark' });
  });

  it('is moved then', () => {
    expect(stepOf({ ...given, source: marked(2) })).toMatchObject({ kind: 'Write' });
  });
});

describe('the end', () => {
  const references = (...uids: readonly string[]): object => ({
    ownerReferences: uids.map((uid) => ({ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid })),
  });
  const claim = (name: string, ...uids: readonly string[]): Untyped => ({
    metadata: { name, uid: name, ...(uids.length === 0 ? {} : references(...uids)) },
  });
  const pods = [{ metadata: { name: 'web-0', uid: 'pod', ownerReferences: [{ uid: 'target', controller: true }] } } as unknown as Untyped];

  it('takes claims from the source, which would be deleted with it', () => {
    const claims = [claim('a', 'source', 'target'), claim('b', 'source'), claim('c', 'target'), claim('d')];
    expect(stepOf({ target: target(undefined), pods, claims })).toMatchObject({
      kind: 'Write',
      because: 'removing the source as owner of the claims',
      writes: [
        { object: { metadata: { name: 'a' } }, patch: { metadata: { ownerReferences: [{ uid: 'target' }] } } },
        { object: { metadata: { name: 'b' } }, patch: { metadata: { ownerReferences: [] } } },
      ],
    });
  });

  it('lets the source go when no claim refers to it', () => {
    expect(stepOf({ target: target(undefined), pods, claims: [claim('c', 'target')] })).toMatchObject({
      writes: [{ object: { metadata: { uid: 'source' } }, patch: { metadata: { finalizers: [] } } }],
    });
  });
});

describe('a source whose template another client changed', () => {
  const record = (revision: string): string => JSON.stringify({ template: 'another', revision, spec: { replicas: 2 } });
  const source = (revision: string): Untyped => ({
    metadata: {
      name: 'web',
      uid: 'source',
      deletionTimestamp: 'now',
      annotations: { [adoptMark]: word, [adoptRecord]: record(revision) },
      finalizers: [adoptMark],
    },
    spec: { replicas: 5, template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ image: 'new' }] } } },
  });
  const revisions = [
    {
      metadata: { name: 'web-1', uid: 'r' },
      data: { spec: { template: { spec: { containers: [{ image: 'old' }] }, $patch: 'replace' } } },
    },
  ] as unknown as readonly Untyped[];

  it('becomes a target with the template that the Pods run and the former replicas', () => {
    expect(stepOf({ source: source('web-1'), revisions })).toMatchObject({
      because: 'creating the target, on hold',
      writes: [{ object: { spec: { replicas: 2, template: { spec: { containers: [{ image: 'old' }] } } } } }],
    });
  });

  it('becomes a target with the present template when it has no Pods', () => {
    expect(stepOf({ source: source(''), pods: [] })).toMatchObject({
      writes: [{ object: { spec: { replicas: 2, template: { spec: { containers: [{ image: 'new' }] } } } } }],
    });
  });

  it('is refused while no revision has the template that the Pods run', () => {
    expect(stepOf({ source: source('web-1') })).toMatchObject({
      kind: 'Refuse',
      refusals: [{ field: 'spec.template', message: expect.stringContaining('revision "web-1"') as unknown }],
    });
  });

  it('is moved as it is when the record is not readable', () => {
    const unreadable = source('web-1');
    const metadata = { ...unreadable.metadata, annotations: { [adoptMark]: word, [adoptRecord]: '{' } };
    expect(stepOf({ source: { ...unreadable, metadata } })).toMatchObject({ writes: [{ object: { spec: { replicas: 5 } } }] });
  });
});
