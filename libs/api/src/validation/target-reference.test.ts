import { describe, expect, it } from '@jest/globals';
import type { Members } from '../conversion/converter.ts';
import { emptyTargetFaults, isSameTarget, rivalOf, targetReferenceOf } from './target-reference.ts';

const web = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const of = (targetRef: unknown, name = 'a'): Members => ({ metadata: { name }, spec: { targetRef } });

describe('whom an object is for', () => {
  it('is told by group, kind and name, whatever the version', () => {
    const other = targetReferenceOf(of({ ...web, apiVersion: 'apps/v1beta1' }));
    expect(other).toEqual({ group: 'apps', kind: 'Deployment', name: 'web' });
    expect(isSameTarget(targetReferenceOf(of(web)), other)).toBe(true);
  });

  it.each([{ apiVersion: 'extensions/v1' }, { kind: 'ReplicaSet' }, { name: 'shop' }])('is another one with %j', (over) => {
    expect(isSameTarget(targetReferenceOf(of(web)), targetReferenceOf(of({ ...web, ...over })))).toBe(false);
  });

  it.each([undefined, null, 7, 'web', [], { name: 3 }])('is nobody with %j', (targetRef) => {
    expect(targetReferenceOf(of(targetRef))).toEqual({ group: '', kind: '', name: '' });
    expect(emptyTargetFaults(of(targetRef))).toMatchObject([{ detail: 'apiVersion, kind, name must not be empty' }]);
  });

  it('names the part that is not given', () => {
    expect(emptyTargetFaults(of({ ...web, kind: '' }))).toMatchObject([{ detail: 'kind must not be empty' }]);
    expect(emptyTargetFaults(of(web))).toEqual([]);
  });
});

it('the rival of an object is another one for the same workload, never itself', () => {
  const rival = of({ ...web, apiVersion: 'apps/v2' }, 'b');
  expect(rivalOf(of(web), [of(web), of({ ...web, name: 'shop' }, 'c'), rival])).toBe(rival);
  expect(rivalOf(of(web), [of(web)])).toBeUndefined();
});
