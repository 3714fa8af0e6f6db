/** The plan of a change of a StatefulSet predicts what the controller does, Pod by Pod. */
import { expect, it } from '@jest/globals';
import { statefulSets, type StatefulSet } from '@kruise/api';
import { casesOf, Occurrences } from '@kruise/testing';
import { aClaimTemplate } from '@kruise/kinds/statefulset/testing';
import fc from 'fast-check';
import { compare, hooks, inTotal, letHeldPodsGo, withHooks } from '../../module/predicted.testing.ts';
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

it('predicts what happens to every Pod that hooks hold, once their program lets it go', async () => {
  const seen = new Occurrences();
  const watched = { type: statefulSets, key: { namespace: 'default', name: 'web' } };
  await fc.assert(
    fc.asyncProperty(given, hooks, async (one, held) => {
      const withHold = <S extends Partial<StatefulSet['spec']>>(spec: S): S => withHooks(held, spec, { app: 'web' });
      const { replicas, parallel } = one;
      const first = specOf({ ...one, image: 'app:1', env: undefined, growth: 0 });
      await using cluster = new StatefulSetCluster({ replicas, parallel, spec: withHold({ template: first.template! }) });
      await cluster.settle();
      const runPrograms = (): void => letHeldPodsGo(cluster);
      const { predicted, happened, plan } = await compare({ cluster, ...watched }, () => cluster.change(withHold(specOf(one))), {
        runPrograms,
      });
      expect(inTotal(predicted)).toEqual(inTotal(happened));
      const { inPlace, recreated, deleted } = plan.workloads[0]!.counts;
      seen.note('held updates', held.isUpdateHeld && inPlace > 0);
      seen.note('held deletions', held.isDeletionHeld && recreated + deleted > 0);
    }),
    { numRuns: casesOf(30, 500) },
  );
  seen.expectAtLeast({ 'held updates': 2, 'held deletions': 2 });
});

it('predicts what happens to every Pod of a StatefulSet, in its order', async () => {
  const seen = new Occurrences();
  const watched = { type: statefulSets, key: { namespace: 'default', name: 'web' } };
  await fc.assert(
    fc.asyncProperty(given, async (one) => {
      const { replicas, parallel, hasClaims } = one;
      await using cluster = new StatefulSetCluster({ replicas, parallel, ...(hasClaims ? { claims: [aClaimTemplate('data')] } : {}) });
      await cluster.settle();
      const { predicted, happened, plan } = await compare({ cluster, ...watched }, () => cluster.change(specOf(one)));
      expect(inTotal(predicted)).toEqual(inTotal(happened));
      // Ready times have whole seconds: with minReadySeconds the fixture's clock decides which steps coincide.
      if (seen.note('without minReadySeconds', one.strategy.minReadySeconds === 0)) expect(predicted).toEqual(happened);
      const { counts, claims } = plan.workloads[0]!;
      for (const [what, count] of Object.entries(counts)) seen.note(what, count > 0);
      seen.note('claims', claims.length > 0);
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
