/** Jobs with all defaults on nodes of which some do not answer or cannot pull: both controllers' plans and the agents, without an API server. */
import { describe, expect, it } from '@jest/globals';
import type { ImagePullJob, NodeImage } from '@kruise/api';
import { plan as planJob } from '../imagepulljob/plan.ts';
import { withTask } from '../imagepulljob/plan-task.ts';
import { contextAt, snapshot, termsOf } from '../imagepulljob/testing.ts';
import { plan as planNode } from '../nodeimage/plan.ts';
import { instant, seconds } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { isActive } from './active-job.ts';
import { agentStep, type AgentOptions } from './agent.testing.ts';
import { aJob, aNode, aNodeImage } from './builders.testing.ts';
import { tagAt, versionOf } from './node-image-tags.ts';

interface Fleet {
  readonly count: number;
  /** Nodes before this one have no agent. */
  readonly down?: number;
  /** Between two looks of an agent at its NodeImage: a pull takes two of them. */
  readonly stepSeconds: number;
  readonly agent?: AgentOptions;
  readonly spec?: Partial<ImagePullJob['spec']>;
}

class Run {
  second = 0;
  job: ImagePullJob;
  nodes: readonly NodeImage[];
  /** Tasks written, by node: a task that is written again has a new version. */
  readonly tasks = new Map<string, number>();
  jobWrites = 0;
  nodeWrites = 0;
  readonly #fleet: Fleet;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.job = aJob({ spec: fleet.spec ?? {} });
    this.nodes = Array.from({ length: fleet.count }, (_, i) => aNodeImage({ name: `n${String(i).padStart(4, '0')}` }));
  }

  #isUp = (at: number): boolean => at >= (this.#fleet.down ?? 0);

  #passOfJob(): void {
    if (!isActive(this.job)) return;
    const next = planJob(snapshot(this.job, this.nodes), contextAt(this.second));
    if (JSON.stringify(this.job.status) !== JSON.stringify(next.status)) this.jobWrites += 1;
    this.job = { ...this.job, status: next.status };
    const order = { job: this.job, terms: termsOf(this.job), references: [] };
    const given = new Set(next.actions.map(({ nodeImage }) => nodeImage));
    this.nodes = this.nodes.map((node) => (given.has(node) ? this.#withTask(node, order) : node));
  }

  #withTask(node: NodeImage, order: Parameters<typeof withTask>[1]): NodeImage {
    const { name } = node.metadata;
    this.tasks.set(name, (this.tasks.get(name) ?? 0) + 1);
    return withTask(node, order, contextAt(this.second));
  }

  #passOfNode(nodeImage: NodeImage): NodeImage {
    const { name } = nodeImage.metadata;
    const runningOwners = new Set(isActive(this.job) ? [this.job.metadata.uid ?? ''] : []);
    const seen = { name, node: aNode(name), nodeImage, deletedOwners: new Set<string>(), deletedSecrets: new Set<string>(), runningOwners };
    const { action } = planNode(seen, { now: instant(epoch + this.second * 1000), creationDelay: seconds(30) });
    if (action === undefined || !('after' in action)) return nodeImage;
    this.nodeWrites += 1;
    return action.after;
  }

  step(): void {
    this.second += this.#fleet.stepSeconds;
    const { now } = contextAt(this.second);
    this.nodes = this.nodes.map((node, at) => this.#passOfNode(this.#isUp(at) ? agentStep(node, now, this.#fleet.agent) : node));
    this.#passOfJob();
  }

  /** @returns the second at which it was so @throws when it is not so in time */
  until(done: () => boolean, withinSeconds: number): number {
    while (!done()) {
      if (this.second > withinSeconds) throw new Error(`not so within ${withinSeconds} s: ${JSON.stringify(this.job.status)}`);
      this.step();
    }
    return this.second;
  }
}

const minutes = 60;
const hours = 3600;

describe('a job with all defaults', () => {
  it('asks every healthy node within minutes although the first nodes by name have no agent, and ends', () => {
    const run = new Run({ count: 40, down: 5, stepSeconds: 10 });
    run.until(() => run.job.status?.succeeded === 35, 25 * minutes);
    run.until(() => !isActive(run.job), 40 * minutes);
    expect(run.job.status).toMatchObject({ desired: 40, succeeded: 35, failed: 5, message: 'job has completed' });
    expect([...run.tasks.values()]).toEqual(Array.from({ length: 40 }, () => 1));
  });

  it('asks every node once for a tag that does not exist, however long that takes, and ends with bounded writes', () => {
    const run = new Run({ count: 100, stepSeconds: 250, agent: { fails: () => true, atOnce: true } });
    run.until(() => !isActive(run.job), 24 * hours);
    expect(run.job.status).toMatchObject({ desired: 100, failed: 100 });
    expect(run.tasks.size).toBe(100);
    expect(Math.max(...run.tasks.values())).toBe(1);
    expect(run.jobWrites).toBeLessThanOrEqual(3 * 100 + 2);
    expect(run.nodeWrites).toBe(0);
  });

  it('ends although an agent dies while it pulls', () => {
    const run = new Run({ count: 2, stepSeconds: 60, agent: { hangs: (_image, node) => node === 'n0000' }, spec: { parallelism: 2 } });
    run.until(() => !isActive(run.job), 2 * hours);
    expect(run.job.status).toMatchObject({ desired: 2, succeeded: 1, failed: 1, failedNodes: ['n0000'] });
  });
});

it('a job that does not end asks every node before it asks one again, and asks each again about daily', () => {
  const run = new Run({
    count: 30,
    stepSeconds: hours,
    agent: { fails: () => true, atOnce: true },
    spec: { completionPolicy: { type: 'Never' } },
  });
  // One node an hour: the first ones are due again before the last are asked.
  run.until(() => run.tasks.size === 30, 31 * hours);
  expect(Math.max(...run.tasks.values())).toBe(1);
  run.until(() => [...run.tasks.values()].every((tasks) => tasks > 1), 65 * hours);
  expect(run.nodes.map((node) => versionOf(tagAt(node, { name: 'nginx', tag: '1' })!))).toEqual(
    [...run.tasks.values()].map((tasks) => tasks - 1),
  );
  expect(run.nodeWrites).toBe(0);
});
