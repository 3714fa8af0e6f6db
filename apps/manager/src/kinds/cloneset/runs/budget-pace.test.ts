/** A rollout whose deletions a PodUnavailableBudget refuses keeps the pace of the budget. @see docs/spec/podunavailablebudget.md 4.6 */
import { expect, it } from '@jest/globals';
import { apiFailures, type FakeCall } from '@kruise/kube/testing';
import { CloneSetCluster } from '../cluster.testing.ts';

const replicas = 24;
const maxUnavailable = 2;
/** How long a replaced Pod counts as unavailable, in ms. */
const unavailableMs = 3000;
const message =
  'admission webhook "budget.vpod.kb.io" denied the request: podunavailablebudget.policy.kruise.io "b" is forbidden: pub unavailable allowed is negative';

it('recreates as many Pods as a budget allows, again as soon as they are available', async () => {
  const admitted: number[] = [];
  let refused = 0;
  const before = ({ verb, type }: FakeCall): void => {
    if (verb !== 'delete' || type?.plural !== 'pods') return;
    const now = cluster.clock.now();
    if (admitted.filter((at) => now - at < unavailableMs).length >= maxUnavailable) {
      refused++;
      throw apiFailures.forbidden(message);
    }
    admitted.push(now);
  };
  await using cluster = new CloneSetCluster(
    { replicas, rollingUpdate: { podUpdatePolicy: 'ReCreate', maxUnavailable: '50%' } },
    { before },
  );
  await cluster.settle();
  cluster.changeImage('app:2');
  const began = cluster.clock.now();
  const isUpdated = (): boolean =>
    cluster.pods.length === replicas && cluster.pods.every(({ spec }) => spec.containers[0]?.image === 'app:2');
  while (!isUpdated() && cluster.clock.now() - began < 3_600_000) await cluster.tick();
  const fastestMs = (replicas / maxUnavailable) * unavailableMs;
  expect(cluster.clock.now() - began).toBeLessThan(2 * fastestMs);
  expect(refused).toBeLessThan(replicas * 6);
});
