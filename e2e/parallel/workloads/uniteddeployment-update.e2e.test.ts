/** How a UnitedDeployment brings its children to another template, and whose they are. @see docs/spec/uniteddeployment.md 9 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneSets, deleteProtection, labels, unitedDeployments, type UnitedDeployment } from '@kruise/api';
import { unlessDeleted } from '@kruise/kube';
import { newControllerRef, type KubeObject } from '@kruise/objects';
import { deployments } from '@kruise/workloads';
import type { UnitedShape, UnitedFixture } from '../../../apps/manager/src/int-tests/fixtures/united-fixture.testing.ts';
import { isObserved } from '../../../apps/manager/src/int-tests/fixtures/workload-fixture.testing.ts';
import { closeFixture, images, openUnitedDeployments } from '../../support/fixture.ts';

const { first, second } = images;
const ab = [{ name: 'a' }, { name: 'b' }];
const conditionOf = ({ status }: UnitedDeployment): unknown =>
  status?.conditions?.find(({ type }) => type === 'UnitedDeploymentUpdated')?.status;

describe('a UnitedDeployment', () => {
  let fixture: UnitedFixture;
  beforeAll(async () => {
    fixture = await openUnitedDeployments('united-update');
  });
  afterAll(() => closeFixture(fixture));
  const apply = (shape: Omit<UnitedShape, 'image'>): Promise<UnitedDeployment> => fixture.apply({ image: first, ...shape });
  const key = (name: string) => ({ namespace: fixture.namespace, name });

  it('updates subset by subset as far as partitions let it (6)', async () => {
    await apply({ name: 'partitions', kind: 'StatefulSet', replicas: 4, subsets: ab });
    await fixture.untilRolledOut('partitions');
    await fixture.patch('partitions', { spec: { updateStrategy: { manualUpdate: { partitions: { a: 1 } } } } });
    await fixture.setTemplate('partitions', { kind: 'StatefulSet', image: second });
    const seen = await fixture.until(
      'partitions',
      (one) => isObserved(one) && one.status?.updatedReadyReplicas === 3 && one.status.replicas === 4,
    );
    const partition = async (subset: string): Promise<unknown> =>
      (await fixture.child('partitions', subset, 'StatefulSet')).spec?.updateStrategy?.rollingUpdate?.partition;
    expect([await partition('a'), await partition('b')]).toEqual([1, 0]);
    expect(seen.status?.currentRevision).not.toBe(seen.status?.updatedRevision);
    expect(conditionOf(seen)).toBe('False');
    await fixture.patch('partitions', { spec: { updateStrategy: { manualUpdate: { partitions: null } } } });
    expect(conditionOf(await fixture.untilRolledOut('partitions'))).toBe('True');
  });

  it('has the revision of an earlier template again (7), and no more than the limit (8)', async () => {
    await apply({ name: 'history', replicas: 2, subsets: ab, spec: { revisionHistoryLimit: 2 } });
    await fixture.untilRolledOut('history');
    const [made] = await fixture.revisions('history');
    await fixture.setTemplate('history', { image: second });
    await fixture.untilRolledOut('history');
    await fixture.setTemplate('history', { image: first });
    await fixture.untilRolledOut('history');
    expect((await fixture.revisions('history')).map(({ revision }) => revision)).toEqual([2, 3]);
    expect((await fixture.revisions('history')).at(-1)?.name).toBe(made?.name);
    for (let i = 1; i <= 12; i++) {
      const before = (await fixture.get('history')).status?.updatedRevision;
      await fixture.setTemplate('history', { image: first, podSpec: { terminationGracePeriodSeconds: 0, hostname: `h${i}` } });
      await fixture.until('history', ({ status }) => status?.updatedRevision !== before);
    }
    await fixture.untilRolledOut('history');
    await fixture.eventually(async () => (await fixture.revisions('history')).length <= 3, 'old revisions are gone');
  });

  it('replaces children when the template is of another kind (15)', async () => {
    await apply({ name: 'kinds', kind: 'StatefulSet', replicas: 2, subsets: ab });
    await fixture.untilRolledOut('kinds');
    await fixture.setTemplate('kinds', { kind: 'CloneSet', image: first });
    await fixture.eventually(async () => (await fixture.children('kinds', 'StatefulSet')).length === 0, 'the StatefulSets are gone');
    await fixture.untilRolledOut('kinds');
    expect(await fixture.spread('kinds')).toBe('a 1, b 1');
  });

  it('keeps the older of two children of a subset (16)', async () => {
    const united = await apply({ name: 'twice', replicas: 2, subsets: ab });
    await fixture.untilRolledOut('twice');
    const older = await fixture.child('twice', 'a');
    const { metadata, spec } = await fixture.client.get(cloneSets, key(older.metadata.name));
    // Times have seconds.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await fixture.client.create(cloneSets, {
      metadata: { ...key('twice-second'), labels: metadata.labels ?? {}, ownerReferences: [newControllerRef(united, unitedDeployments)] },
      spec,
    });
    await fixture.eventually(
      async () => (await unlessDeleted(fixture.client.get(cloneSets, key('twice-second')))) === undefined,
      'the younger one is gone',
    );
    expect((await fixture.child('twice', 'a')).metadata.uid).toBe(older.metadata.uid);
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
    await fixture.client.create(deployments, orphan);
    await apply({ name: 'look-alike', kind: 'Deployment', replicas: 2, subsets: ab });
    await fixture.untilRolledOut('look-alike');
    expect((await fixture.client.get(deployments, key('look-alike'))).metadata.ownerReferences).toBeUndefined();
  });

  it('that is protected is not deleted while it has replicas, and takes its children along (19)', async () => {
    const protecting = { [labels.deleteProtection]: deleteProtection.cascading };
    await apply({ name: 'protected', replicas: 2, subsets: ab, labels: protecting });
    await fixture.untilRolledOut('protected');
    const deleted = (): Promise<string> =>
      fixture.client.delete(unitedDeployments, key('protected'), { propagationPolicy: 'Background' }).then(
        () => 'none',
        (error: Error) => error.message,
      );
    expect(await deleted()).toContain('replicas 2>0');
    await fixture.patch('protected', { spec: { replicas: 0 } });
    expect(await deleted()).toBe('none');
    await fixture.eventually(async () => (await fixture.children('protected')).length === 0, 'the children are collected');
  });
});
