/** The plan of a change of a StatefulSet predicts what the controller does, Pod by Pod. */
import { describe, expect, it } from '@jest/globals';
import { statefulSets, type StatefulSet } from '@kruise/api';
import { storageClasses, type PersistentVolumeClaim } from '@kruise/objects';
import { casesOf, Occurrences } from '@kruise/testing';
import { aClaimTemplate, type SetShape } from '@kruise/kinds/statefulset/testing';
import fc from 'fast-check';
import { compare, expectSteps, itPredictsHeldPods } from '../../module/predicted.testing.ts';
import { StatefulSetCluster } from './cluster.testing.ts';

const policies = ['ReCreate', 'InPlaceIfPossible', 'InPlaceIfPossible', 'InPlaceOnly'] as const;
const strategy = fc.record({
  podUpdatePolicy: fc.constantFrom(...policies),
  partition: fc.constantFrom(0, 0, 0, 1, 3),
  maxUnavailable: fc.constantFrom(1, 1, 2, '50%'),
  paused: fc.constantFrom(false, false, false, false, false, true),
  minReadySeconds: fc.constantFrom(0, 0, 2),
});
const given = fc.record({
  replicas: fc.integer({ min: 0, max: 5 }),
  parallel: fc.boolean(),
  hasClaims: fc.boolean(),
  image: fc.constantFrom('app:1', 'app:2', 'app:2', 'app:2'),
  env: fc.constantFrom(undefined, undefined, undefined, 'on'),
  growth: fc.constantFrom(0, 0, 0, -2, 2),
  strategy,
});
type Given = typeof given extends fc.Arbitrary<infer G> ? G : never;

const specOf = ({ replicas, image, env, growth, strategy: rollingUpdate }: Given): Partial<StatefulSet['spec']> => ({
  replicas: Math.max(0, replicas + growth),
  template: {
    metadata: { labels: { app: 'web' } },
    spec: {
      containers: [{ name: 'main', image, ...(env === undefined ? {} : { env: [{ name: 'FLAG', value: env }] }) }],
      readinessGates: [{ conditionType: 'InPlaceUpdateReady' }],
    },
  },
  updateStrategy: { type: 'RollingUpdate', rollingUpdate },
});

const watched = { type: statefulSets, key: { namespace: 'default', name: 'web' } };

itPredictsHeldPods<Given, Partial<StatefulSet['spec']>>({
  ...watched,
  given,
  podLabels: { app: 'web' },
  start: (one, withHold) => {
    const { replicas, parallel } = one;
    const { template } = specOf({ ...one, image: 'app:1', env: undefined, growth: 0 });
    return new StatefulSetCluster({ replicas, parallel, spec: withHold({ template: template! }) });
  },
  specOf,
});

it('predicts what happens to every Pod of a StatefulSet, in its order', async () => {
  const seen = new Occurrences();
  await fc.assert(
    fc.asyncProperty(given, async (one) => {
      const { replicas, parallel, hasClaims } = one;
      await using cluster = new StatefulSetCluster({ replicas, parallel, ...(hasClaims ? { claims: [aClaimTemplate('data')] } : {}) });
      await cluster.settle();
      const comparison = await compare({ cluster, ...watched }, () => cluster.change(specOf(one)));
      expectSteps(comparison, one.strategy.minReadySeconds > 0, seen);
      seen.note('claims', comparison.plan.workloads[0]!.claims.length > 0);
    }),
    { numRuns: casesOf(30, 500) },
  );
  seen.expectAtLeast({
    'without minReadySeconds': 8,
    inPlace: 2,
    recreated: 2,
    created: 2,
    deleted: 2,
    untouched: 4,
    outdated: 3,
    claims: 1,
  });
});

describe('a change of the size of claims', () => {
  const resizing = { StatefulSetAutoResizePVCGate: true };
  const change = fc.record({ given, to: fc.constantFrom('1Gi', '2Gi', '2Gi', '3Gi'), canGrow: fc.constantFrom(true, true, true, false) });
  const sizeOf = ({ spec }: PersistentVolumeClaim): string => spec?.resources?.requests?.['storage'] ?? '';

  it('is predicted Pod by Pod, and claim by claim', async () => {
    const seen = new Occurrences();
    await fc.assert(
      fc.asyncProperty(change, async ({ given: one, to, canGrow }) => {
        const { replicas, parallel } = one;
        const shape = {
          replicas,
          parallel,
          claims: [aClaimTemplate('data')],
          spec: { volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' } },
        };
        await using cluster = new StatefulSetCluster(shape as SetShape, { gates: resizing });
        cluster.api.seed(storageClasses, { metadata: { name: 'fast' }, allowVolumeExpansion: canGrow });
        await cluster.settle();
        const sizes = (): ReadonlyMap<string, string> => new Map(cluster.claims.map((claim) => [claim.metadata.name, sizeOf(claim)]));
        const before = sizes();
        const after = { ...specOf(one), volumeClaimTemplates: [aClaimTemplate('data', to)] };
        const comparison = await compare({ cluster, ...watched }, () => cluster.change(after), { gates: resizing });
        expectSteps(comparison, one.strategy.minReadySeconds > 0, seen);
        const predicted = comparison.plan.workloads[0]!.claims.filter(({ change: what }) => what === 'Resized');
        const happened = [...sizes()].filter(([claim, size]) => (before.get(claim) ?? size) !== size);
        expect(predicted.map(({ claim, from, to: size }) => [claim, from, size]).toSorted()).toEqual(
          happened.map(([claim, size]) => [claim, before.get(claim), size]).toSorted(),
        );
        seen.note('resized', happened.length > 0);
        seen.note('cannot grow', !canGrow && to !== '1Gi' && replicas > 0);
      }),
      { numRuns: casesOf(40, 500) },
    );
    seen.expectAtLeast({ resized: 8, 'cannot grow': 3, recreated: 2 });
  });
});
