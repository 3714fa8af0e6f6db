/**
 * Workloads whose updates and deletions a budget refuses: each reports it, changes no Pod, and continues when the budget allows it.
 * @see docs/spec/podunavailablebudget.md 4.6, 6
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conditionTypes } from '@kruise/api';
import { events, isPodReady, type KubeObject, type Pod } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import type { DaemonSetFixture } from '../../../apps/manager/src/int-tests/fixtures/daemonset-fixture.testing.ts';
import type { StatefulSetFixture } from '../../../apps/manager/src/int-tests/fixtures/statefulset-fixture.testing.ts';
import type { EventObject, WorkloadFixture } from '../../../apps/manager/src/int-tests/fixtures/workload-fixture.testing.ts';
import { availability } from '@kruise/kinds/podunavailablebudget';
import { BudgetFixture } from '../../support/budget-fixture.ts';
import { imageOf } from '../../support/pod-facts.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { sidecar, sidecarImages, SidecarFixture } from '../../support/sidecar-fixture.ts';
import { closeFixture, images, openDaemonSets, openStatefulSets, openFixture } from '../../support/fixture.ts';

const exhausted = 'is forbidden: pub unavailable allowed is negative';
const isAvailable = availability({ InPlaceWorkloadVerticalScaling: true });
const uidsOf = (all: readonly Pod[]): readonly string[] => all.map(({ metadata }) => metadata.uid ?? '').toSorted();

interface Workload extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly reason?: string; readonly message?: string }[];
  };
}

/** Whether it says that a budget keeps its Pods. */
const isRefused = ({ status }: Workload): boolean =>
  (status?.conditions ?? []).some(
    ({ type, reason, message = '' }) => type === conditionTypes.blocked && reason === 'BudgetRefuses' && message.includes(exhausted),
  );
const isBlocked = ({ status }: Workload): boolean => (status?.conditions ?? []).some(({ type }) => type === conditionTypes.blocked);

/** As many available Pods of the app as there are, under a budget that lets none go. */
async function refuseAll(fixture: BudgetFixture, app: string, count: number): Promise<void> {
  await fixture.budget(app, { maxUnavailable: 0 });
  await fixture.untilNamed(app);
  await fixture.untilNumbers(app, count, count, count, 0);
}

describe('a DaemonSet under a budget', () => {
  let opened: DaemonSetFixture;
  let fixture: BudgetFixture;
  beforeAll(async () => {
    opened = await openDaemonSets('pub-daemonset');
    fixture = new BudgetFixture(opened);
  });
  afterAll(() => closeFixture(opened));

  it.each(['InPlaceIfPossible', 'Standard'])('updates its Pods (%s) one by one, when it may', async (rollingUpdateType) => {
    const name = rollingUpdateType.toLowerCase();
    await opened.apply({ name, image: images.first, rollingUpdate: { rollingUpdateType, maxUnavailable: 3 } });
    await opened.untilRolledOut(name);
    await refuseAll(fixture, name, 3);
    const before = uidsOf(await opened.pods(name));
    const history = await PodHistory.begin(opened.client, opened.namespace);
    await using _ended = history;
    await opened.setImage(name, images.second);
    await opened.until(name, isRefused);
    expect([uidsOf(await opened.pods(name)), (await opened.pods(name)).map(imageOf)]).toEqual([before, Array(3).fill(images.first)]);
    await fixture.change(name, { maxUnavailable: 1 });
    expect(isBlocked(await opened.untilRolledOut(name))).toBe(false);
    expect((await opened.pods(name)).map(imageOf)).toEqual(Array(3).fill(images.second));
    const isOurs = (pod: Pod): boolean => pod.metadata.labels?.['app'] === name;
    const observed = await history.untilNow();
    expect(observed.range((pod) => isOurs(pod) && isAvailable(pod)).lowest).toBeGreaterThanOrEqual(2);
  });
});

