import { describe, expect, it } from '@jest/globals';
import type { FakeCall } from '@kruise/kube/testing';
import fc from 'fast-check';
import { refusedImagePullJobs } from './imagepulljob/refused-fixture.testing.ts';
import { refusedSidecarSets } from './sidecarset/runs/refused-fixture.testing.ts';
import {
  carryOutRefused,
  refusedRunOf,
  type RefusedKind,
  type RefusedRun,
  type ObservedCluster,
} from '../refused-writes/refused-run.testing.ts';

interface Recorded {
  readonly calls: readonly FakeCall[];
  readonly timeline: string;
}

async function record<Shape, Change>(kind: RefusedKind<Shape, Change>, run: RefusedRun<Shape, Change>): Promise<Recorded> {
  const clusters: ObservedCluster[] = [];
  const recorded: RefusedKind<Shape, Change> = {
    ...kind,
    begin: (shape, options) => {
      const fixture = kind.begin(shape, options);
      clusters.push(fixture.cluster);
      return fixture;
    },
  };
  await carryOutRefused(recorded, run);
  const [cluster] = clusters;
  if (cluster === undefined) throw new Error('the run has begun no fixture');
  return { calls: cluster.api.calls, timeline: cluster.timeline.text };
}

const seed = 8;
const runs = 2;

async function recordTwice<Shape, Change>(kind: RefusedKind<Shape, Change>): Promise<readonly (readonly Recorded[])[]> {
  const pairs: Recorded[][] = [];
  for (const run of fc.sample(refusedRunOf(kind), { seed, numRuns: runs })) pairs.push([await record(kind, run), await record(kind, run)]);
  return pairs;
}

describe('a generated run that is repeated', () => {
  it.each([
    ['ImagePullJob', () => recordTwice(refusedImagePullJobs)],
    ['SidecarSet', () => recordTwice(refusedSidecarSets)],
  ] as const)('makes the same calls at the same times (%s)', async (_kind, record) => {
    const pairs = await record();
    for (const [first, second] of pairs) expect(second).toEqual(first);
    expect(pairs.flatMap(([first]) => first?.calls ?? []).filter(({ from }) => from === 'manager').length).toBeGreaterThan(50);
  });
});
