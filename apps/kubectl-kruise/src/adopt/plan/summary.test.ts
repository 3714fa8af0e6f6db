/** What the plugin prints before a move. */
import { expect, it } from '@jest/globals';
import type { Untyped } from '../../objects/untyped.ts';
import { adoptableTypes } from '../controllers.testing.ts';
import { directionFrom, type AdoptableKind } from '../observed/directions.ts';
import { summaryOf } from './summary.ts';

const template = { spec: { readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] } };
const reference = { apiVersion: 'apps/v1', kind: 'X', name: 'web', uid: 'source', controller: true };
const pod = { metadata: { name: 'web-0', uid: 'pod', finalizers: ['a/b', 'c/d'], ownerReferences: [reference] } };

const notesOf = (from: AdoptableKind, spec: object): readonly string[] => {
  const direction = directionFrom(from)!;
  const source = { metadata: { name: 'web', uid: 'source' }, spec } as unknown as Untyped;
  const seen = { direction, targetType: adoptableTypes[direction.to], targetName: 'web', source, target: undefined };
  return summaryOf({ ...seen, replicaSets: [], pods: [pod], revisions: [], claims: [] }, []).notes;
};

it('warns of what only Kruise does for the Pods of a target of Kubernetes', () => {
  const lifecycle = { preDelete: { finalizersHandler: ['a/b'] } };
  expect(notesOf('AdvancedStatefulSet', { template, lifecycle })).toEqual([
    expect.stringContaining('New Pods never become ready: no controller sets the readiness gate InPlaceUpdateReady'),
    expect.stringContaining('Pods keep the finalizers a/b of spec.lifecycle'),
  ]);
  expect(notesOf('AdvancedStatefulSet', { template: { spec: {} } })).toEqual([]);
  expect(notesOf('StatefulSet', { template })).toEqual([expect.stringContaining('are recreated by their first update')]);
});
