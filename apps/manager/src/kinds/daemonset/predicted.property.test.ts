/** The plan of a change of a DaemonSet predicts what the controller does, Pod by Pod. */
import { it } from '@jest/globals';
import { daemonSets, type DaemonSet } from '@kruise/api';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { compare, expectSteps } from '../../module/predicted.testing.ts';
import { DaemonSetCluster } from './cluster.testing.ts';

const limits = fc.constantFrom(
  { maxUnavailable: 1, maxSurge: 0 },
  { maxUnavailable: 2, maxSurge: 0 },
  { maxUnavailable: '50%', maxSurge: 0 },
  { maxUnavailable: 0, maxSurge: 1 },
  { maxUnavailable: 0, maxSurge: '50%' },
);
const given = fc.record({
  nodes: fc.integer({ min: 1, max: 5 }),
  isInPlace: fc.constantFrom(true, true, true, false),
  limits,
  partition: fc.constantFrom(0, 0, 2),
  paused: fc.constantFrom(false, false, false, false, false, true),
  minReadySeconds: fc.constantFrom(0, 0, 2),
  image: fc.constantFrom('app:1', 'app:2', 'app:2', 'app:2'),
  env: fc.constantFrom(undefined, undefined, undefined, 'on'),
  isNarrowed: fc.constantFrom(false, false, false, true),
});
type Given = typeof given extends fc.Arbitrary<infer G> ? G : never;

const specOf = ({
  image,
  env,
  isNarrowed,
  limits: amounts,
  isInPlace,
  partition,
  paused,
  minReadySeconds,
}: Given): Partial<DaemonSet['spec']> => ({
  minReadySeconds,
  template: {
    metadata: { labels: { app: 'agent' } },
    spec: {
      containers: [{ name: 'main', image, ...(env === undefined ? {} : { env: [{ name: 'FLAG', value: env }] }) }],
      ...(isInPlace ? { readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] } : {}),
      ...(isNarrowed ? { nodeSelector: { disk: 'ssd' } } : {}),
    },
  },
  updateStrategy: {
    type: 'RollingUpdate',
    rollingUpdate: { rollingUpdateType: isInPlace ? 'InPlaceIfPossible' : 'Standard', ...amounts, partition, paused },
  },
});

it('predicts what happens to every Pod of a DaemonSet, in its order', async () => {
  const seen = new Occurrences();
  const watched = { type: daemonSets, key: { namespace: 'default', name: 'agent' } };
  await fc.assert(
    fc.asyncProperty(given, async (one) => {
      await using cluster = new DaemonSetCluster({}, { nodes: [] });
      for (let node = 1; node <= one.nodes; node++) cluster.node(`n${node}`, { labels: node % 2 === 0 ? { disk: 'ssd' } : {} });
      cluster.change(specOf({ ...one, image: 'app:1', env: undefined, isNarrowed: false }));
      await cluster.settle();
      const comparison = await compare({ cluster, ...watched }, () => cluster.change(specOf(one)));
      expectSteps(comparison, one.minReadySeconds > 0, seen);
    }),
    { numRuns: casesOf(30, 500) },
  );
  seen.expectAtLeast({ 'without minReadySeconds': 8, inPlace: 2, recreated: 2, deleted: 1, untouched: 4, outdated: 3 });
});
