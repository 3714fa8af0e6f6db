import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { emptyTargetFaults, isSameTarget, rivalOf, targetReferenceOf, unservableTargetFaults } from './target-reference.ts';

const web = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const of = (targetRef: unknown, name = 'a'): JsonObject => ({ metadata: { name }, spec: { targetRef } });

describe('whom an object is for', () => {
  it('is identified by group, kind and name, in any version', () => {
    const other = targetReferenceOf(of({ ...web, apiVersion: 'apps/v1beta1' }));
    expect(other).toEqual({ group: 'apps', kind: 'Deployment', name: 'web' });
    expect(isSameTarget(targetReferenceOf(of(web)), other)).toBe(true);
  });

  it.each([{ apiVersion: 'extensions/v1' }, { kind: 'ReplicaSet' }, { name: 'shop' }])('is another one with %j', (over) => {
    expect(isSameTarget(targetReferenceOf(of(web)), targetReferenceOf(of({ ...web, ...over })))).toBe(false);
  });

  it.each([undefined, null, 7, 'web', [], { name: 3 }])('is empty with %j', (targetRef) => {
    expect(targetReferenceOf(of(targetRef))).toEqual({ group: '', kind: '', name: '' });
    expect(emptyTargetFaults(of(targetRef))).toMatchObject([{ detail: 'apiVersion, kind, name must not be empty' }]);
  });

  it('names the part that is not given', () => {
    expect(emptyTargetFaults(of({ ...web, kind: '' }))).toMatchObject([{ detail: 'kind must not be empty' }]);
    expect(emptyTargetFaults(of(web))).toEqual([]);
  });
});

describe('a reference', () => {
  const faultsOf = (over: object, old?: object) =>
    unservableTargetFaults(of({ ...web, ...over }), old === undefined ? undefined : of({ ...web, ...old })).map(({ detail }) => detail);
  const [ofApiVersion, ofKind, ofName] = [
    "apiVersion must be group/version, or the version alone, of letters, digits and '-._'",
    "kind must be at most 63 letters, digits and '-'",
    "name must be the name of an object, without '/' and '%'",
  ];

  it.each([
    {},
    { apiVersion: 'v1', kind: 'ReplicationController' },
    { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet' },
    { apiVersion: 'Apps/V1', kind: 'game-set', name: 'a.b:c' },
    { name: '' },
  ])('with %j can be of something that is served', (over) => {
    expect(faultsOf(over)).toEqual([]);
  });

  it.each([
    [{ apiVersion: 'v1%2Fsecrets' }, ofApiVersion],
    [{ apiVersion: 'a/b/c' }, ofApiVersion],
    [{ apiVersion: 'apps/' }, ofApiVersion],
    [{ apiVersion: '../v1' }, ofApiVersion],
    [{ apiVersion: 'v1?limit=1' }, ofApiVersion],
    [{ apiVersion: `${'a'.repeat(254)}/v1` }, ofApiVersion],
    [{ kind: 'Game Set' }, ofKind],
    [{ kind: 'G'.repeat(64) }, ofKind],
    [{ name: 'a/b' }, ofName],
    [{ name: '..' }, ofName],
    [{ name: 'a%2Fb' }, ofName],
    [{ name: 'a'.repeat(254) }, ofName],
    [{ apiVersion: '#', name: '..' }, `${ofApiVersion}, ${ofName}`],
  ])('with %j is of nothing that is served', (over, detail) => {
    expect(faultsOf(over)).toEqual([detail]);
  });

  it('that is stored already stays, and may not be exchanged for another such one', () => {
    const old = { apiVersion: 'v1%2Fsecrets' };
    expect([faultsOf(old, old), faultsOf({ apiVersion: 'v1%2Fpods' }, old)]).toEqual([[], [ofApiVersion]]);
  });
});

it('the rival of an object is another one for the same workload, never itself', () => {
  const rival = of({ ...web, apiVersion: 'apps/v2' }, 'b');
  expect(rivalOf(of(web), [of(web), of({ ...web, name: 'shop' }, 'c'), rival])).toBe(rival);
  expect(rivalOf(of(web), [of(web)])).toBeUndefined();
});
