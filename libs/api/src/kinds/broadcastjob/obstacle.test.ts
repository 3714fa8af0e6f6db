import { describe, expect, it } from '@jest/globals';
import { broadcastJobObstacle } from './rules.ts';

const template = { spec: { containers: [{ name: 'main', image: 'app:1' }], restartPolicy: 'Never' } };
const good = { parallelism: 1, template };

describe('a job that came past admission', () => {
  it.each<[unknown, string | undefined]>([
    [good, undefined],
    [undefined, 'spec: Required value: must be an object'],
    [null, 'spec: Required value: must be an object'],
    [{ parallelism: 1 }, 'spec.template.spec: Required value: must be an object'],
    [{ ...good, parallelism: 'x' }, 'spec.parallelism: Invalid value: "x": must be a number or a whole percentage (e.g. 5 or "20%")'],
  ])('%j: %s', (spec, fault) => {
    expect(broadcastJobObstacle({ spec })).toBe(fault);
  });

  it('is refused when its terms ask too much of every node', () => {
    const nodeSelectorTerms = Array.from({ length: 101 }, (_, at) => ({ matchExpressions: [{ key: `k${at}`, operator: 'Exists' }] }));
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
    const spec = { ...template.spec, affinity: { nodeAffinity } };
    expect(broadcastJobObstacle({ spec: { ...good, template: { spec } } })).toMatch(
      /nodeSelectorTerms: Too many: 101: must have at most 100/,
    );
  });
});
