/** What a plan says of its actions, and what it does with incomplete objects. @see spec/statefulset.md 5 */
import { describe, expect, it } from '@jest/globals';
import { plan } from '@kruise/kinds/statefulset';
import { all, data, held, momentOf, parallel, planned, type Situation } from './situation.testing.ts';
import { aClaimTemplate } from '@kruise/kinds/statefulset/testing';

const policyOfDeletion = {
  spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain', whenDeleted: 'Delete' } },
} satisfies Situation['set'];
const isReconcilable = (given: Situation): readonly string[] => planned(given).does;

describe('reasons', () => {
  const reasonsOf = (given: Situation): readonly string[] => {
    const { seen, context } = momentOf(given);
    const { slots, upkeep, update, claimOwners, deletions } = plan(seen, context);
    return [...upkeep, ...slots, ...claimOwners, ...deletions, ...update].map(({ because }) => because);
  };
  it.each<{ given: Situation; then: readonly string[] }>([
    { given: { set: { replicas: 1 }, pods: { 0: { phase: 'Failed' } } }, then: ['it has failed'] },
    { given: { set: { replicas: 1 }, pods: { 0: { phase: 'Succeeded' } } }, then: ['it has ended'] },
    {
      given: { set: { ...data, replicas: 1 }, pods: { 0: { phase: 'Pending', ready: false } } },
      then: ['Pod web-0 needs data-web-0'],
    },
    {
      given: { set: { ...parallel, replicas: 1 }, pods: { 0: { marked: true } } },
      then: ['it is marked for deletion, 0 of 1 may be unavailable'],
    },
    {
      given: { set: { replicas: 1, spec: held }, pods: { 0: { marked: true, state: 'PreparingDelete' } } },
      then: ['its preDelete hook let go'],
    },
    {
      given: { set: { ...policyOfDeletion, ...data, replicas: 1 }, pods: { 0: {} }, claims: { 0: {} } },
      then: ['the retention policy requires the StatefulSet as owner'],
    },
  ])('$then', ({ given, then }) => {
    expect(reasonsOf(given)).toEqual(then);
  });

  it('name the sizes of a claim', () => {
    const given: Situation = {
      set: {
        replicas: 1,
        claims: [aClaimTemplate('data', '2Gi')],
        spec: { volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' } },
      },
      classes: [{ metadata: { name: 'fast' }, allowVolumeExpansion: true }],
      pods: { 0: {} },
      claims: { 0: {} },
      gates: { StatefulSetAutoResizePVCGate: true },
    };
    expect(reasonsOf(given)).toEqual(['it requests 1Gi, its template requests 2Gi']);
  });
});

describe('a plan', () => {
  it('of a StatefulSet that is as it should be is empty', () => {
    expect(planned({ pods: all(3) })).toEqual({ does: [] });
    expect(isReconcilable({ set: { ...data }, pods: all(3), claims: { 0: {}, 1: {}, 2: {} } })).toEqual([]);
  });
});
