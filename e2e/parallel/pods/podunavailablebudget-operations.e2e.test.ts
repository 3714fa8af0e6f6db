/** What may be done to Pods under a budget. @see docs/spec/podunavailablebudget.md 9 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { podUnavailableBudgets, podUnavailableBudgetsV1Alpha1 } from '@kruise/api';
import { isPodReady } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { answerOf, BudgetFixture, deployments } from '../../support/budget-fixture.ts';
import { restartsOf } from '../../support/pod-facts.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

const exhausted = 'is forbidden: pub unavailable allowed is negative';

describe('a PodUnavailableBudget', () => {
  let opened: CloneSetFixture;
  let fixture: BudgetFixture;
  beforeAll(async () => {
    opened = await openFixture('pub-operations');
    fixture = new BudgetFixture(opened);
  });
  afterAll(async () => {
    await fixture.removeRolls();
    await closeFixture(opened);
  });

  /** Ready Pods under a budget whose numbers are there. */
  async function protectedPods(
    app: string,
    count: number,
    maxUnavailable: number,
    spec: object = {},
    container: object = {},
  ): Promise<readonly string[]> {
    await fixture.budget(app, { maxUnavailable, protectTotalReplicas: count, ...spec });
    const names = await fixture.lonePods(app, count, container);
    await fixture.untilNamed(app);
    await fixture.untilNumbers(app, count, count - maxUnavailable, count, maxUnavailable);
    return names;
  }

  it('1: without Pods shows zeros and says so', async () => {
    await fixture.budget('none', { maxUnavailable: 1 });
    await fixture.untilNumbers('none', 0, 0, 0, 0);
    await fixture.until('the event is there', async () => (await opened.events('none')).some(({ reason }) => reason === 'NoPods'));
  });

  it('2, 9: counts over two Deployments, and follows them down', async () => {
    await fixture.budget('two', { maxUnavailable: '25%' });
    await fixture.deployment('two-a', 'two', 5);
    await fixture.deployment('two-b', 'two', 5);
    await fixture.untilNumbers('two', 10, 7, 10, 3);
    await opened.client.patch(deployments, fixture.key('two-a'), { spec: { replicas: 0 } }, { type: 'merge' });
    await fixture.until('the Pods of the first are gone', async () => (await fixture.podsOf('two')).length === 5);
    await fixture.untilNumbers('two', 5, 3, 5, 2);
    await opened.client.delete(deployments, fixture.key('two-b'), { propagationPolicy: 'Background' });
    await fixture.untilNumbers('two', 0, 0, 0, 0);
  });

  it('3: refuses an eviction with 429, an event and a number, until the Pod is taken out of protection', async () => {
    const [name = ''] = await protectedPods('strict', 1, 0);
    expect(await fixture.evict(name)).toMatchObject({ code: 429, message: expect.stringContaining(exhausted) });
    await fixture.until('the event is there', async () =>
      (await opened.events(name)).some(({ reason }) => reason === 'PubPreventPodDeletion'),
    );
    expect((await fixture.get('strict')).status?.conditions).toMatchObject([{ type: 'Blocked', reason: 'NeverAllows' }]);
    await fixture.patch(name, { metadata: { annotations: { 'pub.kruise.io/no-protect': 'true' } } });
    expect(await fixture.evict(name)).toMatchObject({ code: 200 });
  });

  it('4: lets Pods go that it ignores', async () => {
    const [name = ''] = await protectedPods('ignoring', 1, 0, { ignoredPodSelector: { matchLabels: { a: 'b' } } });
    expect((await fixture.evict(name)).code).toBe(429);
    await fixture.patch(name, { metadata: { labels: { a: 'b' } } });
    expect((await fixture.evict(name)).code).toBe(200);
  });

  it('5: notes an update at once, refuses the next, and gives the budget back when the new image runs', async () => {
    // Not ready before the second update is refused.
    const readinessProbe = { exec: { command: ['true'] }, initialDelaySeconds: 4, periodSeconds: 1 };
    const [a = '', b = ''] = await protectedPods('updated', 2, 1, {}, { readinessProbe });
    expect(await fixture.setImage(a, images.second)).toMatchObject({ code: 200 });
    expect(Object.keys((await fixture.get('updated')).status?.unavailablePods ?? {})).toEqual([a]);
    expect(await fixture.setImage(b, images.second)).toMatchObject({ code: 403, message: expect.stringContaining(exhausted) });
    await fixture.untilNumbers('updated', 2, 1, 2, 1);
    expect((await opened.pod(a)).spec.containers[0]?.image).toBe(images.second);
  });

  it('6: lets a Pod be updated and deleted that is not ready', async () => {
    const [name = ''] = await protectedPods('broken', 1, 0);
    await fixture.change('broken', { maxUnavailable: 1 });
    await fixture.untilNumbers('broken', 1, 0, 1, 1);
    await fixture.setImage(name, 'nginx:no-such-tag');
    await fixture.until('the Pod is not ready', async () => !isPodReady(await opened.pod(name)));
    await fixture.change('broken', { maxUnavailable: 0 });
    await fixture.untilNumbers('broken', 1, 1, 0, 0);
    expect(await fixture.setImage(name, images.first)).toMatchObject({ code: 200 });
    expect(await fixture.delete(name)).toMatchObject({ code: 200 });
  });

  it('7: counts a Pod with an unavailable label as unavailable', async () => {
    const [a = '', b = ''] = await protectedPods('labelled', 2, 0);
    const label = (value: string | null) => ({ metadata: { labels: { 'unavailable-pod.kruise.io/x': value } } });
    expect((await fixture.patch(a, label(''))).code).toBe(403);
    await fixture.change('labelled', { maxUnavailable: 1 });
    await fixture.untilNumbers('labelled', 2, 1, 2, 1);
    expect((await fixture.patch(a, label(''))).code).toBe(200);
    await fixture.untilNumbers('labelled', 2, 1, 1, 0);
    expect((await fixture.patch(b, label(''))).code).toBe(403);
    expect((await fixture.patch(a, label(null))).code).toBe(200);
    await fixture.untilNumbers('labelled', 2, 1, 2, 1);
  });

  it('8: protects from what it names only, also by the annotation of the older version', async () => {
    const [a = ''] = await protectedPods('deletions', 1, 0, { protectOperations: ['DELETE'] });
    expect((await fixture.setImage(a, images.second)).code).toBe(200);
    const isReadyAgain = async (): Promise<boolean> => {
      const pod = await opened.pod(a);
      return restartsOf(pod) === 1 && isPodReady(pod);
    };
    await fixture.until('it is ready again', isReadyAgain);
    expect((await fixture.delete(a)).code).toBe(403);
    expect((await fixture.evict(a)).code).toBe(200);
    await opened.client.create(podUnavailableBudgetsV1Alpha1, {
      metadata: {
        ...fixture.key('older'),
        annotations: { 'kruise.io/pub-protect-operations': 'DELETE', 'pub.kruise.io/protect-total-replicas': '1' },
      },
      spec: { selector: { matchLabels: { app: 'older' } }, maxUnavailable: 0 },
    });
    const [b = ''] = await fixture.lonePods('older', 1);
    await fixture.untilNamed('older');
    await fixture.untilNumbers('older', 1, 1, 1, 0);
    expect((await fixture.delete(b)).code).toBe(403);
    expect((await fixture.evict(b)).code).toBe(200);
  });

  it('12, 13: is the same in both versions', async () => {
    await opened.client.create(podUnavailableBudgetsV1Alpha1, {
      metadata: {
        ...fixture.key('alpha'),
        annotations: { 'kruise.io/pub-protect-operations': 'DELETE, EVICT', 'pub.kruise.io/protect-total-replicas': '15' },
      },
      spec: { selector: { matchLabels: { app: 'alpha' } }, maxUnavailable: 1 },
    });
    expect((await fixture.get('alpha')).spec).toMatchObject({ protectOperations: ['DELETE', 'EVICT'], protectTotalReplicas: 15 });
    await fixture.budget('beta', { maxUnavailable: 1 }, { annotations: { 'kruise.io/pub-protect-operations': 'DELETE' } });
    const { metadata } = await opened.client.get(podUnavailableBudgetsV1Alpha1, fixture.key('beta'));
    expect(metadata.annotations?.['kruise.io/pub-protect-operations']).toBeUndefined();
  });

  it('14: keeps its selector, and a second one for the same Pods is refused', async () => {
    await fixture.budget('b', { maxUnavailable: 1 });
    expect(await answerOf(fixture.change('b', { selector: { matchLabels: { app: 'c' } } }))).toMatchObject({
      code: 400,
      message: expect.stringContaining('cannot be modified'),
    });
    const second = (selector: object, name: string) =>
      answerOf(opened.client.create(podUnavailableBudgets, { metadata: fixture.key(name), spec: { selector, maxUnavailable: 1 } }));
    expect((await second({ matchExpressions: [{ key: 'app', operator: 'In', values: ['b', 'c'] }] }, 'overlapping')).code).toBe(400);
    expect((await second({ matchLabels: { c: 'd' } }, 'other')).code).toBe(200);
  });

  it('15: a dry run costs nothing', async () => {
    const [a = ''] = await protectedPods('dry', 2, 1);
    expect((await fixture.delete(a, true)).code).toBe(200);
    expect(await fixture.numbers('dry')).toBe('2 1 2 1');
  });

  it('16: an eviction that was admitted and came to nothing gives the budget back, and that is reported', async () => {
    const [a = ''] = await protectedPods('returned', 2, 1);
    const stale = { preconditions: { resourceVersion: '1' } };
    expect((await answerOf(opened.client.evict(fixture.key(a), stale))).code).not.toBe(200);
    expect(Object.keys((await fixture.get('returned')).status?.disruptedPods ?? {})).toEqual([a]);
    await fixture.untilNumbers('returned', 2, 1, 2, 1);
    await fixture.until('the event is there', async () => (await opened.events(a)).some(({ reason }) => reason === 'NotDeleted'));
  });

  it('18: counts from the Scale of a kind that it does not know, and has its Pods by owner or by the selector of the Scale', async () => {
    await fixture.serveRolls();
    const targetRef = { apiVersion: 'budget.example.com/v1', kind: 'Roll', name: 'selecting' };
    await fixture.budget('selecting', { targetRef, maxUnavailable: 1 });
    await fixture.until('that there is none yet is no fault', async () => (await fixture.numbers('selecting')) === '0 0 0 0');
    await fixture.roll('selecting', 3);
    await fixture.lonePods('selecting', 2);
    await fixture.untilNumbers('selecting', 3, 2, 2, 0);
    expect((await fixture.evict('selecting-0')).code).toBe(429);
    await fixture.lonePods('selecting', 1, {}, { from: 2 });
    await fixture.untilNumbers('selecting', 3, 2, 3, 1);
    await fixture.budget('owning', { targetRef: { ...targetRef, name: 'owning' }, maxUnavailable: 1 });
    const owner = await fixture.roll('owning', 2, 'nobody');
    await fixture.lonePods('owning', 2, {}, { owner });
    await fixture.untilNamed('owning');
    await fixture.untilNumbers('owning', 2, 1, 2, 1);
    expect([(await fixture.evict('owning-0')).code, (await fixture.evict('owning-1')).code]).toEqual([200, 429]);
  });

  it('17: distinguishes a resize that restarts nothing from an update', async () => {
    const resources = { requests: { cpu: '10m' }, limits: { cpu: '500m' } };
    const resize = (name: string) =>
      fixture.patch(name, { spec: { containers: [{ name: 'main', resources: { requests: { cpu: '20m' } } }] } }, 'resize');
    const [quiet = ''] = await protectedPods('resized', 1, 0, {}, { resources });
    expect((await resize(quiet)).code).toBe(200);
    const resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];
    const [loud = ''] = await protectedPods('restarted', 1, 0, {}, { resources, resizePolicy });
    expect((await resize(loud)).code).toBe(403);
  });
});
