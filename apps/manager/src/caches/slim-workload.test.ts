import { expect, it } from '@jest/globals';
import { slimWorkload } from './slim-workload.ts';

it('a workload is held without unused fields', () => {
  const metadata = { name: 'web', labels: { a: 'b' } };
  const spec = {
    replicas: 2,
    selector: { matchLabels: { a: 'b' } },
    strategy: { type: 'Recreate' },
    template: { metadata: { labels: { a: 'b' } }, spec: {} },
    paused: true,
  };
  const status = { observedGeneration: 1, replicas: 2, readyReplicas: 1, conditions: [] };
  expect(slimWorkload({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec, status })).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: 2,
      selector: { matchLabels: { a: 'b' } },
      strategy: { type: 'Recreate' },
      template: { metadata: { labels: { a: 'b' } }, digest: expect.any(String) },
    },
    status: { observedGeneration: 1, replicas: 2, readyReplicas: 1 },
  });
  expect(slimWorkload({ metadata })).toEqual({ metadata });
});

it('of its conditions that Pods cannot be made is held, and no other', () => {
  const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota: few' };
  const conditions = [{ type: 'Available', status: 'False' }, failure, { type: 'Progressing', status: 'True' }];
  expect(slimWorkload({ metadata: { name: 'web' }, status: { replicas: 1, conditions } }).status).toEqual({
    replicas: 1,
    conditions: [failure],
  });
});

it('of a DaemonSet stays how many Pods it is to have', () => {
  const status = { desiredNumberScheduled: 3, numberReady: 2, observedGeneration: 1 };
  expect(slimWorkload({ metadata: { name: 'agent' }, status }).status).toEqual({ desiredNumberScheduled: 3, observedGeneration: 1 });
});

it('templates that are equal except for their labels are distinguished from all others, in any order of their members', () => {
  const held = (template: object): unknown => slimWorkload({ metadata: { name: 'web' }, spec: { template } }).spec?.template;
  const containers = [{ name: 'main', image: 'app:1' }];
  const one = held({ metadata: { labels: { a: 'b' } }, spec: { containers, restartPolicy: 'Always' } });
  const same = held({ metadata: { labels: { a: 'b', 'pod-template-hash': 'x' } }, spec: { restartPolicy: 'Always', containers } });
  const other = held({
    metadata: { labels: { a: 'b' } },
    spec: { containers: [{ name: 'main', image: 'app:2' }], restartPolicy: 'Always' },
  });
  const annotated = held({ metadata: { labels: { a: 'b' }, annotations: { at: 'noon' } }, spec: { containers, restartPolicy: 'Always' } });
  const digestOf = (template: unknown): unknown => (template as { readonly digest: string }).digest;
  expect(digestOf(same)).toBe(digestOf(one));
  expect(new Set([one, other, annotated].map(digestOf)).size).toBe(3);
  expect(same).toMatchObject({ metadata: { labels: { 'pod-template-hash': 'x' } } });
  expect(held(one as object)).toBe(one);
});
