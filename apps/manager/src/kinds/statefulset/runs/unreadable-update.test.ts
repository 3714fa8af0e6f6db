import { expect, it } from '@jest/globals';
import { describeUnreadableUpdate } from '../../../workloads/unreadable-update.testing.ts';
import { planned } from '../plan/situation.testing.ts';
import { StatefulSetCluster } from '../cluster.testing.ts';

describeUnreadableUpdate(
  'StatefulSet with Parallel',
  1,
  () => new StatefulSetCluster({ parallel: true, rollingUpdate: { maxUnavailable: 2 } }),
);

const unreadable = { of: 1, annotations: { 'apps.kruise.io/inplace-update-state': '{garbage' } };

it('an unreadable annotation on an available Pod uses up nothing of maxUnavailable, when ordered', () => {
  const given = { revisions: 2, pods: { 0: unreadable, 1: { of: 1 }, 2: { of: 1 } } };
  expect(planned(given).does).toEqual(['UpdatePodInPlace web-2']);
});
