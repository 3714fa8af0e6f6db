/** Every reason for which a move does not begin. */
import { describe, expect, it } from '@jest/globals';
import type { Untyped } from '../../objects/untyped.ts';
import { adoptableTypes } from '../controllers.testing.ts';
import { directionFrom, type AdoptableKind } from '../observed/directions.ts';
import type { Observed } from '../observed/observed.ts';
import type { Refusal } from '../refusal.ts';
import { refusalsOf } from './refusals.ts';

const owner = (kind: string, uid: string): object => ({ apiVersion: 'apps/v1', kind, name: 'web', uid, controller: true });

const pod = (name: string, uid: string, more: object = {}, metadata: object = {}): Untyped =>
  ({ metadata: { name, uid: name, ownerReferences: uid === '' ? [] : [owner('any', uid)], ...metadata }, ...more }) as unknown as Untyped;

/** A source at rest with two Pods. */
interface Given {
  readonly from?: AdoptableKind;
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
  readonly pods?: readonly Untyped[];
  readonly replicaSets?: readonly Untyped[];
  readonly target?: Untyped;
  readonly targetName?: string;
}

function observed(given: Given): Observed {
  const { from = 'CloneSet', metadata = {}, spec = {}, status = {}, targetName = 'web' } = given;
  const direction = directionFrom(from)!;
  const replicaSet = { metadata: { name: 'web-1', uid: 'set', ownerReferences: [owner('Deployment', 'source')] }, spec: { replicas: 2 } };
  const controller = from === 'Deployment' ? 'set' : 'source';
  const counts = { replicas: 2, updatedReplicas: 2, currentNumberScheduled: 2, updatedNumberScheduled: 2, numberMisscheduled: 0 };
  return {
    direction,
    targetType: adoptableTypes[direction.to],
    targetName,
    source: {
      metadata: { name: 'web', uid: 'source', generation: 3, ...metadata },
      spec: { replicas: 2, ...spec },
      status: { observedGeneration: 3, ...counts, ...status },
    },
    target: given.target,
    replicaSets: given.replicaSets ?? (from === 'Deployment' ? [replicaSet as unknown as Untyped] : []),
    pods: given.pods ?? [pod('web-0', controller), pod('web-1', controller)],
    revisions: [],
    claims: [],
  };
}

const fieldsOf = (refusals: readonly Refusal[]): readonly string[] =>
  refusals.map(({ of, field }) => `${of === undefined ? '' : `${of} `}${field}`);

