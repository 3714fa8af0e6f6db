/** What a rollout makes of nodes that fail or are drained in the middle of it. @see docs/spec/daemonset.md 6, 9 */
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conditionTypes, daemonSets } from '@kruise/api';
import { isTerminating, events, isPodReady, type Pod } from '@kruise/objects';
import { ComponentSet } from '@kruise/testing';
import type { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { DaemonSetFixture } from '../../apps/manager/src/int-tests/fixtures/daemonset-fixture.testing.ts';
import type { EventObject } from '../../apps/manager/src/int-tests/fixtures/workload-fixture.testing.ts';
import { BudgetFixture } from '../support/budget-fixture.ts';
import { imageOf, inPlaceReady, restartsOf } from '../support/pod-facts.ts';
import { PodHistory } from '../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { kubectl, kubectlAll } from '../support/programs.ts';
import { closeFixture, images, openFixture } from '../support/fixture.ts';

const { first, second } = images;
const nodeNames = ['node1', 'node2', 'node3'];

/** Exactly three Pods on each node, so that the loss of one takes three of the four that may be unavailable. */
const template = {
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [{ name: 'main', image: first }],
    // Kubernetes would evict them from a node that is lost for five minutes, which these tests may take on a slow machine.
    tolerations: ['not-ready', 'unreachable'].map((state) => ({
      key: `node.kubernetes.io/${state}`,
      operator: 'Exists',
      effect: 'NoExecute',
    })),
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'web' } },
      },
    ],
  },
};

describe('a node fails in the middle of a rollout', () => {
  let fixture: CloneSetFixture;
  let daemons: DaemonSetFixture;
  const components = new ComponentSet(dirname(process.env['KRUISE_E2E_KUBECONFIG'] ?? ''));
  const restartKubelets = async (): Promise<void> => {
    for (const name of nodeNames) if (!components.isAlive(`kubelet-${name}`)) await components.restart(`kubelet-${name}`);
  };
  beforeAll(async () => {
    fixture = await openFixture('node-faults');
    daemons = new DaemonSetFixture(daemonSets, fixture.client, fixture.namespace);
  });
  afterAll(async () => {
    await restartKubelets();
    await closeFixture(fixture);
  });

  it('kubelet and containerd restart, and every Pod is updated once, with no gate left closed', async () => {
    await fixture.apply({ name: 'web', replicas: 9, image: first, rollingUpdate: { maxUnavailable: 4 }, spec: { template } });
    await fixture.untilRolledOut('web');
    const before = await fixture.pods('web');
    await fixture.setImage('web', second);
    await fixture.untilUpdated('web', 1);
    await components.kill('kubelet-node1');
    // The three Pods of node1 may all have been among the first: the fourth slot continues meanwhile.
    await fixture.untilUpdated('web', 5);
    await Promise.all([components.restart('kubelet-node1'), components.restart('containerd-node2', 1_000)]);
    await fixture.untilRolledOut('web');
    const after = await fixture.pods('web');
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
    expect(after.map(imageOf)).toEqual(Array.from({ length: 9 }, () => second));
    // A container that kubelet or containerd was about to start when it went has failed once: the kubelet counts its next try.
    const tooMany = after.filter((pod) => (restartsOf(pod) ?? 0) > (pod.spec.nodeName === 'node3' ? 1 : 2));
    expect(tooMany.map(({ metadata }) => metadata.name)).toEqual([]);
    expect(after.filter((pod) => (restartsOf(pod) ?? 0) < 1)).toEqual([]);
    expect(after.map(inPlaceReady)).toEqual(Array.from({ length: 9 }, () => 'True'));
  });

  /** It takes 40 s until Kubernetes knows that a node is lost. The tests share that one, and another node is drained meanwhile. */
  describe('and is lost', () => {
    let drained: Promise<void>;
    let pod: Pod;
    beforeAll(async () => {
      await restartKubelets();
      await daemons.apply({ name: 'lost', image: first });
      await daemons.untilRolledOut('lost');
      pod = await daemons.podOn('lost', 'node1');
      await components.kill('kubelet-node1');
      drained = drain('node3', ['node2', 'node3']);
      drained.catch(() => undefined); // its test fails
    });
    afterAll(async () => {
      await Promise.allSettled([drained]);
    });

    it('a CloneSet names it', async () => {
      await fixture.setImage('web', first);
      const stuck = await fixture.until(
        'web',
        ({ status }) => status?.conditions?.some(({ type, reason }) => type === conditionTypes.blocked && reason === 'NodeLost') === true,
      );
      const blocked = stuck.status?.conditions?.find(({ type }) => type === conditionTypes.blocked);
      expect(blocked?.message).toMatch(/^node node1 of Pod web-.+ no longer reports; /);
    });

    it('a DaemonSet is updated on other nodes as far as the limit allows, and does not replace its Pod there', async () => {
      // The node takes no new Pods, so that it is none of those that should run one; what it runs is tolerated.
      const { status } = await daemons.until('lost', (seen) => seen.status?.numberMisscheduled === 1);
      expect(status).toMatchObject({ desiredNumberScheduled: 2, numberAvailable: 2 });
      expect(isTerminating(await daemons.pod(pod.metadata.name))).toBe(false);
      await daemons.setImage('lost', second);
      // Its Pod has to be deleted as well, which no kubelet can confirm, and uses up the one that may be unavailable.
      await daemons.untilUpdated('lost', 1, 2);
      await daemons.untilBlocked('lost', 'NodeLost');
      expect(isTerminating(await daemons.pod(pod.metadata.name))).toBe(true);
      await daemons.patch('lost', { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } } });
      await daemons.untilRolledOut('lost', 2);
      // Whether the old Pod has stopped is unknown, so that no other one takes its place.
      expect(await daemons.byNode('lost', imageOf)).toEqual({ node2: second, node3: second });
    });

    it('another node that is drained loses its Pods one after the other, the client reads which budget keeps them, and there are never fewer than the budget requires', () =>
      drained);

    it('both rollouts continue when the node is back', async () => {
      const before = await fixture.pods('web');
      await components.restart('kubelet-node1');
      const done = await fixture.untilRolledOut('web');
      expect(done.status?.conditions?.some(({ type }) => type === conditionTypes.blocked) ?? false).toBe(false);
      expect((await fixture.pods('web')).map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
      await daemons.untilRolledOut('lost');
      expect(imageOf(await daemons.podOn('lost', 'node1'))).toBe(second);
    });
  });
});

