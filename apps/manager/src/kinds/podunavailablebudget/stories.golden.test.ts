/**
 * Golden stories of budgets: the controller and a replica of the webhook run on an in-memory API server, and the test compares answers, writes and
 * events with a text file in testdata/. To rewrite the files after an intended change:
 * `UPDATE_GOLDEN=1 npm run jest -- podunavailablebudget/stories.golden`, then review the diff.
 */
import { describe, expect, it } from '@jest/globals';
import { podUnavailableBudgets, type PodUnavailableBudgetSpec } from '@kruise/api';
import { quietHour, Story } from '@kruise/kube/testing';
import { goldenText } from '@kruise/testing';
import { deployments } from '@kruise/workloads';
import { RunStates } from '../../module/argo-health.testing.ts';
import { BudgetWorld, namespace, rolloutReference, toImage, type Answer, type WebhookReplica } from './world.testing.ts';

/** What users and kubelets do, each with what it comes to before the next. */
class Teller {
  readonly world: BudgetWorld;
  readonly replica: WebhookReplica;
  readonly #story: Story;

  constructor(world: BudgetWorld, replica: WebhookReplica, story: Story) {
    this.world = world;
    this.replica = replica;
    this.#story = story;
  }

  async step(what: string, act: () => unknown, seconds = 2): Promise<void> {
    this.#story.note(what);
    await act();
    await this.world.clock.step(seconds * 1000);
  }

  /** Sends a request and records its answer. */
  async ask(what: string, act: () => Promise<Answer>, seconds = 2): Promise<void> {
    this.#story.note(what);
    const { code, message, cause } = await act();
    this.#story.tell(`answer ${code} ${message}`.trimEnd(), cause === undefined ? [] : [`${cause.reason}: ${cause.message}`]);
    await this.world.clock.step(seconds * 1000);
  }

  change(spec: object): Promise<unknown> {
    return this.world.api.patch(podUnavailableBudgets, { namespace, name: 'b' }, { spec }, { type: 'merge' });
  }

  evict(name: string, seconds?: number): Promise<void> {
    return this.ask(`somebody evicts ${name}`, () => this.world.evict(name, this.replica), seconds);
  }

  /** A Deployment of so many ready Pods, which are known before the budget comes. */
  async protect(replicas: number, spec: Partial<PodUnavailableBudgetSpec> = { maxUnavailable: 1 }): Promise<void> {
    const { world } = this;
    await this.step(`a Deployment of ${replicas}`, () => {
      world.deployment('web', replicas);
      world.pods('web', replicas);
    });
    await this.step(`a budget: ${JSON.stringify(spec)}`, () => world.budget(spec));
  }
}

interface Told {
  readonly name: string;
  readonly then: (teller: Teller) => Promise<void>;
  /** Total, desired, current, allowed in the end. */
  readonly end: readonly number[];
}