describe('a source', () => {
  it.each<AdoptableKind>(['Deployment', 'CloneSet', 'StatefulSet', 'AdvancedStatefulSet', 'DaemonSet', 'AdvancedDaemonSet'])(
    'that is a %s at rest is moved',
    (from) => expect(refusalsOf(observed({ from }))).toEqual([]),
  );

  it.each<{ readonly name: string; readonly given: Given; readonly fields: readonly string[] }>([
    { name: 'is being deleted', given: { metadata: { deletionTimestamp: 'now' } }, fields: ['metadata.deletionTimestamp'] },
    {
      name: 'is a child of another object',
      given: { metadata: { ownerReferences: [owner('UnitedDeployment', 'u')] } },
      fields: ['metadata.ownerReferences'],
    },
    {
      name: 'is protected',
      given: { metadata: { labels: { 'policy.kruise.io/delete-protection': 'Cascading' } } },
      fields: ['metadata.labels[policy.kruise.io/delete-protection]'],
    },
    {
      name: 'has a label that protects nothing',
      given: { metadata: { labels: { 'policy.kruise.io/delete-protection': 'no' } } },
      fields: [],
    },
    {
      name: 'has a target with its name',
      given: { target: { metadata: { name: 'web' } } },
      fields: ['Deployment/web metadata.name'],
    },
    { name: 'has a change that is not observed', given: { status: { observedGeneration: 2 } }, fields: ['status.observedGeneration'] },
    { name: 'has Pods of two revisions', given: { status: { updatedReplicas: 1 } }, fields: ['status'] },
    { name: 'has too few Pods', given: { spec: { replicas: 3 } }, fields: ['spec.replicas'] },
    { name: 'has a Pod that the status does not count yet', given: { pods: [pod('web-0', 'source')] }, fields: ['spec.replicas'] },
    {
      name: 'has a Pod that is being deleted',
      given: { pods: [pod('a', 'source'), pod('b', 'source'), pod('c', 'source', {}, { deletionTimestamp: 'now' })] },
      fields: ['Pod/c metadata.deletionTimestamp'],
    },
    {
      name: 'has ended Pods besides',
      given: { pods: [pod('a', 'source'), pod('b', 'source'), pod('c', 'source', { status: { phase: 'Failed' } })] },
      fields: [],
    },
    {
      name: 'selects a Pod without a controller',
      given: { pods: [pod('a', 'source'), pod('b', 'source'), pod('c', '')] },
      fields: ['Pod/c metadata.labels'],
    },
    { name: 'selects a Pod of another controller', given: { pods: [pod('a', 'source'), pod('b', 'source'), pod('c', 'x')] }, fields: [] },
    { name: 'has claims, as a CloneSet', given: { spec: { volumeClaimTemplates: [{}] } }, fields: ['spec.volumeClaimTemplates'] },
    { name: 'has claims, as a StatefulSet', given: { from: 'StatefulSet', spec: { volumeClaimTemplates: [{}] } }, fields: [] },
    { name: 'reserves ordinals', given: { from: 'AdvancedStatefulSet', spec: { reserveOrdinals: [1] } }, fields: ['spec.reserveOrdinals'] },
    {
      name: 'begins with another ordinal, to an Advanced StatefulSet',
      given: { from: 'StatefulSet', spec: { ordinals: { start: 1 } }, pods: [pod('web-1', 'source'), pod('web-2', 'source')] },
      fields: ['spec.ordinals.start'],
    },
    {
      name: 'begins with another ordinal, from an Advanced StatefulSet',
      given: { from: 'AdvancedStatefulSet', spec: { ordinals: { start: 1 } }, pods: [pod('web-1', 'source'), pod('web-2', 'source')] },
      fields: [],
    },
    {
      name: 'has Pods outside of its ordinals, because the gate is off',
      given: { from: 'AdvancedStatefulSet', spec: { ordinals: { start: 1 } } },
      fields: ['Pod/web-0 metadata.name'],
    },
    { name: 'gets another name, as a StatefulSet', given: { from: 'StatefulSet', targetName: 'db' }, fields: ['metadata.name'] },
    { name: 'gets another name, as a DaemonSet', given: { from: 'DaemonSet', targetName: 'db' }, fields: [] },
    { name: 'waits too long', given: { from: 'StatefulSet', spec: { minReadySeconds: 301 } }, fields: ['spec.minReadySeconds'] },
    { name: 'waits as long as possible', given: { from: 'StatefulSet', spec: { minReadySeconds: 300 } }, fields: [] },
    {
      name: 'has two ReplicaSets with Pods',
      given: {
        from: 'Deployment',
        replicaSets: [
          { metadata: { name: 'a', uid: 'set' }, spec: { replicas: 2 } },
          { metadata: { name: 'b', uid: 'old' }, spec: { replicas: 0 }, status: { replicas: 1 } },
        ],
      },
      fields: ['status'],
    },
    {
      name: 'has a protected ReplicaSet, because the template has the label',
      given: {
        from: 'Deployment',
        replicaSets: [
          { metadata: { name: 'a', uid: 'set', labels: { 'policy.kruise.io/delete-protection': 'Cascading' } }, spec: { replicas: 2 } },
        ],
      },
      fields: ['ReplicaSet/a metadata.labels[policy.kruise.io/delete-protection]'],
    },
    {
      name: 'selects a ReplicaSet without a controller, as a CloneSet',
      given: {
        replicaSets: [
          { metadata: { name: 'a', uid: 'a' }, spec: { replicas: 1 } },
          { metadata: { name: 'b', uid: 'b' }, spec: { replicas: 0 } },
          { metadata: { name: 'c', uid: 'c', ownerReferences: [owner('Deployment', 'x') as never] }, spec: { replicas: 1 } },
        ],
      },
      fields: ['ReplicaSet/a metadata.labels'],
    },
    { name: 'has nodes with an old Pod', given: { from: 'DaemonSet', status: { updatedNumberScheduled: 1 } }, fields: ['status'] },
    {
      name: 'has a Pod on a node where none should be',
      given: { from: 'DaemonSet', status: { currentNumberScheduled: 1, updatedNumberScheduled: 1, numberMisscheduled: 1 } },
      fields: [],
    },
    {
      name: 'has two Pods on a node',
      given: { from: 'DaemonSet', status: { currentNumberScheduled: 1, updatedNumberScheduled: 1 } },
      fields: ['spec.replicas'],
    },
  ])('that $name: $fields', ({ given, fields }) => {
    const refusals = refusalsOf(observed(given));
    expect(fieldsOf(refusals)).toEqual(fields);
    for (const { message } of refusals) expect(message).not.toBe('');
  });
});
