/**
 * Golden scenarios of budgets: the controller and a replica of the webhook run on an in-memory API server, and the test compares answers, writes and
 * events with a text file in testdata/. To rewrite the files after an intended change:
 * `UPDATE_GOLDEN=1 npm run jest -- podunavailablebudget/scenarios.golden`, then review the diff.
 */
import { describe, expect, it } from '@jest/globals';
import { podUnavailableBudgets, type PodUnavailableBudgetSpec } from '@kruise/api';
import { quietHour, type Timeline } from '@kruise/kube/testing';
import { deployments } from '@kruise/workloads';
import { RunStates } from '../../module/fixtures/argo-health.testing.ts';
import { goldenOf, type GoldenScenario } from '../../module/golden-scenarios.testing.ts';
import { BudgetCluster, namespace, rolloutReference, toImage, type Answer, type WebhookReplica } from './cluster.testing.ts';

/** What users and kubelets do, each with what it comes to before the next. */
class Recorder {
  readonly cluster: BudgetCluster;
  readonly replica: WebhookReplica;
  readonly #timeline: Timeline;

  constructor(cluster: BudgetCluster, replica: WebhookReplica, timeline: Timeline) {
    this.cluster = cluster;
    this.replica = replica;
    this.#timeline = timeline;
  }

  async step(what: string, act: () => unknown, seconds = 2): Promise<void> {
    this.#timeline.note(what);
    await act();
    await this.cluster.clock.step(seconds * 1000);
  }

  /** Sends a request and records its answer. */
  async ask(what: string, act: () => Promise<Answer>, seconds = 2): Promise<void> {
    this.#timeline.note(what);
    const { code, message, cause } = await act();
    this.#timeline.record(`answer ${code} ${message}`.trimEnd(), cause === undefined ? [] : [`${cause.reason}: ${cause.message}`]);
    await this.cluster.clock.step(seconds * 1000);
  }

  change(spec: object): Promise<unknown> {
    return this.cluster.api.patch(podUnavailableBudgets, { namespace, name: 'b' }, { spec }, { type: 'merge' });
  }

  evict(name: string, seconds?: number): Promise<void> {
    return this.ask(`somebody evicts ${name}`, () => this.cluster.evict(name, this.replica), seconds);
  }

  /** A Deployment of so many ready Pods, which are known before the budget comes. */
  async protect(replicas: number, spec: Partial<PodUnavailableBudgetSpec> = { maxUnavailable: 1 }): Promise<void> {
    const { cluster } = this;
    await this.step(`a Deployment of ${replicas}`, () => {
      cluster.deployment('web', replicas);
      cluster.pods('web', replicas);
    });
    await this.step(`a budget: ${JSON.stringify(spec)}`, () => cluster.budget(spec));
  }
}

interface Scenario extends GoldenScenario<Recorder> {
  /** Total, desired, current, allowed in the end. */
  readonly end: readonly number[];
}