const stories: readonly Told[] = [
  {
    name: 'pods-that-go',
    then: async (teller) => {
      const { world, replica } = teller;
      await teller.protect(3);
      await teller.evict('web-0');
      await teller.evict('web-1');
      await teller.step('the Deployment makes another, which is ready a little later', () => world.pod('web-3', 'web', { ready: false }));
      await teller.step('it is ready', () => world.pod('web-3', 'web'), 6);
      await teller.ask('somebody tries whether web-1 could go', () => world.evict('web-1', replica, { dryRun: true }));
      await teller.ask('somebody deletes it', () => world.delete('web-1', replica), 6);
      await teller.step('another comes', () => world.pod('web-4', 'web'));
    },
    end: [3, 2, 3, 1],
  },
  {
    name: 'an-update-in-place',
    then: async (teller) => {
      const { world, replica } = teller;
      await teller.protect(3);
      await teller.ask('web-0 gets another image', () => world.update('web-0', toImage('app:2'), replica));
      await teller.ask('so would web-1', () => world.update('web-1', toImage('app:2'), replica));
      await teller.step('the container of web-0 stops', () => world.pod('web-0', 'web', { image: 'app:2', ready: false }));
      await teller.step('and runs the new image', () => world.pod('web-0', 'web', { image: 'app:2' }), 10);
      await teller.ask('web-1 is next, with an image that nobody has', () => world.update('web-1', toImage('app:none'), replica));
      await teller.step('it never runs', () => world.pod('web-1', 'web', { image: 'app:none', ready: false }), 12);
      await teller.ask('web-2 has to stay as it is', () => world.update('web-2', toImage('app:none'), replica));
      await teller.ask('web-1 may be put right', () => world.update('web-1', toImage('app:2'), replica));
      await teller.step('it runs', () => world.pod('web-1', 'web', { image: 'app:2' }));
    },
    end: [3, 2, 3, 1],
  },
  {
    name: 'a-deletion-that-does-not-come',
    then: async (teller) => {
      const { world, replica } = teller;
      await teller.protect(2);
      await teller.ask(
        'a deletion of web-0 is admitted, and fails after that',
        () => replica.ask({ operation: 'DELETE', name: 'web-0', oldObject: world.getPod('web-0') ?? null }),
        15,
      );
      await teller.evict('web-1', 10);
      await teller.evict('web-1', 6);
    },
    end: [2, 1, 1, 0],
  },
  {
    name: 'scaled-and-gone',
    then: async (teller) => {
      const { world, replica } = teller;
      await teller.protect(3);
      await teller.step('the Deployment is to have one Pod', () => world.deployment('web', 1));
      await teller.ask('it deletes web-2', () => world.delete('web-2', replica));
      await teller.ask('and web-1', () => world.delete('web-1', replica), 6);
      await teller.step('it is deleted', () =>
        world.api.delete(deployments, { namespace, name: 'web' }, { propagationPolicy: 'Background' }),
      );
      await teller.ask('and its last Pod with it', () => world.delete('web-0', replica), 6);
    },
    end: [0, 0, 0, 0],
  },
  {
    name: 'a-budget-that-can-never-be-met',
    then: async (teller) => {
      const { world } = teller;
      await teller.protect(3, { minAvailable: 4 });
      await teller.evict('web-0');
      await teller.step('three are enough', () => teller.change({ minAvailable: 3 }));
      await teller.evict('web-0');
      await teller.step('the Deployment is to have four', () => world.deployment('web', 4));
      await teller.step('the fourth comes', () => world.pod('web-3', 'web'));
      await teller.evict('web-0', 6);
    },
    end: [4, 3, 3, 0],
  },
  {
    name: 'a-workload-that-nobody-knows-yet',
    then: async (teller) => {
      const { world } = teller;
      await teller.step('a budget for a Rollout, which is not served', () =>
        world.budget({ targetRef: rolloutReference('web'), maxUnavailable: 1 }),
      );
      await teller.step(
        'it is served, and there is one of two Pods',
        () => {
          world.serveRollouts();
          world.rollout('web', 2);
          world.pods('web', 2);
        },
        31,
      );
      await teller.evict('web-0', 6);
      await teller.step('the Rollout makes another', () => world.pod('web-2', 'web'), 31);
    },
    end: [2, 1, 2, 1],
  },
];

const states = new RunStates('PodUnavailableBudget');

describe('a budget', () => {
  it.each(stories)('$name', async ({ name, then, end }) => {
    const world = new BudgetWorld();
    states.watch(name, world.api);
    const story = new Story(world.clock);
    story.tellWrites(world.api);
    const life = world.begin({ story });
    await then(new Teller(world, await world.replica(), story));
    story.note('an hour in which nobody does anything');
    expect(await quietHour({ api: world.api, clock: world.clock })).toEqual([]);
    await world.close();
    await life.stop();
    expect(story.text).toBe(goldenText(new URL(`./testdata/${name}.txt`, import.meta.url), story.text));
    expect(world.numbers()).toEqual(end);
  });

  states.itHasVerdicts(new URL('./testdata/argocd/verdicts.txt', import.meta.url));
});
