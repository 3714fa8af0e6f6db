/**
 * What clients and workloads notice while nodes are drained, a node or a zone is lost, and the programs are upgraded. A client creates Pods of a
 * CloneSet all the time (as dry runs, 10 a second or KRUISE_STORM_PER_SECOND), and a CloneSet is updated meanwhile. With KRUISE_STORM_REPORT the tests
 * print their figures.
 *
 * @see docs/reliability.md
 */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { isPodReady, nodes, type Pod } from '@kruise/objects';
import type { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import {
  lostFirstCalls,
  otherRefusals,
  refusals,
  report,
  stormDuring,
  type Storm,
} from '../../apps/manager/src/int-tests/fixtures/pod-storm.testing.ts';
import { closeFixture, images, openFixture } from '../support/fixture.ts';
import { LostNodes } from '../support/lost-nodes.ts';
import { Managers, managerNamespace } from '../support/managers.ts';
import { imageOf } from '../support/pod-facts.ts';
import { pushNextImage } from '../support/next-image.ts';
import { helm, kubectl } from '../support/programs.ts';
import { untilWebhooksAnswer } from '../support/webhooks.ts';

const perSecond = Number(process.env['KRUISE_STORM_PER_SECOND'] ?? 10);
/** As many calls as arrive in the 33 s after which the API server has given up both of its own. */
const mostAtOnce = 33 * perSecond;
const replicas = 6;
const nodeNames = ['node1', 'node2', 'node3'];
const zoneKey = 'topology.kubernetes.io/zone';
const manager = 'deployment/kruise-controller-manager';
const chart = join(import.meta.dirname, '../../charts/kruise');

/** Kubernetes evicts these Pods as soon as it notices that their node is lost. */
const template = {
  metadata: { labels: { app: 'web' } },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'main', image: images.first }],
    tolerations: ['not-ready', 'unreachable'].map((state) => ({
      key: `node.kubernetes.io/${state}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 0,
    })),
  },
};

interface Outcome {
  readonly storm: Storm;
  /** First calls of the webhook that the API server has lost. */
  readonly lost: number;
}

describe('high availability', () => {
  let fixture: CloneSetFixture;
  let managers: Managers;
  let lostNodes: LostNodes;
  let image: string = images.first;

  const untilBothServe = async (): Promise<void> => {
    await fixture.eventually(
      async () => (await managers.bothReady()) && (await managers.leader()) !== undefined,
      'two replicas, one leads',
    );
    await untilWebhooksAnswer(fixture);
  };
  /** Rolls the CloneSet out again, with the other image. */
  const rollOut = async (): Promise<void> => {
    image = image === images.first ? images.second : images.first;
    await fixture.setImage('web', image);
    await fixture.untilRolledOut('web');
  };
  const rolloutStatus = (namespace: string, name: string): Promise<string> =>
    kubectl('-n', namespace, 'rollout', 'status', name, '--timeout=180s');
  const restart = async (namespace: string, name: string): Promise<void> => {
    await kubectl('-n', namespace, 'rollout', 'restart', name);
    await rolloutStatus(namespace, name);
  };
  const setZones = async (zoneOf: (node: string) => string): Promise<void> => {
    for (const node of nodeNames) await kubectl('label', 'node', node, `${zoneKey}=${zoneOf(node)}`, '--overwrite');
  };

  /** Creates Pods while `work` is done. @returns what became of them */
  const creatingPods = async (what: string, work: () => Promise<unknown>): Promise<Outcome> => {
    const before = await lostFirstCalls(fixture.client);
    const holder = await managers.leaseHolder();
    const began = performance.now();
    let movedAfter = NaN;
    const storm = await stormDuring({ client: fixture.client, namespace: fixture.namespace, perSecond, mostAtOnce }, async () => {
      const moved = fixture
        .eventually(async () => !['', holder].includes(await managers.leaseHolder()), 'another process holds the lease')
        .then(() => (movedAfter = performance.now() - began));
      await Promise.all([work(), moved]);
    });
    const lost = (await lostFirstCalls(fixture.client)) - before;
    const seconds = (ms: number): string => (ms / 1000).toFixed(1);
    report(
      `${what} in ${seconds(performance.now() - began)} s, lease moved after ${seconds(movedAfter)} s, ${lost} first calls lost`,
      storm,
    );
    return { storm, lost };
  };
  const untilServed = async (): Promise<void> => {
    const { client, namespace } = fixture;
    const storm = await stormDuring({ client, namespace, perSecond }, (created) =>
      fixture.eventually(async () => created() > perSecond, `${perSecond} Pods more`),
    );
    expect(storm.refused).toEqual({});
  };
  const expectAllUpdated = async (): Promise<readonly Pod[]> => {
    const all = await fixture.pods('web');
    expect(all.map(imageOf)).toEqual(Array.from({ length: replicas }, () => image));
    expect(all.every(isPodReady)).toBe(true);
    return all;
  };

  beforeAll(async () => {
    fixture = await openFixture('high-availability');
    managers = new Managers(fixture.client);
    lostNodes = new LostNodes(fixture.client);
    await untilBothServe();
    await fixture.apply({ name: 'web', replicas, image, rollingUpdate: { maxUnavailable: '50%' }, spec: { template } });
    await fixture.untilRolledOut('web');
  });
  afterEach(async () => {
    await lostNodes.restore();
    await kubectl('uncordon', ...nodeNames);
    await fixture.eventually(async () => (await readyNodes()).length === nodeNames.length, 'every node is ready');
    await untilBothServe();
  });
  afterAll(() => closeFixture(fixture));

  const readyNodes = async (): Promise<readonly string[]> =>
    (await fixture.client.list(nodes)).items
      .filter(({ status }) => status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') === true)
      .map(({ metadata }) => metadata.name);

  /** The image that each replica of the manager runs. */
  const managerImages = async (): Promise<readonly (string | undefined)[]> =>
    (await managers.replicas()).map(({ spec }) => spec.containers[0]?.image);
  /** As users do; the managers own a part of the webhook configurations, which Helm overwrites. */
  const release = (...args: readonly string[]): Promise<string> =>
    helm(...args, '--namespace', 'default', '--force-conflicts', '--wait', '--timeout', '180s');

  describe('with Helm', () => {
    let [before, next] = ['', ''];
    const tagOf = (reference: string): string => reference.replace(/^.*:/, '');
    const upgradeTo = (tag: string): Promise<string> =>
      release('upgrade', 'kruise', chart, '--reuse-values', '--set-string', `manager.image.tag=${tag}`);
    beforeAll(async () => {
      before = (await managerImages())[0] ?? '';
      next = await pushNextImage(before);
    });

    it('an upgrade of managers and agents to another image refuses no Pod, and a rollout continues', async () => {
      const { storm, lost } = await creatingPods('upgrade', () => Promise.all([upgradeTo(next), rollOut()]));
      expect([storm.refused, lost]).toEqual([{}, 0]);
      await untilBothServe();
      expect((await managerImages()).map((image = '') => tagOf(image))).toEqual([next, next]);
      await expectAllUpdated();
    });

    it('the upgrade back refuses no Pod either', async () => {
      const { storm, lost } = await creatingPods('upgrade back', () => Promise.all([upgradeTo(tagOf(before)), rollOut()]));
      expect([storm.refused, lost]).toEqual([{}, 0]);
      await untilBothServe();
      expect(await managerImages()).toEqual([before, before]);
      await expectAllUpdated();
    });
  });

  it('a drain of every node, one after the other, refuses no Pod: the budget of the managers keeps one of them', async () => {
    const drains = async (): Promise<void> => {
      for (const node of nodeNames) {
        await kubectl('drain', node, '--ignore-daemonsets', '--delete-emptydir-data', '--force', '--timeout=180s');
        await kubectl('uncordon', node);
      }
    };
    const { storm, lost } = await creatingPods('drains', () => Promise.all([drains(), rollOut()]));
    expect([storm.refused, lost]).toEqual([{}, 0]);
    await fixture.untilRolledOut('web');
    await expectAllUpdated();
  });

  /** Loses these nodes, and waits until the workload runs on the others. */
  const lose = async (what: string, names: readonly string[]): Promise<void> => {
    const { storm, lost } = await creatingPods(what, async () => {
      await lostNodes.lose(...names);
      await rollOut();
      await fixture.eventually(async () => (await readyNodes()).every((name) => !names.includes(name)), 'Kubernetes notices the loss');
    });
    expect(otherRefusals(storm)).toEqual([]);
    expect(refusals(storm)).toBeLessThanOrEqual(lost);
    await untilServed();
    expect((await expectAllUpdated()).filter(({ spec }) => names.includes(spec.nodeName ?? ''))).toEqual([]);
  };

  it('the loss of the node of the leader refuses no Pods but those whose calls were both lost; another replica leads, and a rollout continues', async () => {
    await lose('loss of the node of the leader', [(await managers.leader())?.spec.nodeName ?? '']);
  });

  describe('in two zones', () => {
    const lostZone = ['node1', 'node2'];
    const leaderIsInLostZone = async (): Promise<boolean> => lostZone.includes((await managers.leader())?.spec.nodeName ?? '');
    const zonesOfManagers = async (): Promise<readonly boolean[]> =>
      (await managers.replicas()).map(({ spec }) => lostZone.includes(spec.nodeName ?? '')).toSorted();
    /** The scheduler may ignore the zone of a single Pod, so the nodes of the other zone take none meanwhile. */
    const moveLeader = async (): Promise<void> => {
      await kubectl('cordon', ...lostZone);
      await kubectl('-n', managerNamespace, 'delete', 'pod', (await managers.leader())?.metadata.name ?? '');
      await untilBothServe();
      await kubectl('uncordon', ...lostZone);
    };
    beforeAll(() => setZones((node) => (lostZone.includes(node) ? 'zone-lost' : 'zone-left')));
    afterAll(() => setZones((node) => node.replace('node', 'zone-')));

    it('the managers run in both, and the loss of the zone of the leader has the same effect', async () => {
      await restart(managerNamespace, manager);
      await untilBothServe();
      expect(await zonesOfManagers()).toEqual([false, true]);
      if (!(await leaderIsInLostZone())) await moveLeader();
      expect(await zonesOfManagers()).toEqual([false, true]);
      expect(await leaderIsInLostZone()).toBe(true);
      await lose('loss of a zone', lostZone);
    });
  });
});