const scenarios: readonly Scenario[] = [
  {
    name: 'pods-that-go',
    then: async (recorder) => {
      const { cluster, replica } = recorder;
      await recorder.protect(3);
      await recorder.evict('web-0');
      await recorder.evict('web-1');
      await recorder.step('the Deployment makes another, which is ready a little later', () =>
        cluster.pod('web-3', 'web', { ready: false }),
      );
      await recorder.step('it is ready', () => cluster.pod('web-3', 'web'), 6);
      await recorder.ask('somebody tries whether web-1 could go', () => cluster.evict('web-1', replica, { dryRun: true }));
      await recorder.ask('somebody deletes it', () => cluster.delete('web-1', replica), 6);
      await recorder.step('another comes', () => cluster.pod('web-4', 'web'));
    },
    end: [3, 2, 3, 1],
  },
  {
    name: 'an-update-in-place',
    then: async (recorder) => {
      const { cluster, replica } = recorder;
      await recorder.protect(3);
      await recorder.ask('web-0 gets another image', () => cluster.update('web-0', toImage('app:2'), replica));
      await recorder.ask('so would web-1', () => cluster.update('web-1', toImage('app:2'), replica));
      await recorder.step('the container of web-0 stops', () => cluster.pod('web-0', 'web', { image: 'app:2', ready: false }));
      await recorder.step('and runs the new image', () => cluster.pod('web-0', 'web', { image: 'app:2' }), 10);
      await recorder.ask('web-1 is next, with an image that no registry has', () => cluster.update('web-1', toImage('app:none'), replica));
      await recorder.step('it never runs', () => cluster.pod('web-1', 'web', { image: 'app:none', ready: false }), 12);
      await recorder.ask('web-2 has to stay as it is', () => cluster.update('web-2', toImage('app:none'), replica));
      await recorder.ask('web-1 may be put right', () => cluster.update('web-1', toImage('app:2'), replica));
      await recorder.step('it runs', () => cluster.pod('web-1', 'web', { image: 'app:2' }));
    },
    end: [3, 2, 3, 1],
  },
  {
    name: 'a-deletion-that-does-not-come',
    then: async (recorder) => {
      const { cluster, replica } = recorder;
      await recorder.protect(2);
      await recorder.ask(
        'a deletion of web-0 is admitted, and fails after that',
        () => replica.ask({ operation: 'DELETE', name: 'web-0', oldObject: cluster.getPod('web-0') ?? null }),
        15,
      );
      await recorder.evict('web-1', 10);
      await recorder.evict('web-1', 6);
    },
    end: [2, 1, 1, 0],
  },
  {
    name: 'scaled-and-deleted',
    then: async (recorder) => {
      const { cluster, replica } = recorder;
      await recorder.protect(3);
      await recorder.step('the Deployment is to have one Pod', () => cluster.deployment('web', 1));
      await recorder.ask('it deletes web-2', () => cluster.delete('web-2', replica));
      await recorder.ask('and web-1', () => cluster.delete('web-1', replica), 6);
      await recorder.step('it is deleted', () =>
        cluster.api.delete(deployments, { namespace, name: 'web' }, { propagationPolicy: 'Background' }),
      );
      await recorder.ask('and its last Pod with it', () => cluster.delete('web-0', replica), 6);
    },
    end: [0, 0, 0, 0],
  },
  {
    name: 'a-budget-that-can-never-be-met',
    then: async (recorder) => {
      const { cluster } = recorder;
      await recorder.protect(3, { minAvailable: 4 });
      await recorder.evict('web-0');
      await recorder.step('three are enough', () => recorder.change({ minAvailable: 3 }));
      await recorder.evict('web-0');
      await recorder.step('the Deployment is to have four', () => cluster.deployment('web', 4));
      await recorder.step('the fourth comes', () => cluster.pod('web-3', 'web'));
      await recorder.evict('web-0', 6);
    },
    end: [4, 3, 3, 0],
  },
  {
    name: 'a-workload-that-is-not-known-yet',
    then: async (recorder) => {
      const { cluster } = recorder;
      await recorder.step('a budget for a Rollout, which is not served', () =>
        cluster.budget({ targetRef: rolloutReference('web'), maxUnavailable: 1 }),
      );
      await recorder.step(
        'it is served, and there is one of two Pods',
        () => {
          cluster.serveRollouts();
          cluster.rollout('web', 2);
          cluster.pods('web', 2);
        },
        31,
      );
      await recorder.evict('web-0', 6);
      await recorder.step('the Rollout makes another', () => cluster.pod('web-2', 'web'), 31);
    },
    end: [2, 1, 2, 1],
  },
];

const states = new RunStates('PodUnavailableBudget');

describe('a budget', () => {
  it.each(scenarios)('$name', async ({ name, then, end }) => {
    const cluster = new BudgetCluster();
    states.watch(name, cluster.api);
    const { timeline } = cluster;
    cluster.record();
    cluster.begin();
    await then(new Recorder(cluster, await cluster.replica(), timeline));
    timeline.note('an hour without any change');
    expect(await quietHour({ api: cluster.api, clock: cluster.clock })).toEqual([]);
    await cluster.stop();
    expect(timeline.text).toBe(goldenOf(import.meta.url, name, timeline.text));
    expect(cluster.numbers()).toEqual(end);
  });

  states.itHasVerdicts(new URL('./testdata/argocd/verdicts.txt', import.meta.url));
});
