import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneSetLabels } from '@kruise/api';
import { persistentVolumeClaims, type Pod, pods as podType } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

const idOf = (pod: Pod): string => pod.metadata.labels?.[cloneSetLabels.instanceId] ?? '';
const idsOf = (pods: readonly Pod[]): readonly string[] => pods.map(idOf).toSorted();

const claimTemplate = (name: string): object => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
});

const withClaims = (name: string): object => ({
  volumeClaimTemplates: [claimTemplate('data'), claimTemplate('logs')],
  template: {
    metadata: { labels: { app: name } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'main',
          image: images.first,
          volumeMounts: [
            { name: 'data', mountPath: '/data' },
            { name: 'logs', mountPath: '/logs' },
          ],
        },
      ],
    },
  },
});

describe('claims of a CloneSet', () => {
  let fixture: CloneSetFixture;
  beforeAll(async () => {
    fixture = await openFixture('claims');
  });
  afterAll(() => closeFixture(fixture));

  const claimsOf = async (cloneSet: string): Promise<ReadonlyMap<string, string>> => {
    const { items } = await fixture.client.list(persistentVolumeClaims, { namespace: fixture.namespace, labelSelector: `app=${cloneSet}` });
    const kept = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return new Map(kept.map(({ metadata }) => [metadata.name, metadata.uid ?? '']));
  };
  const start = async (name: string, scaleStrategy: object): Promise<readonly Pod[]> => {
    await fixture.apply({ name, replicas: 3, image: images.first, spec: { ...withClaims(name), scaleStrategy } });
    await fixture.untilRolledOut(name);
    return fixture.pods(name);
  };
  /** @returns when others have come for them and are available */
  const replaceAll = async (cloneSet: string, present: readonly Pod[]): Promise<void> => {
    for (const { metadata } of present) await fixture.client.delete(podType, { namespace: fixture.namespace, name: metadata.name });
    const uids = new Set(present.map(({ metadata }) => metadata.uid));
    const remain = async (): Promise<boolean> =>
      (await fixture.client.list(podType, { namespace: fixture.namespace })).items.some(({ metadata }) => uids.has(metadata.uid));
    await fixture.eventually(async () => !(await remain()), 'the Pods are gone');
    // Until then the status may still be of them.
    const areReplaced = async (): Promise<boolean> => (await fixture.pods(cloneSet)).length === present.length;
    await fixture.eventually(areReplaced, 'others have come');
    await fixture.untilRolledOut(cloneSet);
  };

  it('carry the instance id of their Pod, and are taken again by the next Pod with reuse on', async () => {
    const before = await start('kept', { enablePVCReuse: true });
    const claims = await claimsOf('kept');
    expect([...claims.keys()].toSorted()).toEqual(
      idsOf(before)
        .flatMap((id) => [`data-kept-${id}`, `logs-kept-${id}`])
        .toSorted(),
    );
    await replaceAll('kept', before);
    const after = await fixture.pods('kept');
    expect(idsOf(after)).toEqual(idsOf(before));
    expect(after.map(({ metadata }) => metadata.uid)).not.toEqual(before.map(({ metadata }) => metadata.uid));
    expect(await claimsOf('kept')).toEqual(claims);
  });

  it('go with a Pod that the CloneSet deletes, even with reuse on', async () => {
    await fixture.patch('kept', { spec: { replicas: 2 } });
    await fixture.untilRolledOut('kept');
    const ids = idsOf(await fixture.pods('kept'));
    await fixture.eventually(async () => (await claimsOf('kept')).size === 4, 'two claims are gone');
    expect([...(await claimsOf('kept')).keys()].every((name) => ids.some((id) => name.endsWith(id)))).toBe(true);
  });

  it('are recreated with reuse off, and the old ones are deleted', async () => {
    const before = await start('fresh', {});
    const old = await claimsOf('fresh');
    await replaceAll('fresh', before);
    expect(idsOf(await fixture.pods('fresh')).filter((id) => idsOf(before).includes(id))).toEqual([]);
    await fixture.eventually(async () => {
      const left = await claimsOf('fresh');
      return left.size === 6 && [...old.keys()].every((name) => !left.has(name));
    }, 'only the new claims are left');
  });
});