describe('a SidecarSet over Pods under a budget', () => {
  let opened: CloneSetFixture;
  let fixture: BudgetFixture;
  let sidecars: SidecarFixture;
  beforeAll(async () => {
    opened = await openFixture('pub-sidecarset');
    fixture = new BudgetFixture(opened);
    sidecars = new SidecarFixture(opened);
  });
  afterAll(async () => {
    await sidecars.close();
    await closeFixture(opened);
  });

  it('updates them one by one, when it may', async () => {
    await sidecars.create('web', [sidecar('side', sidecarImages.first)], {
      updateStrategy: { type: 'RollingUpdate', maxUnavailable: '100%' },
    });
    await opened.apply({ name: 'web', replicas: 3, image: images.first });
    await opened.untilRolledOut('web');
    await refuseAll(fixture, 'web', 3);
    const sidecarImagesNow = async (): Promise<readonly (string | undefined)[]> =>
      (await fixture.podsOf('web')).map(({ spec }) => spec.containers.find(({ name }) => name === 'side')?.image);
    const history = await PodHistory.begin(opened.client, opened.namespace);
    await using _ended = history;
    await sidecars.change('web', { containers: [sidecar('side', sidecarImages.second)] });
    const isSaid = async (): Promise<boolean> => {
      const { items } = await opened.client.list<EventObject>(events, { namespace: 'default' });
      return items.some(
        ({ involvedObject, reason, message = '' }) =>
          involvedObject?.name === sidecars.nameOf('web') && reason === 'BudgetRefuses' && message.includes(exhausted),
      );
    };
    await opened.eventually(isSaid, 'the SidecarSet says who keeps it');
    expect(await sidecarImagesNow()).toEqual(Array(3).fill(sidecarImages.first));
    await fixture.change('web', { maxUnavailable: 1 });
    await sidecars.untilCounts('web', [3, 3, 3, 3]);
    expect(await sidecarImagesNow()).toEqual(Array(3).fill(sidecarImages.second));
    const isOurs = (pod: Pod): boolean => pod.metadata.labels?.['app'] === 'web';
    const observed = await history.untilNow();
    expect(observed.range((pod) => isOurs(pod) && isAvailable(pod)).lowest).toBeGreaterThanOrEqual(2);
  });
});

type Scaled = Pick<WorkloadFixture<KubeObject>, 'client' | 'namespace' | 'eventually' | 'events' | 'patch' | 'pods'> & {
  until(name: string, holds: (seen: Workload) => boolean): Promise<unknown>;
};

/** A workload of three Pods, of which a budget needs all, and is to have two. */
async function scaleDown(opened: Scaled, untilThere: () => Promise<unknown>): Promise<void> {
  const fixture = new BudgetFixture(opened);
  await untilThere();
  await fixture.budget('web', { minAvailable: 3 });
  await fixture.untilNamed('web');
  await fixture.untilNumbers('web', 3, 3, 3, 0);
  await opened.patch('web', { spec: { replicas: 2 } });
  await opened.until('web', isRefused);
  await opened.eventually(async () => (await opened.events('web')).some(({ reason }) => reason === 'FailedDelete'), 'the event is there');
  expect((await opened.pods('web')).filter(isPodReady)).toHaveLength(3);
  await fixture.change('web', { minAvailable: 2 });
  await untilThere();
  await opened.until('web', (seen) => !isBlocked(seen));
  expect(await opened.pods('web')).toHaveLength(2);
}

describe('a StatefulSet under a budget', () => {
  let opened: StatefulSetFixture;
  beforeAll(async () => {
    opened = await openStatefulSets('pub-statefulset');
  });
  afterAll(() => closeFixture(opened));

  it('is scaled down when it may', async () => {
    await opened.apply({ name: 'web', replicas: 3, image: images.first });
    await scaleDown(opened, () => opened.untilAvailable('web'));
    expect(await opened.ordinals('web')).toEqual([0, 1]);
  });
});

describe('a CloneSet under a budget', () => {
  let opened: CloneSetFixture;
  beforeAll(async () => {
    opened = await openFixture('pub-cloneset');
  });
  afterAll(() => closeFixture(opened));

  it('is scaled down when it may', async () => {
    await opened.apply({ name: 'web', replicas: 3, image: images.first });
    await scaleDown(opened, () => opened.untilRolledOut('web'));
  });
});
