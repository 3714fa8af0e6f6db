/** Jobs, nodes and agents in any order of steps: what must hold after each of them, and where they must end. */
import { describe, expect, it } from '@jest/globals';
import type { ImagePullJob, NodeImage } from '@kruise/api';
import { deepFreeze, parseTime } from '@kruise/objects';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { agentStep } from '../images/agent.testing.ts';
import { aJob, aNodeImage } from '../images/builders.testing.ts';
import { plan, type Plan } from './plan.ts';
import { withoutFormerTasks, withTask } from './plan-task.ts';
import { contextAt, snapshot, termsOf } from './testing.ts';

type Step =
  | { readonly kind: 'Pass'; readonly job: number }
  /** Only so many of the pass's actions happen before the process dies. */
  | { readonly kind: 'CutOff'; readonly job: number; readonly actions: number }
  | { readonly kind: 'Agent'; readonly node: number }
  | { readonly kind: 'AddNode' }
  /** Its user requests another image. */
  | { readonly kind: 'Edit'; readonly job: number; readonly tag: number }
  | { readonly kind: 'RemoveNode'; readonly node: number };

const index = fc.nat({ max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('Pass' as const), job: index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('CutOff' as const), job: index, actions: fc.nat({ max: 3 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('Agent' as const), node: index }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'AddNode' as const }) },
  fc.record({ kind: fc.constant('Edit' as const), job: index, tag: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('RemoveNode' as const), node: index }),
);

const start = { startTime: '2026-01-01T00:00:00Z', desired: 0 };

class Simulation {
  nodes: readonly NodeImage[] = [];
  jobs: readonly ImagePullJob[];
  second = 0;
  /** Tasks that were written into NodeImages. */
  given = 0;
  /** NodeImages from which tasks for a former image were taken. */
  dropped = 0;
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
      // As the server has it by then: an action before this one may have changed it.
      const held = this.nodes.find((node) => node.metadata.name === nodeImage.metadata.name) ?? nodeImage;
      const kept = withoutFormerTasks(held, order);
      const after = kind === 'GiveTask' ? withTask(kept, order, contextAt(this.second)) : kept;
      if (kind === 'GiveTask') this.given += 1;
      if (kept !== held) this.dropped += 1;
      this.nodes = this.nodes.map((node) => (node === held ? after : node));
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
    else if (step.kind === 'Edit') this.#edit(step.job, step.tag);
    else this.nodes = this.nodes.filter((_node, at) => at !== step.node % Math.max(this.nodes.length, 1));
  }

  #edit(which: number, tag: number): void {
    const job = this.jobs[which % this.jobs.length]!;
    const [name] = job.spec.image.split(':');
    this.jobs = this.jobs.map((held) => (held === job ? { ...job, spec: { ...job.spec, image: `${name}:${tag}` } } : held));
  }

  /** Nodes that were given the job's present task, report within a minute, and have not reported its end; read from the NodeImages alone. */
  activeOf({ metadata, spec }: ImagePullJob): number {
    const [image = '', wanted = 'latest'] = spec.image.split(':');
    return this.nodes.filter((node) => {
      const tag = node.spec.images?.[image]?.tags?.find((one) => one.tag === wanted);
      if (tag?.ownerReferences?.some(({ uid }) => uid === metadata.uid) !== true) return false;
      const reported = node.status?.imageStatuses?.[image]?.tags?.find((one) => one.tag === wanted);
      const isAnswered = reported !== undefined && (reported.version ?? 0) === (tag.version ?? 0);
      const isYoung = contextAt(this.second).now - (parseTime(tag.createdAt) ?? 0) < 60_000;
      return isAnswered ? reported.completionTime === undefined : isYoung;
    }).length;
  }
}

const jobsOf = (limits: readonly number[], sameImage: boolean): readonly ImagePullJob[] =>
  limits.map((parallelism, at) =>
    aJob({ name: `job${at}`, spec: { parallelism, image: sameImage ? 'nginx:1' : `image${at}:1` }, status: start }),
  );

const limits = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 });
const steps = fc.array(step, { maxLength: 80, size: 'max' });
const numRuns = casesOf(40);

describe('jobs on nodes that come and go', () => {
  it('never have more nodes active than they may, whenever the process dies', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(limits, fc.nat({ max: 6 }), steps, (parallelism, nodes, scenario) => {
        const simulation = new Simulation(jobsOf(parallelism, false), nodes);
        for (const next of scenario) {
          simulation.take(next);
          simulation.jobs.forEach((job, at) => {
            const most = parallelism[at] ?? 0;
            expect(simulation.activeOf(job)).toBeLessThanOrEqual(most);
            seen.note('a job may have no further node', simulation.activeOf(job) === most && simulation.nodes.length > most);
          });
        }
        seen.note('several tasks were given', simulation.given > 3);
        seen.note('tasks for a former image were taken back', simulation.dropped > 0);
      }),
      { numRuns },
    );
    seen.expectAtLeast({
      'a job may have no further node': numRuns,
      'several tasks were given': numRuns / 5,
      'tasks for a former image were taken back': numRuns / 10,
    });
  });

  it.each([true, false])('all come to an end, also when they want the same image (%s)', (sameImage) => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(limits, fc.nat({ max: 6 }), steps, (parallelism, nodes, scenario) => {
        const simulation = new Simulation(jobsOf(parallelism, sameImage), nodes);
        for (const next of scenario) simulation.take(next);
        for (let round = 0; round < 100; round += 1) {
          simulation.jobs.forEach((_job, at) => simulation.pass(at));
          simulation.nodes.forEach((_node, at) => simulation.agent(at));
        }
        for (const { status } of simulation.jobs) {
          const {
            completionTime,
            succeeded = 0,
            failed = 0,
            failedNodes = [],
            desired,
          } = (status ?? start) as NonNullable<ImagePullJob['status']>;
          expect(completionTime).toMatch(/^2026-01-01T/);
          expect(succeeded + failed).toBe(desired);
          expect(failedNodes.filter((name) => !name.endsWith('3'))).toEqual([]);
          expect(failedNodes).toHaveLength(failed);
          seen.note('on several nodes', desired > 1);
          seen.note('on a node that fails', failed > 0);
        }
      }),
      { numRuns },
    );
    seen.expectAtLeast({ 'on several nodes': numRuns / 2, 'on a node that fails': numRuns / 10 });
  });

  it('decide nothing more once what was decided is done, and give none of it twice', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(limits, fc.integer({ min: 1, max: 6 }), steps, (parallelism, nodes, scenario) => {
        const simulation = new Simulation(jobsOf(parallelism, false), nodes);
        for (const next of scenario) simulation.take(next);
        const { given, dropped } = simulation;
        simulation.jobs.forEach((_job, at) => simulation.pass(at));
        seen.note('a pass gives tasks', simulation.given > given);
        seen.note('a pass takes tasks back', simulation.dropped > dropped);
        const [before, done] = [simulation.nodes, simulation.given + simulation.dropped];
        for (const job of simulation.jobs) if (job.status?.completionTime === undefined) expect(simulation.planOf(job).actions).toEqual([]);
        simulation.jobs.forEach((_job, at) => simulation.pass(at));
        expect(simulation.nodes).toEqual(before);
        expect(simulation.given + simulation.dropped).toBe(done);
      }),
      { numRuns },
    );
    seen.expectAtLeast({ 'a pass gives tasks': numRuns / 5, 'a pass takes tasks back': numRuns / 50 });
  });
});