/** `kubectl drain` of a node whose Pods are under a budget: it tries again until it may, and the budget holds at every moment. */
async function drain(node: string, among: readonly string[]): Promise<void> {
  const opened = await openFixture('pub-drain');
  const fixture = new BudgetFixture(opened);
  try {
    await fixture.budget('drained', { maxUnavailable: 1 });
    const term = { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: among }] };
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } };
    await fixture.deployment('drained', 'drained', 9, { affinity: { nodeAffinity } });
    await fixture.untilNumbers('drained', 9, 8, 9, 1);
    await fixture.untilNamed('drained');
    await fixture.change('drained', { maxUnavailable: 0 });
    await fixture.untilNumbers('drained', 9, 9, 9, 0);
    await using history = await PodHistory.begin(opened.client, opened.namespace);
    const draining = kubectlAll(
      'drain',
      node,
      '--ignore-daemonsets',
      '--delete-emptydir-data',
      '--force',
      '--pod-selector=app=drained',
      '--timeout=300s',
    );
    draining.catch(() => undefined); // awaited below, unless what is expected before that fails
    const isRefused = async (): Promise<boolean> =>
      (await opened.client.list<EventObject>(events, { namespace: opened.namespace })).items.some(
        ({ reason }) => reason === 'PubPreventPodDeletion',
      );
    await fixture.until('an eviction is refused', isRefused);
    await fixture.change('drained', { maxUnavailable: 1 });
    const { stdout, stderr } = await draining;
    expect(stdout).toContain('drained');
    expect(stderr).toMatch(
      /error when evicting pods\/"drained-.*" -n "pub-drain" \(will retry after 5s\): .*podunavailablebudget\.policy\.kruise\.io "drained" is forbidden/,
    );
    await fixture.untilNumbers('drained', 9, 8, 9, 1);
    const isOurs = (one: Pod): boolean => one.metadata.labels?.['app'] === 'drained' && one.metadata.deletionTimestamp === undefined;
    const observed = await history.untilNow();
    expect(observed.range((one) => isOurs(one) && isPodReady(one)).lowest).toBeGreaterThanOrEqual(8);
    expect((await fixture.podsOf('drained')).filter(({ spec }) => spec.nodeName === node)).toEqual([]);
  } finally {
    await kubectl('uncordon', node);
    await closeFixture(opened);
  }
}
