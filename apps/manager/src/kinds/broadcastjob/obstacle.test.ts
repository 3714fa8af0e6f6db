import { describe, expect, it } from '@jest/globals';
import { broadcastJobObstacle } from '@kruise/api';
import { aJob } from './cluster.testing.ts';

describe('a job that came past admission', () => {
  it.each<[unknown, string | undefined]>([
    [aJob().spec, undefined],
    [undefined, 'spec: Required value: must be an object'],
    [null, 'spec: Required value: must be an object'],
    [{ parallelism: 1 }, 'spec.template.spec: Required value: must be an object'],
    [
      { ...aJob().spec, parallelism: 'x' },
      'spec.parallelism: Invalid value: "x": must be a number or a whole percentage (e.g. 5 or "20%")',
    ],
  ])('%j: %s', (spec, fault) => {
    expect(broadcastJobObstacle({ ...aJob(), spec: spec as never })).toBe(fault);
  });

  it('is refused when its terms ask too much of every node', () => {
    const nodeSelectorTerms = Array.from({ length: 101 }, (_, at) => ({ matchExpressions: [{ key: `k${at}`, operator: 'Exists' }] }));
    const job = aJob();
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
    const spec = { ...job.spec.template.spec, affinity: { nodeAffinity } };
    const template = { ...job.spec.template, spec };
    expect(broadcastJobObstacle({ ...job, spec: { ...job.spec, template } as never })).toMatch(
      /nodeSelectorTerms: Too many: 101: must have at most 100/,
    );
  });
});
