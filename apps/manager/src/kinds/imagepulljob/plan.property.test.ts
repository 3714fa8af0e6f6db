/** Jobs, nodes and agents in any order of steps: what must hold after each of them, and where they must end. */
import { describe, expect, it } from '@jest/globals';
import type { ImagePullJob, NodeImage } from '@kruise/api';
import { deepFreeze } from '@kruise/objects';
import fc from 'fast-check';
import { agentStep } from '../../images/agent.testing.ts';
import { aJob, aNodeImage } from '../../images/builders.testing.ts';
import { plan, type Plan } from './plan.ts';
import { withoutFormerTasks, withTask } from './plan-task.ts';
import { contextAt, snapshot, termsOf } from './testing.ts';

type Step =
  | { readonly kind: 'Pass'; readonly job: number }
  /** Only so many of the pass's actions happen before the process dies. */
  | { readonly kind: 'CutOff'; readonly job: number; readonly actions: number }
  | { readonly kind: 'Agent'; readonly node: number }
  | { readonly kind: 'AddNode' }
  | { readonly kind: 'RemoveNode'; readonly node: number };

const index = fc.nat({ max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('Pass' as const), job: index }),
  fc.record({ kind: fc.constant('CutOff' as const), job: index, actions: fc.nat({ max: 3 }) }),
  fc.record({ kind: fc.constant('Agent' as const), node: index }),
  fc.constant({ kind: 'AddNode' as const }),
  fc.record({ kind: fc.constant('RemoveNode' as const), node: index }),
);

const start = { startTime: '2026-01-01T00:00:00Z', desired: 0 };

class World {
  nodes: readonly NodeImage[] = [];
  jobs: readonly ImagePullJob[];
  second = 0;
  #made = 0;

  constructor(jobs: readonly ImagePullJob[], nodes: number) {
    this.jobs = jobs;
    for (let i = 0; i < nodes; i += 1) this.#addNode();
  }

  #addNode(): void {
    this.nodes = [...this.nodes, aNodeImage({ name: `n${this.#made++}` })];
  }

  planOf(job: ImagePullJob): Plan {
    return plan(deepFreeze(snapshot(job, this.nodes)), contextAt(this.second));
  }

  pass(which: number, most = Infinity): void {
    const job = this.jobs[which % this.jobs.length]!;
    if (job.status?.completionTime !== undefined) return;
    const next = this.planOf(job);
    const order = { job, terms: termsOf(job), references: [] };
    for (const { kind, nodeImage } of next.actions.slice(0, most)) {
      const after = kind === 'GiveTask' ? withTask(nodeImage, order, contextAt(this.second)) : withoutFormerTasks(nodeImage, order);
      this.nodes = this.nodes.map((node) => (node.metadata.name === nodeImage.metadata.name ? after : node));
    }
    if (most === Infinity) this.jobs = this.jobs.map((held) => (held === job ? { ...job, status: next.status } : held));
  }

  agent(which: number): void {
    const node = this.nodes[which % Math.max(this.nodes.length, 1)];
    if (node === undefined) return;
    const now = contextAt(this.second).now;
    const next = agentStep(node, now, { fails: (_image, name) => name.endsWith('3') });
    this.nodes = this.nodes.map((held) => (held === node ? next : held));
  }

  take(step: Step): void {
    this.second += 1;
    if (step.kind === 'Pass') this.pass(step.job);
    else if (step.kind === 'CutOff') this.pass(step.job, step.actions);
    else if (step.kind === 'Agent') this.agent(step.node);
    else if (step.kind === 'AddNode') this.#addNode();
    else this.nodes = this.nodes.filter((_node, at) => at !== step.node % Math.max(this.nodes.length, 1));
  }

  activeOf(job: ImagePullJob): number {
    return this.planOf({ ...job, status: start }).status.active ?? 0;
  }
}

const jobsOf = (limits: readonly number[], sameImage: boolean): readonly ImagePullJob[] =>
  limits.map((parallelism, at) =>
    aJob({ name: `job${at}`, spec: { parallelism, image: sameImage ? 'nginx:1' : `image${at}` }, status: start }),
  );

const limits = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 });
const steps = fc.array(step, { maxLength: 80 });

describe('jobs on nodes that come and go', () => {
  it('never have more nodes active than they may, whenever the process dies', () => {
    fc.assert(
      fc.property(limits, fc.nat({ max: 6 }), steps, (parallelism, nodes, story) => {
        const world = new World(jobsOf(parallelism, false), nodes);
        for (const next of story) {
          world.take(next);
          world.jobs.forEach((job, at) => expect(world.activeOf(job)).toBeLessThanOrEqual(parallelism[at] ?? 0));
        }
      }),
      { numRuns: 50 },
    );
  });

  it.each([true, false])('all come to an end, also when they want the same image (%s)', (sameImage) => {
    fc.assert(
      fc.property(limits, fc.nat({ max: 6 }), steps, (parallelism, nodes, story) => {
        const world = new World(jobsOf(parallelism, sameImage), nodes);
        for (const next of story) world.take(next);
        for (let round = 0; round < 100; round += 1) {
          world.jobs.forEach((_job, at) => world.pass(at));
          world.nodes.forEach((_node, at) => world.agent(at));
        }
        for (const { status } of world.jobs) {
          expect(status?.completionTime).toBeDefined();
          expect((status?.succeeded ?? 0) + (status?.failed ?? 0)).toBe(status?.desired);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('decide the same again, and nothing more once it is done', () => {
    fc.assert(
      fc.property(limits, fc.nat({ max: 6 }), steps, (parallelism, nodes, story) => {
        const world = new World(jobsOf(parallelism, false), nodes);
        for (const next of story) world.take(next);
        for (const job of world.jobs) expect(world.planOf(job)).toEqual(world.planOf(job));
        world.jobs.forEach((_job, at) => world.pass(at));
        const before = world.nodes;
        world.jobs.forEach((_job, at) => world.pass(at));
        expect(world.nodes).toEqual(before);
      }),
      { numRuns: 50 },
    );
  });
});
