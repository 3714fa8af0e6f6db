import { describe, expect, it } from '@jest/globals';
import { memberAt, type JsonObject } from '@kruise/objects';
import { convertedObject, deepFreeze } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';

const term = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] };
const preferred = [{ weight: 1, preference: term }];
const time = '2026-01-02T03:04:05Z';

const alphaCondition = { type: 'Schedulable', status: 'True', lastTransitionTime: time };
const betaCondition = { ...alphaCondition, reason: 'Unknown', message: '' };
const state = { name: 'a', replicas: 1, missingReplicas: -1, creatingPods: { p: time } };

describe('conversion of WorkloadSpreads', () => {
  it('keeps the states of versions that need no change, and copies only those that do', () => {
    const statusOf = (versions: JsonObject): JsonObject =>
      deepFreeze({ metadata: { name: 'w' }, status: { versionedSubsetStatuses: versions } });
    const versionsOf = (object: JsonObject): unknown => memberAt(object, 'status', 'versionedSubsetStatuses');
    const complete = statusOf({ v1: [{ ...state, conditions: [betaCondition] }], v2: [state] });
    expect(versionsOf(convertedObject(converter.fromHub(complete)))).toBe(versionsOf(complete));
    const partial = statusOf({ v1: [{ ...state, conditions: [alphaCondition] }], v2: [state] });
    const after = convertedObject(converter.toHub(partial));
    expect(versionsOf(after)).toEqual({ v1: [{ ...state, conditions: [betaCondition] }], v2: [state] });
    expect(memberAt(versionsOf(after), 'v2')).toBe(memberAt(versionsOf(partial), 'v2'));
  });

  it('renames the rules on nodes of each subset and fills conditions in both lists of states', () => {
    const alpha = deepFreeze({
      metadata: { name: 'w' },
      spec: {
        subsets: [
          { name: 'a', requiredNodeSelectorTerm: term, patch: { metadata: {} } },
          { name: 'b', preferredNodeSelectorTerms: preferred },
        ],
      },
      status: {
        subsetStatuses: [{ ...state, conditions: [alphaCondition] }],
        versionedSubsetStatuses: { v1: [{ ...state, conditions: [{ ...alphaCondition, reason: '' }] }], v2: [state] },
      },
    });
    expect(convertedObject(converter.toHub(alpha))).toEqual({
      metadata: { name: 'w' },
      spec: {
        subsets: [
          { name: 'a', requiredNodeSelector: term, patch: { metadata: {} } },
          { name: 'b', preferredNodeSelector: preferred },
        ],
      },
      status: {
        subsetStatuses: [{ ...state, conditions: [betaCondition] }],
        versionedSubsetStatuses: { v1: [{ ...state, conditions: [betaCondition] }], v2: [state] },
      },
    });
  });

  it('takes null in a condition for absent', () => {
    const condition = { type: 'Schedulable', status: 'True', reason: null, message: null, lastTransitionTime: null };
    const alpha = { metadata: { name: 'w' }, status: { subsetStatuses: [{ ...state, conditions: [condition] }] } };
    expect(convertedObject(converter.toHub(alpha))).toHaveProperty('status.subsetStatuses.0.conditions', [
      { type: 'Schedulable', status: 'True', reason: 'Unknown', message: '', lastTransitionTime: '1970-01-01T00:00:00Z' },
    ]);
  });

  it('gives a condition without a time the start of time, as v1beta1 requires one', () => {
    const alpha = {
      metadata: { name: 'w' },
      status: { subsetStatuses: [{ ...state, conditions: [{ type: 'Schedulable', status: 'True', reason: 'R' }] }] },
    };
    expect(convertedObject(converter.toHub(alpha))['status']).toEqual({
      subsetStatuses: [
        {
          ...state,
          conditions: [{ type: 'Schedulable', status: 'True', reason: 'R', message: '', lastTransitionTime: '1970-01-01T00:00:00Z' }],
        },
      ],
    });
  });

  it.each([null, undefined, ''])('has no time in v1alpha1 when it has %p', (lastTransitionTime) => {
    const condition = { type: 'Schedulable', status: 'True', reason: 'R', message: '', lastTransitionTime };
    const alpha = { metadata: { name: 'w' }, status: { subsetStatuses: [{ ...state, conditions: [condition] }] } };
    const again = convertedObject(converter.fromHub(convertedObject(converter.toHub(alpha))));
    expect(again).toMatchObject({ status: { subsetStatuses: [{ conditions: [{ type: 'Schedulable', status: 'True', reason: 'R' }] }] } });
    expect(again).not.toHaveProperty('status.subsetStatuses.0.conditions.0.lastTransitionTime');
  });

  it('renames back and drops observedGeneration of conditions', () => {
    const beta = deepFreeze({
      metadata: { name: 'w' },
      spec: { subsets: [{ name: 'a', requiredNodeSelector: term, preferredNodeSelector: preferred }] },
      status: { observedGeneration: 3, subsetStatuses: [{ ...state, conditions: [{ ...betaCondition, observedGeneration: 2 }] }] },
    });
    expect(convertedObject(converter.fromHub(beta))).toEqual({
      metadata: { name: 'w' },
      spec: { subsets: [{ name: 'a', requiredNodeSelectorTerm: term, preferredNodeSelectorTerms: preferred }] },
      status: { observedGeneration: 3, subsetStatuses: [{ ...state, conditions: [betaCondition] }] },
    });
  });

  it('leaves absent lists and maps absent', () => {
    const alpha = { metadata: { name: 'w' }, spec: { subsets: [{ name: 'a' }] }, status: {} };
    expect(convertedObject(converter.toHub(alpha))).toEqual(alpha);
    expect(convertedObject(converter.fromHub(alpha))).toEqual(alpha);
  });
});
