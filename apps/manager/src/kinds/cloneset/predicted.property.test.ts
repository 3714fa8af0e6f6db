/** The plan of a change of a CloneSet predicts what the controller does, Pod by Pod. */
import { expect, it } from '@jest/globals';
import { cloneSets, type CloneSet } from '@kruise/api';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { compare, hooks, inTotal, letHeldPodsGo, withHooks } from '../../module/predicted.testing.ts';
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

it('predicts what happens to every Pod that hooks hold, once their program lets it go', async () => {
  const seen = new Occurrences();
  const watched = { type: cloneSets, key: { namespace: 'default', name: 'sample' } };
  await fc.assert(
    fc.asyncProperty(given, hooks, async (one, held) => {
      const withHold = <S extends Partial<CloneSet['spec']>>(spec: S): S => withHooks(held, spec, { app: 'sample' });
      await using cluster = new CloneSetCluster({
        replicas: one.replicas,
        spec: withHold({ template: { spec: { containers: [{ name: 'main', image: 'app:1' }] } } }),
      });
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

it('predicts what happens to every Pod of a CloneSet, in its order', async () => {
  const seen = new Occurrences();
  const watched = { type: cloneSets, key: { namespace: 'default', name: 'sample' } };
  await fc.assert(
    fc.asyncProperty(given, async (one) => {
      await using cluster = new CloneSetCluster({ replicas: one.replicas });
      await cluster.settle();
      const { predicted, happened, plan } = await compare({ cluster, ...watched }, () => cluster.change(specOf(one)));
      expect(inTotal(predicted)).toEqual(inTotal(happened));
      // Ready times have whole seconds: with minReadySeconds the fixture's clock decides which steps coincide.
      if (seen.note('without minReadySeconds', one.change.minReadySeconds === 0)) expect(predicted).toEqual(happened);
      for (const [what, count] of Object.entries(plan.workloads[0]!.counts)) seen.note(what, count > 0);
    }),
    { numRuns: casesOf(30, 500) },
  );
  seen.expectAtLeast({ 'without minReadySeconds': 8, inPlace: 2, recreated: 2, created: 2, deleted: 2, untouched: 4, outdated: 3 });
});
