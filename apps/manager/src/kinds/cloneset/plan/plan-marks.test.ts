/** Marks that an update set and that the template was rolled back from. */
import { describe, expect, it } from '@jest/globals';
import { annotations } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { momentOf, report, type MemberShape, type Situation } from '@kruise/kinds/cloneset/situation.testing';
import { plan } from '@kruise/kinds/cloneset';
import { Simulation } from '../runs/simulation.testing.ts';
import { aCloneSet } from '@kruise/kinds/cloneset/testing';

/** Marked by an update for the revision of this number. */
const markedFor = (revision: number, of: number): MemberShape => ({
  of,
  marked: true,
  annotations: { [annotations.specifiedDeleteFor]: `r${revision}` },
});

/** What is planned; revisions in annotations are numbers until they have names. */
function planned(given: Situation): unknown {
  const { seen, context, revisions } = momentOf(given);
  const named = (pod: Pod): Pod => {
    const mark = pod.metadata.annotations?.[annotations.specifiedDeleteFor];
    const name = mark === undefined ? undefined : revisions[Number(mark.slice(1)) - 1]?.metadata.name;
    const noted = { ...pod.metadata.annotations, ...(name === undefined ? {} : { [annotations.specifiedDeleteFor]: name }) };
    return { ...pod, metadata: { ...pod.metadata, annotations: noted } };
  };
  return report(plan({ ...seen, pods: seen.pods.map(named) }, context), revisions);
}

const set: Situation['set'] = { replicas: 2, rollingUpdate: { podUpdatePolicy: 'ReCreate', maxUnavailable: 1 } };
const rolledBack = 'it was marked to be recreated for r1, but already has revision r2';

describe('a mark of an update', () => {
  it.each<{ name: string; given: Situation; then: unknown }>([
    {
      name: 'for a revision that is not wanted any more is taken from a Pod of the wanted one, which stays',
      given: { set, revisions: 2, pods: { a: markedFor(1, 2), b: {} } },
      then: { groundwork: [`UnmarkPod a: ${rolledBack}`] },
    },
    {
      name: 'stays on a Pod that will be recreated in any case',
      given: { set, revisions: 3, current: 1, pods: { a: markedFor(2, 1), b: { of: 3 } } },
      then: { scale: ['DeletePod a: deletion of an available Pod is within the limit of 1'] },
    },
    {
      name: 'for the current revision stays where Pods may be rolled back to it',
      given: { set, revisions: 2, current: 1, gates: { CloneSetPartitionRollback: true }, pods: { a: markedFor(1, 2), b: {} } },
      then: { scale: ['DeletePod a: deletion of an available Pod is within the limit of 1'] },
    },
    {
      name: 'that a user set stays',
      given: { set, revisions: 2, pods: { a: { marked: true }, b: {} } },
      then: { scale: ['DeletePod a: deletion of an available Pod is within the limit of 1'] },
    },
  ])('$name', ({ given, then }) => {
    expect(planned(given)).toEqual(then);
  });

  it('kills no Pod after a rollback', () => {
    const template = (image: string) => ({
      metadata: { labels: { app: 'sample' } },
      spec: { containers: [{ name: 'main', image }] },
    });
    const simulation = new Simulation(aCloneSet({ replicas: 4, rollingUpdate: set.rollingUpdate ?? {} }));
    simulation.settle();
    const born = simulation.pods.map(({ metadata }) => metadata.uid);
    simulation.change({ template: template('app:2') });
    while (!simulation.timeline.some((line) => line.includes('RecreatePod'))) simulation.pass();
    simulation.change({ template: template('app:1') });
    simulation.settle();
    expect(simulation.pods.map(({ metadata }) => metadata.uid)).toEqual(born);
    expect(simulation.quietHour()).toEqual([]);
  });
});
