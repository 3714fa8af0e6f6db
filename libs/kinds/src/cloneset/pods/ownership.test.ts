/** Which Pods count, and what becomes of the claims of Pods that went. @see spec/cloneset.md 5.2 steps 3 to 5 */
import { describe, expect, it } from '@jest/globals';
import { cloneSetLabels, type CloneSet } from '@kruise/api';
import type { OwnerReference, Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { mountsOf } from '@kruise/workloads';
import { plan } from '../plan.ts';
import { momentOf, planned, type Row } from '../situation.testing.ts';

const unlike = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, app: 'other' } } });
const owner = (name: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'Thing',
  name,
  uid: `uid-${name}`,
  ...more,
});
const ownedBy =
  (...ownerReferences: readonly OwnerReference[]) =>
  (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, ownerReferences } });
const alsoOwnedBy =
  (other: OwnerReference) =>
  (pod: Pod): Pod =>
    ownedBy(other, ...(pod.metadata.ownerReferences ?? []))(pod);

const mounting =
  (claimName: string) =>
  (pod: Pod): Pod => ({ ...pod, spec: { ...pod.spec, volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] } });

const released = (name: string): string => `Pod ${name} uses it and no longer belongs to the CloneSet`;
const letGo = 'its labels no longer match the selector';
const deleted = 'its Pod no longer exists and claims are not reused';
const missing = (count: number, replicas: number): string =>
  `${count} Pods are missing (replicas ${replicas}, surge 0), ${count} may be created now`;
