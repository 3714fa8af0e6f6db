import { isOfOurKinds } from '@kruise/workloads';
import { expect, it } from '@jest/globals';
import { aPod } from '@kruise/testing';
import { podsOfOurKinds } from './of-our-kinds.ts';

it.each<{ name: string; apiVersion: string; controller: boolean; ours: boolean }>([
  { name: 'of one of our workloads', apiVersion: 'apps.kruise.io/v1beta1', controller: true, ours: true },
  { name: 'of an older version of one', apiVersion: 'apps.kruise.io/v1alpha1', controller: true, ours: true },
  { name: 'that one of them merely owns', apiVersion: 'apps.kruise.io/v1beta1', controller: false, ours: false },
  { name: 'of a built-in workload', apiVersion: 'apps/v1', controller: true, ours: false },
])('a Pod $name: $ours', ({ apiVersion, controller, ours }) => {
  expect(isOfOurKinds(aPod({ owner: { apiVersion, kind: 'CloneSet', name: 'o', uid: 'u', controller } }))).toBe(ours);
});

it('their controller requests them from the API server', () => {
  expect(podsOfOurKinds.reason).toBe('kruise-workload');
  expect(podsOfOurKinds.condition).toContain('o.controller && o.apiVersion.startsWith("apps.kruise.io/")');
});
