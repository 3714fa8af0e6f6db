import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conditionTypes, type CloneSet } from '@kruise/api';
import { type KubeObject, parseTime, type Pod, podCondition, type ResourceType } from '@kruise/objects';
import { isObserved, isRolledOut, type CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { lifecycleState } from '../../support/pod-facts.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

const conditionOf = ({ status }: CloneSet, type: string) => status?.conditions?.find((condition) => condition.type === type);
const blockedReason = (seen: CloneSet): string | undefined => conditionOf(seen, conditionTypes.blocked)?.reason;
const names = (pods: readonly Pod[]): readonly string[] => pods.map((pod) => pod.metadata.name);

describe('a CloneSet that makes no progress', () => {
  let fixture: CloneSetFixture;
  beforeAll(async () => {
    fixture = await openFixture('standstill');
  });
  afterAll(() => closeFixture(fixture));

  it('scaleStrategy.maxUnavailable creates a Pod only when the one before is available', async () => {
    const spec = { minReadySeconds: 3, scaleStrategy: { maxUnavailable: 1 } };
    await fixture.apply({ name: 'slow', replicas: 3, image: images.first, spec });
    await fixture.untilRolledOut('slow');
    const times = (await fixture.pods('slow'))
      .map((pod) => ({
        created: parseTime(pod.metadata.creationTimestamp) ?? 0,
        ready: parseTime(podCondition(pod, 'Ready')?.lastTransitionTime) ?? 0,
      }))
      .toSorted((a, b) => a.created - b.created);
    expect(times).toHaveLength(3);
    for (const [index, { created }] of times.slice(1).entries()) {
      expect(created - (times[index]?.ready ?? Number.NaN)).toBeGreaterThanOrEqual(3000);
    }
    const reported = async (): Promise<readonly string[]> => (await fixture.events('slow')).map((event) => event.reason ?? '');
    await fixture.eventually(async () => (await reported()).includes('ScaleUpLimited'), 'an event of the limit');
  });

  it('says that a Pod cannot be scheduled and that the deadline has passed, and replaces the Pod when the template is mended', async () => {
    const spec = { schedulerName: 'nobody', containers: [{ name: 'main', image: images.first }] };
    const template = { metadata: { labels: { app: 'stuck' } }, spec };
    await fixture.apply({ name: 'stuck', replicas: 1, image: images.first, spec: { progressDeadlineSeconds: 3, template } });
    const late = await fixture.until(
      'stuck',
      (seen) => conditionOf(seen, conditionTypes.progressing)?.reason === 'ProgressDeadlineExceeded',
    );
    expect(conditionOf(late, conditionTypes.progressing)).toMatchObject({
      status: 'False',
      message: `CloneSet revision ${late.status?.updateRevision} has timed out progressing`,
    });
    const [pod] = await fixture.pods('stuck');
    expect(pod && [pod.status?.phase, lifecycleState(pod), podCondition(pod, 'KruisePodReady')?.status]).toEqual([
      'Pending',
      'PreparingNormal',
      'True',
    ]);
    await fixture.patch('stuck', { spec: { template: { spec: { schedulerName: 'default-scheduler' } } } });
    const done = await fixture.untilRolledOut('stuck');
    expect(conditionOf(done, conditionTypes.progressing)).toMatchObject({ status: 'True', reason: 'CloneSetAvailable' });
    expect(names(await fixture.pods('stuck'))).not.toContain(pod?.metadata.name);

    // Long at rest is not late: the next rollout begins its own time.
    await fixture.setImage('stuck', images.second);
    const isOfNext = (seen: CloneSet): boolean => isObserved(seen) && seen.metadata.generation !== done.metadata.generation;
    const states = await fixture.statesSince(done, (seen) => isOfNext(seen) && isRolledOut(seen));
    // The container's own end may take longer than the deadline.
    const [first] = states.filter(isOfNext);
    expect(first && conditionOf(first, conditionTypes.progressing)?.reason).toBe('CloneSetUpdated');
  });

  it('names an image that does not exist, and continues with one that does, in the same Pod', async () => {
    await fixture.apply({ name: 'noimage', replicas: 2, image: images.first, rollingUpdate: { maxUnavailable: 1 } });
    await fixture.untilRolledOut('noimage');
    const before = await fixture.pods('noimage');
    const missing = images.first.replace(/:.*/, ':none');
    await fixture.setImage('noimage', missing);
    const stuck = await fixture.until('noimage', (seen) => conditionOf(seen, conditionTypes.blocked)?.reason === 'ImageCannotBePulled');
    expect(conditionOf(stuck, conditionTypes.blocked)?.message).toMatch(
      new RegExp(`^container main of Pod noimage-.+ cannot pull image ${missing}$`),
    );
    expect(stuck.status?.availableReplicas).toBe(1);
    await fixture.setImage('noimage', images.second);
    const done = await fixture.untilRolledOut('noimage');
    expect(conditionOf(done, conditionTypes.blocked)).toBeUndefined();
    expect((await fixture.pods('noimage')).map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  });

  it('names the quota that is used up, and continues when there is more', async () => {
    const quotas: ResourceType = { group: '', version: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas', namespaced: true };
    const key = { namespace: fixture.namespace, name: 'pods' };
    const spec = { hard: { pods: '0' } };
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: key, spec } as KubeObject;
    await fixture.client.create(quotas, quota);
    const isInForce = async (): Promise<boolean> =>
      ((await fixture.client.get(quotas, key)) as KubeObject & { readonly status?: { readonly used?: object } }).status?.used !== undefined;
    await fixture.eventually(isInForce, 'the usage of the quota is known');
    await fixture.apply({ name: 'quota', replicas: 1, image: images.first });
    const stuck = await fixture.until('quota', (seen) => blockedReason(seen) === 'QuotaExceeded');
    expect(conditionOf(stuck, conditionTypes.blocked)?.message).toMatch(/exceeded quota: pods/);
    expect(conditionOf(stuck, conditionTypes.failedScale)?.message).toMatch(/exceeded quota: pods/);
    await fixture.client.delete(quotas, key);
    const done = await fixture.untilRolledOut('quota');
    expect(done.status?.conditions ?? []).toEqual([]);
  });
});
