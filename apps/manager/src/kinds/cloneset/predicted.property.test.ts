/** The plan of a change of a CloneSet predicts what the controller does, Pod by Pod. */
import { it } from '@jest/globals';
import { cloneSets, type CloneSet } from '@kruise/api';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { compare, expectSteps, itPredictsHeldPods } from '../../module/predicted.testing.ts';
import { CloneSetCluster } from './cluster.testing.ts';

const policies = ['ReCreate', 'InPlaceIfPossible', 'InPlaceIfPossible', 'InPlaceOnly'] as const;
const strategy = fc.record({
  podUpdatePolicy: fc.constantFrom(...policies),
  partition: fc.constantFrom(0, 0, 0, 2, '50%'),
  maxUnavailable: fc.constantFrom(1, 2, '20%', '50%'),
  maxSurge: fc.constantFrom(0, 0, 1, 2, '30%'),
  paused: fc.constantFrom(false, false, false, false, false, true),
});
const change = fc.record({
  image: fc.constantFrom('app:1', 'app:2', 'app:2', 'app:2'),
  env: fc.constantFrom(undefined, undefined, undefined, 'on'),
  growth: fc.constantFrom(0, 0, 0, -2, 2),
  strategy,
  minReadySeconds: fc.constantFrom(0, 0, 2),
});
const given = fc.record({ replicas: fc.integer({ min: 0, max: 7 }), change });
type Given = typeof given extends fc.Arbitrary<infer G> ? G : never;

const specOf = ({ replicas, change: { image, env, growth, strategy: rolling, minReadySeconds } }: Given): Partial<CloneSet['spec']> => ({
  replicas: Math.max(0, replicas + growth),
  minReadySeconds,
  template: {
    metadata: { labels: { app: 'sample' } },
    spec: { containers: [{ name: 'main', image, ...(env === undefined ? {} : { env: [{ name: 'FLAG', value: env }] }) }] },
  },
  updateStrategy: {
    type: 'RollingUpdate',
    rollingUpdate: { ...rolling, ...(rolling.podUpdatePolicy === 'InPlaceOnly' ? { maxSurge: 0 } : {}) },
  },
});

const watched = { type: cloneSets, key: { namespace: 'default', name: 'sample' } };

itPredictsHeldPods<Given, Partial<CloneSet['spec']>>({
  ...watched,
  given,
  podLabels: { app: 'sample' },
  start: ({ replicas }, withHold) =>
    new CloneSetCluster({ replicas, spec: withHold({ template: { spec: { containers: [{ name: 'main', image: 'app:1' }] } } }) }),
  specOf,
});

it('predicts what happens to every Pod of a CloneSet, in its order', async () => {
  const seen = new Occurrences();
  await fc.assert(
    fc.asyncProperty(given, async (one) => {
      await using cluster = new CloneSetCluster({ replicas: one.replicas });
      await cluster.settle();
      const comparison = await compare({ cluster, ...watched }, () => cluster.change(specOf(one)));
      expectSteps(comparison, one.change.minReadySeconds > 0, seen);
    }),
    { numRuns: casesOf(30, 500) },
  );
  seen.expectAtLeast({ 'without minReadySeconds': 8, inPlace: 2, recreated: 2, created: 2, deleted: 2, untouched: 4, outdated: 3 });
});
