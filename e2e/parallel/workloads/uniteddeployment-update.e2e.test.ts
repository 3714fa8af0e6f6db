/** How a UnitedDeployment brings its children to another template, and whose they are. @see docs/spec/uniteddeployment.md 9 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneSets, deleteProtection, labels, unitedDeployments, type UnitedDeployment } from '@kruise/api';
import { unlessGone } from '@kruise/kube';
import { newControllerRef, type KubeObject } from '@kruise/objects';
import { deployments } from '@kruise/workloads';
import type { UnitedShape, UnitedWorld } from '../../../apps/manager/src/int-tests/fixtures/united-world.testing.ts';
import { isObserved } from '../../../apps/manager/src/int-tests/fixtures/workload-world.testing.ts';
import { closeWorld, images, openUnitedDeployments } from '../../support/world.ts';

const { first, second } = images;
const ab = [{ name: 'a' }, { name: 'b' }];
const conditionOf = ({ status }: UnitedDeployment): unknown =>
  status?.conditions?.find(({ type }) => type === 'UnitedDeploymentUpdated')?.status;

describe('a UnitedDeployment', () => {
  let world: UnitedWorld;
  beforeAll(async () => {
    world = await openUnitedDeployments('united-update');
  });
  afterAll(() => closeWorld(world));
  const apply = (shape: Omit<UnitedShape, 'image'>): Promise<UnitedDeployment> => world.apply({ image: first, ...shape });
  const key = (name: string) => ({ namespace: world.namespace, name });

  it('updates subset by subset as far as partitions let it (6)', async () => {
    await apply({ name: 'partitions', kind: 'StatefulSet', replicas: 4, subsets: ab });
    await world.untilRolledOut('partitions');
    await world.patch('partitions', { spec: { updateStrategy: { manualUpdate: { partitions: { a: 1 } } } } });
    await world.setTemplate('partitions', { kind: 'StatefulSet', image: second });
    const seen = await world.until(
      'partitions',
      (one) => isObserved(one) && one.status?.updatedReadyReplicas === 3 && one.status.replicas === 4,
    );
    const partition = async (subset: string): Promise<unknown> =>
      (await world.child('partitions', subset, 'StatefulSet')).spec?.updateStrategy?.rollingUpdate?.partition;
    expect([await partition('a'), await partition('b')]).toEqual([1, 0]);
    expect(seen.status?.currentRevision).not.toBe(seen.status?.updatedRevision);
    expect(conditionOf(seen)).toBe('False');
    await world.patch('partitions', { spec: { updateStrategy: { manualUpdate: { partitions: null } } } });
    expect(conditionOf(await world.untilRolledOut('partitions'))).toBe('True');
  });

  it('has the revision of an earlier template again (7), and no more than the limit (8)', async () => {
    await apply({ name: 'history', replicas: 2, subsets: ab, spec: { revisionHistoryLimit: 2 } });
    await world.untilRolledOut('history');
    const [made] = await world.revisions('history');
    await world.setTemplate('history', { image: second });
    await world.untilRolledOut('history');
    await world.setTemplate('history', { image: first });
    await world.untilRolledOut('history');
    expect((await world.revisions('history')).map(({ revision }) => revision)).toEqual([2, 3]);
    expect((await world.revisions('history')).at(-1)?.name).toBe(made?.name);
    for (let i = 1; i <= 12; i++) {
      const before = (await world.get('history')).status?.updatedRevision;
      await world.setTemplate('history', { image: first, podSpec: { terminationGracePeriodSeconds: 0, hostname: `h${i}` } });
      await world.until('history', ({ status }) => status?.updatedRevision !== before);
    }
    await world.untilRolledOut('history');
    await world.eventually(async () => (await world.revisions('history')).length <= 3, 'old revisions are gone');
  });

  it('replaces children when the template is of another kind (15)', async () => {
    await apply({ name: 'kinds', kind: 'StatefulSet', replicas: 2, subsets: ab });
    await world.untilRolledOut('kinds');
    await world.setTemplate('kinds', { kind: 'CloneSet', image: first });
    await world.eventually(async () => (await world.children('kinds', 'StatefulSet')).length === 0, 'the StatefulSets are gone');
    await world.untilRolledOut('kinds');
    expect(await world.spread('kinds')).toBe('a 1, b 1');
  });

  it('keeps the older of two children of a subset (16)', async () => {
    const united = await apply({ name: 'twice', replicas: 2, subsets: ab });
    await world.untilRolledOut('twice');
    const older = await world.child('twice', 'a');
    const { metadata, spec } = await world.client.get(cloneSets, key(older.metadata.name));
    // Times have seconds.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await world.client.create(cloneSets, {
      metadata: { ...key('twice-second'), labels: metadata.labels ?? {}, ownerReferences: [newControllerRef(united, unitedDeployments)] },
      spec,
    });
    await world.eventually(
      async () => (await unlessGone(world.client.get(cloneSets, key('twice-second')))) === undefined,
      'the younger one is gone',
    );
    expect((await world.child('twice', 'a')).metadata.uid).toBe(older.metadata.uid);
  });

  it('leaves alone what looks like its own and names no subset (17)', async () => {
    const own = { app: 'look-alike' };
    const orphan: KubeObject & { readonly spec: object } = {
      metadata: { ...key('look-alike'), labels: own },
      spec: {
        replicas: 1,
        selector: { matchLabels: { own: 'x' } },
        template: { metadata: { labels: { own: 'x' } }, spec: { containers: [{ name: 'main', image: first }] } },
      },
    };
    await world.client.create(deployments, orphan);
    await apply({ name: 'look-alike', kind: 'Deployment', replicas: 2, subsets: ab });
    await world.untilRolledOut('look-alike');
    expect((await world.client.get(deployments, key('look-alike'))).metadata.ownerReferences).toBeUndefined();
  });

  it('that is protected is not deleted while it has replicas, and takes its children along (19)', async () => {
    const protecting = { [labels.deleteProtection]: deleteProtection.cascading };
    await apply({ name: 'protected', replicas: 2, subsets: ab, labels: protecting });
    await world.untilRolledOut('protected');
    const deleted = (): Promise<string> =>
      world.client.delete(unitedDeployments, key('protected'), { propagationPolicy: 'Background' }).then(
        () => 'none',
        (error: Error) => error.message,
      );
    expect(await deleted()).toContain('replicas 2>0');
    await world.patch('protected', { spec: { replicas: 0 } });
    expect(await deleted()).toBe('none');
    await world.eventually(async () => (await world.children('protected')).length === 0, 'the children are collected');
  });
});
