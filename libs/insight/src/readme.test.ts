import { describe, expect, it } from '@jest/globals';
import { report } from './readme.testing.ts';
import { cloneSet, pod, snapshot, waiting } from './snapshots.testing.ts';

describe('the example of the README', () => {
  it('shows the tree and the causes', () => {
    const web = cloneSet({ replicas: 1 }, { replicas: 1, readyReplicas: 0, availableReplicas: 0, updatedReplicas: 1 });
    const failing = pod('web-1', web, {
      main: waiting('ErrImagePull', 'nginx:2: not found'),
      status: { phase: 'Pending', conditions: [] },
    });
    expect(report(snapshot(web, failing))).toEqual([
      'CloneSet web: Progressing, 0/1 ready, 1 updated',
      '  Pod web-1: ErrImagePull, 0/1 ready, node-1',
      '    Container main: ErrImagePull, nginx:2',
      'container main of Pod web-1 cannot pull image nginx:2. Correct the name or tag of the image; the registry does not have it.',
    ]);
  });
});
