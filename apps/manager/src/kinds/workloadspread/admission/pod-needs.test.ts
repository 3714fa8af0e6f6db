import { describe, expect, it } from '@jest/globals';
import { injectionTrace, releaseNeeds, spreadNeeds } from './pod-needs.ts';
import { aSpread, aSubset } from '@kruise/kinds/workloadspread/testing';

const spreadOf = (namespace: string, apiVersion: string, kind: string, name = 'web') =>
  aSpread([aSubset('a')], { targetRef: { apiVersion, kind, name } }, undefined, { namespace });
const controlled = 'has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller';
const namespaces = (...values: readonly string[]) => ({
  matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values }],
});

describe('what the Pod webhook is asked about when Pods are created', () => {
  it('is nothing without any', () => {
    expect(spreadNeeds([], [])).toEqual([]);
    expect(spreadNeeds([], [{ group: 'g.example.com', version: 'v1', kind: 'Game' }])).toEqual([]);
  });

  it('is Pods of the workloads by name, and those of every ReplicaSet of the namespace for a Deployment, which adopts ReplicaSets of other names', () => {
    const spreads = [
      spreadOf('b', 'apps/v1', 'Deployment'),
      spreadOf('a', 'apps.kruise.io/v1beta1', 'CloneSet'),
      spreadOf('a', 'apps/v1', 'ReplicaSet', 'bare'),
    ];
    const needs = spreadNeeds(spreads, []);
    expect(needs).toEqual(spreadNeeds(spreads.toReversed(), []));
    expect(needs).toEqual([
      {
        reason: 'workloadspread',
        condition: `${controlled} && o.kind == "CloneSet" && o.apiVersion.startsWith("apps.kruise.io/") && o.name in ["web"])`,
        namespaceSelector: namespaces('a'),
      },
      {
        reason: 'workloadspread',
        condition: `${controlled} && o.kind == "ReplicaSet" && o.apiVersion.startsWith("apps/"))`,
        namespaceSelector: namespaces('a', 'b'),
      },
    ]);
  });

  it('is every controlled Pod of the namespace for a listed kind, which may own any other', () => {
    expect(spreadNeeds([spreadOf('a', 'game.example.com/v1', 'GameSet')], [])).toEqual([
      { reason: 'workloadspread', condition: `${controlled})`, namespaceSelector: namespaces('a') },
    ]);
  });

  it('skips a WorkloadSpread that was stored without its schema', () => {
    const broken = { ...spreadOf('a', 'apps/v1', 'Deployment'), spec: { targetRef: null, subsets: [] } } as never;
    expect(spreadNeeds([broken], [])).toEqual([]);
  });

  it('is Pods of listed kinds beside a workload that is not, for one may be owned by it', () => {
    const listed = [{ group: 'game.example.com', version: 'v1', kind: 'Game', subResources: [{ group: '', kind: 'Room' }] }];
    const conditions = spreadNeeds([spreadOf('a', 'batch/v1', 'Job')], listed).map(
      ({ condition = '' }) => /o\.kind == "(\w+)"/.exec(condition)?.[1],
    );
    expect(conditions).toEqual(['Room', 'Job', 'Game']);
  });
});

it('what injection leaves in a Pod is its annotation', () => {
  const key = 'apps.kruise.io/matched-workloadspread';
  expect(injectionTrace).toBe(`has(object.metadata.annotations) && "${key}" in object.metadata.annotations`);
});

describe('what it is asked about when Pods are deleted', () => {
  it('is nothing without any, and then Pods with the annotation in their namespaces', () => {
    expect(releaseNeeds([])).toEqual([]);
    expect(
      releaseNeeds([spreadOf('b', 'apps/v1', 'Deployment'), spreadOf('a', 'apps/v1', 'Deployment'), spreadOf('a', 'batch/v1', 'Job')]),
    ).toEqual([
      {
        reason: 'workloadspread',
        condition:
          'request.operation == "DELETE" && has(oldObject.metadata.annotations) && "apps.kruise.io/matched-workloadspread" in oldObject.metadata.annotations',
        failurePolicy: 'Ignore',
        namespaceSelector: namespaces('a', 'b'),
      },
    ]);
  });
});
