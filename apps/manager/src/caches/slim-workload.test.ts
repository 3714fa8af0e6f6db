import { expect, it } from '@jest/globals';
import { slimWorkload } from './slim-workload.ts';

it('a workload is held without what nobody reads', () => {
  const metadata = { name: 'web', labels: { a: 'b' } };
  const spec = { replicas: 2, selector: { matchLabels: { a: 'b' } }, strategy: { type: 'Recreate' }, template: { spec: {} }, paused: true };
  const status = { observedGeneration: 1, replicas: 2, readyReplicas: 1, conditions: [] };
  expect(slimWorkload({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec, status })).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { replicas: 2, selector: { matchLabels: { a: 'b' } }, strategy: { type: 'Recreate' } },
    status: { observedGeneration: 1, replicas: 2, readyReplicas: 1 },
  });
  expect(slimWorkload({ metadata })).toEqual({ metadata });
});
