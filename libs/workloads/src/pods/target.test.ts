/** Workloads as other objects name them. */
import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@kruise/objects';
import { byTarget, chosenFor, targetOf } from './target.ts';

const targetRef = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' };
const of = (target: object): KubeObject => ({ metadata: { name: 'a' }, spec: { targetRef: { ...targetRef, ...target } } }) as KubeObject;

describe('the target', () => {
  it('is known by group, kind and name, whatever the version', () => {
    expect(targetOf(of({ apiVersion: 'apps/v1beta2' }))).toEqual({ group: 'apps', kind: 'StatefulSet', name: 'db' });
    expect(byTarget.valuesOf(of({}))).toEqual(byTarget.valuesOf(of({ apiVersion: 'apps/v1beta2' })));
    expect(byTarget.valuesOf(of({}))).not.toEqual(byTarget.valuesOf(of({ name: 'web' })));
  });

  it.each([{ apiVersion: 7 }, { kind: undefined }, { name: null }])('is none with %j', (over) => {
    expect([targetOf(of(over)), byTarget.valuesOf(of(over))]).toEqual([undefined, []]);
  });
});

it('of two for a workload the first by name counts, of those that do not go', () => {
  const named = (name: string, deletionTimestamp?: string): KubeObject => ({
    metadata: { name, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
  });
  const objects = [named('c'), named('a', '2026-01-01T00:00:00Z'), named('b')];
  expect(chosenFor(objects)?.metadata.name).toBe('b');
  expect(chosenFor(objects.toReversed())?.metadata.name).toBe('b');
  expect(chosenFor([])).toBeUndefined();
});