const claimTemplate = { metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1Gi' } } } };
const withClaims = { volumeClaimTemplates: [claimTemplate] as NonNullable<CloneSet['spec']['volumeClaimTemplates']> };

const table = (rows: readonly Row[]): void => {
  it.each(rows)('$name', ({ name: _name, then, ...given }) => {
    expect(planned(given)).toEqual(then);
  });
};

describe('a Pod', () => {
  table([
    {
      name: 'whose labels stopped matching is let go, and replaced at once',
      set: { replicas: 2 },
      pods: { a: {}, b: { with: unlike } },
      then: { groundwork: [`ReleasePod b: ${letGo}`], scale: [`CreatePod of r1: ${missing(1, 2)}`] },
    },
    {
      name: 'that is let go keeps its other owners',
      set: { replicas: 0 },
      pods: { a: { with: (pod) => unlike(alsoOwnedBy(owner('other'))(pod)) } },
      then: { groundwork: [`ReleasePod a to other: ${letGo}`] },
    },
    {
      name: 'whose labels stopped matching is left alone when it is finished or terminating',
      set: { replicas: 0 },
      pods: { a: { with: unlike, phase: 'Failed' }, b: { with: unlike, terminating: true } },
      then: {},
    },
    {
      name: 'of another controller is left alone and does not count',
      set: { replicas: 1 },
      pods: { a: { with: ownedBy(owner('other', { controller: true })) } },
      then: { scale: [`CreatePod of r1: ${missing(1, 1)}`] },
    },
    {
      name: 'of no controller is not adopted and does not count',
      set: { replicas: 1 },
      pods: { a: { with: ownedBy() } },
      then: { scale: [`CreatePod of r1: ${missing(1, 1)}`] },
    },
    {
      name: 'that carries an owner reference of an older version counts',
      set: { replicas: 1 },
      pods: {
        a: {
          with: ownedBy(owner('sample', { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', uid: 'set-uid', controller: true })),
        },
      },
      then: {},
    },
  ]);
});

describe('claims, without reuse', () => {
  table([
    {
      name: 'stay with active Pods',
      set: { replicas: 2, spec: withClaims },
      pods: { a: {}, b: { ready: false, phase: 'Pending' } },
      claims: ['data-a', 'data-b', 'logs-b'],
      then: {},
    },
    {
      name: 'of deleted Pods are deleted',
      set: { replicas: 1, spec: withClaims },
      pods: { a: {} },
      claims: ['data-x', 'data-a', 'data-y'],
      then: { groundwork: [`DeleteClaim data-x: ${deleted}`, `DeleteClaim data-y: ${deleted}`] },
    },
    {
      name: 'of finished and terminating Pods are handed over to them',
      set: { replicas: 0, spec: withClaims },
      pods: { a: { phase: 'Failed' }, b: { phase: 'Succeeded' }, c: { terminating: true } },
      claims: ['data-a', 'data-b', 'data-c', 'data-d'],
      then: {
        groundwork: [
          'HandOverClaim data-a to Pod a: Pod a has ended',
          'HandOverClaim data-b to Pod b: Pod b has ended',
          'HandOverClaim data-c to Pod c: Pod c has ended',
          `DeleteClaim data-d: ${deleted}`,
        ],
      },
    },
    {
      name: 'of an active Pod whose labels stopped matching are handed over to it when it is released',
      set: { replicas: 0, spec: withClaims },
      pods: { a: { with: unlike } },
      claims: ['data-a'],
      then: { groundwork: [`HandOverClaim data-a to Pod a: ${released('a')}`, `ReleasePod a: ${letGo}`] },
    },
    {
      name: 'of a Pod that was released before are handed over to it',
      set: { replicas: 0, spec: withClaims },
      seen: { mounts: mountsOf([mounting('data-sample-a')(aPod({ name: 'sample-a' }))]) },
      claims: ['data-a'],
      then: { groundwork: [`HandOverClaim data-a to Pod a: ${released('a')}`] },
    },
    {
      name: 'that an active Pod mounts stay when the Pod lost its instance id',
      set: { replicas: 1, spec: withClaims },
      pods: { a: { with: mounting('data-sample-a'), labels: { [cloneSetLabels.instanceId]: '' } } },
      claims: ['data-a'],
      then: {},
    },
    {
      name: 'of a Pod that lost its instance id go with it',
      set: { replicas: 0, spec: withClaims },
      pods: { a: { with: mounting('data-sample-a'), labels: { [cloneSetLabels.instanceId]: '' }, terminating: true } },
      claims: ['data-a'],
      then: { groundwork: ['HandOverClaim data-a to Pod a: Pod a has ended'] },
    },
    {
      name: 'are never used again: a new Pod has a new id and brings its own',
      set: { replicas: 1, spec: withClaims },
      claims: ['data-x'],
      then: { groundwork: [`DeleteClaim data-x: ${deleted}`], scale: [`CreatePod of r1 with data: ${missing(1, 1)}`] },
    },
    {
      name: 'are seen to before Pods are let go',
      set: { replicas: 0, spec: withClaims },
      pods: { a: { with: unlike } },
      claims: ['data-x'],
      then: { groundwork: [`DeleteClaim data-x: ${deleted}`, `ReleasePod a: ${letGo}`] },
    },
  ]);

  it('do not affect the names of new Pods, which are the same after their deletion', () => {
    const namesWith = (claims: readonly string[]): readonly string[] => {
      const { seen, context } = momentOf({ set: { replicas: 2, spec: withClaims }, pods: { a: {} }, claims });
      return plan(seen, context).scale.flatMap((action) => ('pod' in action ? [action.pod.metadata.name] : []));
    };
    expect(namesWith(['data-a', 'data-x'])).toEqual(namesWith(['data-a']));
  });

  it('that are handed over belong to the Pod as its controller, and no more to the CloneSet', () => {
    const given = { set: { replicas: 0 }, pods: { a: { terminating: true } }, claims: ['data-a'] };
    const { seen, context } = momentOf(given);
    const [claim] = seen.claims;
    const other = owner('other');
    const both = {
      ...claim,
      metadata: { ...claim?.metadata, ownerReferences: [other, ...(claim?.metadata.ownerReferences ?? [])] },
    } as NonNullable<typeof claim>;
    expect(plan({ ...seen, claims: [both] }, context).groundwork).toMatchObject([
      {
        kind: 'HandOverClaim',
        ownerReferences: [
          other,
          { apiVersion: 'v1', kind: 'Pod', name: 'sample-a', uid: 'uid-sample-a', controller: true, blockOwnerDeletion: true },
        ],
      },
    ]);
  });
});

describe('claims, with reuse', () => {
  table([
    {
      name: 'stay whatever became of their Pods',
      set: { replicas: 1, spec: { ...withClaims, scaleStrategy: { enablePVCReuse: true } } },
      pods: { a: {}, b: { phase: 'Failed' }, c: { terminating: true } },
      claims: ['data-a', 'data-b', 'data-c', 'data-d'],
      then: {},
    },
  ]);
});
