/**
 * Golden scenarios of rollouts: the planner runs against a simulated kubelet until nothing is left to do, and the test compares what it did with
 * a text file in testdata/. To rewrite the files after an intended change: UPDATE_GOLDEN=1 npm run jest -- rollout.golden, then review the diff.
 */
import { describe, expect, it } from '@jest/globals';
import type { CloneSet } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { goldenText } from '@kruise/testing';
import { RunStates } from '../../../module/fixtures/argo-health.testing.ts';
import type { Plan } from '@kruise/kinds/cloneset';
import { Simulation, type SimulationOptions } from './simulation.testing.ts';
import { aCloneSet } from '@kruise/kinds/cloneset/testing';

const template = (image: string): CloneSet['spec']['template'] => ({
  metadata: { labels: { app: 'sample' } },
  spec: { containers: [{ name: 'main', image }] },
});

interface Scenario {
  readonly name: string;
  readonly set: CloneSet;
  readonly options?: SimulationOptions;
  readonly then: (simulation: Simulation) => void;
}

const scenarios: readonly Scenario[] = [
  {
    name: 'in-place-20-percent',
    set: aCloneSet({ replicas: 5 }),
    then: (simulation) => {
      simulation.settle();
      simulation.change({ template: template('app:2') });
    },
  },
  {
    name: 'recreate-with-surge',
    set: aCloneSet({ replicas: 4, rollingUpdate: { podUpdatePolicy: 'ReCreate', maxUnavailable: 0, maxSurge: 2 } }),
    then: (simulation) => {
      simulation.settle();
      simulation.change({ template: template('app:2') });
    },
  },
  {
    name: 'scale-out-and-in',
    set: aCloneSet({ replicas: 2 }),
    then: (simulation) => {
      simulation.settle();
      simulation.change({ replicas: 4 });
      simulation.settle();
      simulation.change({ replicas: 1 });
    },
  },
  {
    name: 'broken-image-stops-and-rolls-back',
    set: aCloneSet({ replicas: 5 }),
    options: { brokenImages: new Set(['app:broken']) },
    then: (simulation) => {
      simulation.settle();
      simulation.change({ template: template('app:broken') });
      simulation.settle();
      simulation.timeline.push('--- the user rolls back');
      simulation.change({ template: template('app:1') });
    },
  },
];

/** Names are random, so the golden file numbers Pods in the order in which they appeared. */
function readable(timeline: readonly string[]): string {
  const names = new Map<string, string>();
  const nameOf = (name: string): string => names.get(name) ?? (names.set(name, `pod-${names.size + 1}`), names.get(name) as string);
  const revisions = new Map<string, string>();
  const revisionOf = (name: string): string =>
    revisions.get(name) ?? (revisions.set(name, `revision-${revisions.size + 1}`), revisions.get(name) as string);
  return `${timeline.map((line) => line.replace(/sample-[a-z0-9]{8,10}\b/g, revisionOf).replace(/sample-[a-z0-9]{5}\b/g, nameOf)).join('\n')}\n`;
}

const fileOf = (name: string): URL => new URL(`../testdata/${name}.txt`, import.meta.url);

const states = new RunStates('CloneSet');

/** Notes the CloneSet before and after each pass. */
class WatchedSimulation extends Simulation {
  runName = '';

  override pass(): Plan {
    states.note(this.runName, this.cloneSet);
    const next = super.pass();
    states.note(this.runName, this.cloneSet);
    return next;
  }
}

describe('rollouts', () => {
  it.each(scenarios)('$name', ({ name, set, options, then }) => {
    const simulation = new WatchedSimulation(set, options);
    simulation.runName = name;
    then(simulation);
    simulation.settle();
    const timeline = readable(simulation.timeline);
    expect(timeline).toBe(goldenText(fileOf(name), timeline));
    expect(simulation.quietHour()).toEqual([]);
  });

  it('give the same golden scenario for any order of Pods in the store', () => {
    const events = [(pods: readonly Pod[]) => pods, (pods: readonly Pod[]) => pods.toReversed()].map((shuffle) => {
      const simulation = new Simulation(aCloneSet({ replicas: 5 }), {
        shuffle: (pods) => [...shuffle(pods)].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
      });
      simulation.settle();
      simulation.change({ template: template('app:2') });
      simulation.settle();
      return readable(simulation.timeline);
    });
    expect(events[1]).toBe(events[0]);
  });

  states.itHasVerdicts(new URL('../testdata/argocd/verdicts.txt', import.meta.url));
});
