/** A pass over a UnitedDeployment of many subsets writes one burst of children. @see spec/uniteddeployment.md 5.6 */
import { describe, expect, it } from '@jest/globals';
import { workloadLimits } from '@kruise/objects';
import { named } from '@kruise/kinds/uniteddeployment/testing';
import { UnitedDeploymentCluster } from '../cluster.testing.ts';

const burst = workloadLimits.actionsOfPass.value;
/** Of 1 MiB: with it 7 children come to 8 MiB. */
const largeTemplate = {
  metadata: { labels: { app: 'web' }, annotations: { fill: 'x'.repeat(1 << 20) } },
  spec: { containers: [{ name: 'main', image: 'app:1' }] },
};
const namesOf = (count: number, prefix: string): readonly string[] => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

describe('subsets that are more than one pass creates', () => {
  it('get as many children in a pass as come to the bytes that it may write, and the others in the next', async () => {
    await using cluster = new UnitedDeploymentCluster({ subsets: [], replicas: 0, child: { template: largeTemplate } });
    await cluster.settle();
    let created = 0;
    const createdAtStatus: number[] = [];
    cluster.api.onWrite(({ call: { verb, type, subresource } }) => {
      if (type?.kind === 'CloneSet' && verb === 'create') created++;
      if (type?.kind === 'UnitedDeployment' && subresource === 'status') createdAtStatus.push(created);
    });
    cluster.change({ topology: { subsets: named(...namesOf(9, 's')) } });
    await cluster.ticks(3);
    expect([createdAtStatus[0], created]).toEqual([7, 9]);
  });

  it('get one burst of children in a pass, and take over from a removed subset once the last of them has its child', async () => {
    await using cluster = new UnitedDeploymentCluster({ replicas: 2, subsets: named('old') });
    await cluster.settle();
    let created = 0;
    const createdAt = { status: [] as number[], deletion: [] as number[] };
    cluster.api.onWrite(({ call: { verb, type, subresource } }) => {
      if (type?.kind === 'CloneSet' && verb === 'create') created++;
      if (type?.kind === 'CloneSet' && verb === 'delete') createdAt.deletion.push(created);
      if (type?.kind === 'UnitedDeployment' && subresource === 'status') createdAt.status.push(created);
    });
    // The two Pods are those of the greatest names, which come last.
    const subsets = namesOf(burst + 3, 's');
    cluster.change({ topology: { subsets: named(...subsets) } });
    await cluster.ticks(3);
    expect([createdAt.status[0], createdAt.deletion]).toEqual([burst, [subsets.length]]);
  });
});
