/** The write that gives a Pod its new owner. */
import { describe, expect, it } from '@jest/globals';
import type { Untyped } from '../objects/untyped.ts';
import { podPatch, type NewOwner } from './plan-pod.ts';

const reference = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'CloneSet',
  name: 'web',
  uid: 'new',
  controller: true,
  blockOwnerDeletion: true,
};
const former = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'old', controller: true };
const plain = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' };

const pod = (name: string, labels: object, ownerReferences: readonly object[] = []): Untyped =>
  ({ metadata: { name, uid: 'u1', labels: { app: 'web', ...labels }, ownerReferences } }) as unknown as Untyped;
const to = (kind: NewOwner['kind'], revision: string | undefined): NewOwner => ({ kind, revision, reference });
const owners = new Set(['old']);
const id = 'apps.kruise.io/cloneset-instance-id';

describe('podPatch', () => {
  it.each<{ readonly name: string; readonly given: Untyped; readonly next: NewOwner; readonly metadata: object | undefined }>([
    {
      name: 'replaces the reference to the former owner, keeps others, and keeps the id that the name ends with',
      given: pod('web-1-bcd24', { 'pod-template-hash': '1' }, [plain, former]),
      next: to('CloneSet', 'web-abc'),
      metadata: {
        uid: 'u1',
        ownerReferences: [plain, reference],
        labels: { 'controller-revision-hash': 'web-abc', 'pod-template-hash': 'abc', [id]: 'bcd24' },
      },
    },
    {
      name: 'makes an id of the UID where the name has none',
      given: pod('web', {}, [reference]),
      next: to('CloneSet', 'web-abc'),
      metadata: {
        uid: 'u1',
        labels: { 'controller-revision-hash': 'web-abc', 'pod-template-hash': 'abc', [id]: expect.stringMatching(/^[a-z0-9]{5}$/) },
      },
    },
    {
      name: 'labels with the hash alone when the name of the revision is too long for a label',
      given: pod('web-bcd24', { [id]: 'bcd24' }, [reference]),
      next: to('CloneSet', `${'w'.repeat(60)}-abc`),
      metadata: { uid: 'u1', labels: { 'controller-revision-hash': 'abc', 'pod-template-hash': 'abc' } },
    },
    {
      name: 'removes what only Kruise reads from a Pod of a Deployment',
      given: pod('web-bcd24', {
        [id]: 'bcd24',
        'controller-revision-hash': 'web-abc',
        'pod-template-hash': 'abc',
        'lifecycle.apps.kruise.io/state': 'Normal',
      }),
      next: to('Deployment', 'abc'),
      metadata: {
        uid: 'u1',
        ownerReferences: [reference],
        labels: { [id]: null, 'controller-revision-hash': null, 'lifecycle.apps.kruise.io/state': null },
      },
    },
    {
      name: 'removes the generation, by which a DaemonSet would take the Pod as updated later on',
      given: pod('a', { 'pod-template-generation': '2', 'controller-revision-hash': 'x' }, [reference]),
      next: to('DaemonSet', 'y'),
      metadata: { uid: 'u1', labels: { 'pod-template-generation': null, 'controller-revision-hash': 'y' } },
    },
    {
      name: 'leaves the lifecycle state to controllers of Kruise, which write it again',
      given: pod('web-0', { 'lifecycle.apps.kruise.io/state': 'Normal', 'controller-revision-hash': 'web-abc' }, [reference]),
      next: to('AdvancedStatefulSet', 'web-abc'),
      metadata: undefined,
    },
    {
      name: 'changes only the owner while the revision is not known',
      given: pod('web-0', { 'controller-revision-hash': 'old' }, [former]),
      next: to('AdvancedDaemonSet', undefined),
      metadata: { uid: 'u1', ownerReferences: [reference] },
    },
  ])('$name', ({ given, next, metadata }) => {
    expect(podPatch(given, next, owners)).toEqual(metadata === undefined ? undefined : { metadata });
  });
});
