import { expect, it } from '@jest/globals';
import type { KubeObject } from '@kruise/objects';
import { planOwnership } from './readme.testing.ts';

it('the example of the README adopts selected objects and releases those that are no longer selected', () => {
  const owner = (uid: string) => [{ apiVersion: 'v1', kind: 'Owner', name: 'o', uid, controller: true }];
  const objects = [
    { metadata: { name: 'orphan', labels: { app: 'web' } } },
    { metadata: { name: 'ours', labels: { app: 'web' }, ownerReferences: owner('me') } },
    { metadata: { name: 'relabelled', ownerReferences: owner('me') } },
    { metadata: { name: 'foreign', labels: { app: 'web' }, ownerReferences: owner('other') } },
  ];
  const selects = ({ metadata }: KubeObject): boolean => metadata.labels?.['app'] === 'web';
  const workload = { uid: 'me', isBeingDeleted: false, selects };
  expect(planOwnership(objects, workload)).toEqual(['adopt orphan', '', 'release relabelled, 0 owners left', '']);
});
