/**
 * Generated runs of a CloneSet in which any write of Pods and claims may be refused (for one object or all, for good, for a while, once) or its answer be
 * lost, and in which the process dies between two writes: the limits hold at every write, no claim in use is deleted, one refused Pod holds up no other,
 * refused calls are bounded, and once nothing is refused any more everything is as the spec asks, with nothing of ours left behind.
 */
import { describe, expect, it } from '@jest/globals';
import { labels } from '@kruise/api';
import { podCondition } from '@kruise/objects';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { LivesWorld, serves, type Trouble } from './lives.testing.ts';

const numRuns = casesOf(25);

/** Refused calls in a minute at most, of a CloneSet of 5 Pods: a few for each event, and the tries of its backoff. */
const mostTroubled = 120;

type Step =
  | { readonly kind: 'Image'; readonly image: number }
  | { readonly kind: 'Replicas'; readonly replicas: number }
  | { readonly kind: 'Mark' | 'Delete' | 'LoseId'; readonly which: number }
  | { readonly kind: 'Trouble'; readonly trouble: Trouble }
  | { readonly kind: 'Death'; readonly at: number; readonly when: 'before' | 'after' | 'alone' };

const lasts: fc.Arbitrary<Trouble['lasts']> = fc.oneof(
  fc.constant({ kind: 'ForGood' as const }),
  fc.record({ kind: fc.constant('Seconds' as const), count: fc.constantFrom(5, 20) }),
  fc.record({ kind: fc.constant('Calls' as const), count: fc.constantFrom(1, 2) }),
);
const trouble: fc.Arbitrary<Trouble> = fc
  .record({
    verb: fc.constantFrom<Trouble['verb']>('create', 'patch', 'delete'),
    plural: fc.constantFrom<Trouble['plural']>('pods', 'pods', 'persistentvolumeclaims'),
    subresource: fc.constantFrom<Trouble['subresource']>('', 'status'),
    which: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
    how: fc.constantFrom<Trouble['how']>('Refused', 'Refused', 'Lost'),
    lasts,
  })
  .filter(({ how, lasts: { kind } }) => how === 'Refused' || kind !== 'ForGood');
const which = fc.nat({ max: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('Image' as const), image: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('Replicas' as const), replicas: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('Mark' as const, 'Delete' as const, 'LoseId' as const), which }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('Trouble' as const), trouble }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('Death' as const),
      at: fc.integer({ min: 1, max: 6 }),
      when: fc.constantFrom('before' as const, 'after' as const, 'alone' as const),
    }),
  },
);
const given = fc.record({
  replicas: fc.integer({ min: 2, max: 5 }),
  podUpdatePolicy: fc.constantFrom('ReCreate' as const, 'InPlaceIfPossible' as const),
  limits: fc.constantFrom({ maxUnavailable: 1, maxSurge: 0 }, { maxUnavailable: 2, maxSurge: 0 }, { maxUnavailable: 1, maxSurge: 1 }),
  claims: fc.constantFrom('None' as const, 'Own' as const, 'Reused' as const),
  hooks: fc.constantFrom('None' as const, 'Serving' as const),
  terminationRounds: fc.constantFrom(1, 3),
  steps: fc.array(fc.record({ step, seconds: fc.constantFrom(0, 1, 4) }), { minLength: 2, maxLength: 7 }),
});
type Given = typeof given extends fc.Arbitrary<infer G> ? G : never;

function worldOf({ replicas, podUpdatePolicy, limits, claims, hooks, terminationRounds }: Given): LivesWorld {
  const hook = { labelsHandler: { hold: 'yes' } };
  const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
  return new LivesWorld({
    replicas,
    terminationRounds,
    maxUnavailable: limits.maxUnavailable,
    rollingUpdate: { podUpdatePolicy, ...limits },
    spec: {
      template: {
        metadata: { labels: { app: 'sample', ...(hooks === 'None' ? {} : { hold: 'yes' }) } },
        spec: { containers: [{ name: 'main', image: 'app:1' }], readinessGates: [{ conditionType: 'KruisePodReady' }] },
      },
      ...(hooks === 'None' ? {} : { lifecycle: { inPlaceUpdate: hook, preDelete: hook } }),
      ...(claims === 'None' ? {} : { volumeClaimTemplates: [claim] as never, scaleStrategy: { enablePVCReuse: claims === 'Reused' } }),
    },
  });
}

async function take(world: LivesWorld, next: Step, told: Occurrences): Promise<void> {
  const pod = 'which' in next ? world.staying[next.which % Math.max(world.staying.length, 1)] : undefined;
  told.note(next.kind);
  switch (next.kind) {
    case 'Image':
      return world.changeImage(`app:${next.image}`);
    case 'Replicas':
      return world.change({ replicas: next.replicas });
    case 'Mark':
      return pod === undefined ? undefined : world.relabel(pod, { [labels.specifiedDelete]: 'true' });
    case 'LoseId':
      return pod === undefined ? undefined : world.relabel(pod, { 'apps.kruise.io/cloneset-instance-id': '' });
    case 'Delete':
      return pod === undefined ? undefined : world.deletePod(pod);
    case 'Trouble':
      return world.begin(next.trouble);
    case 'Death':
      return world.restart({ at: next.at, when: next.when });
  }
}

/** What is not as the spec asks, in words. */
function faultsOf(world: LivesWorld): readonly string[] {
  const { cloneSet, staying, pods } = world;
  const { replicas = 1, template } = cloneSet.spec;
  const image = template.spec?.containers[0]?.image;
  const faults = staying.flatMap((pod) => {
    const { name, labels: carried = {} } = pod.metadata;
    return [
      ...(serves(pod) ? [] : [`${name} does not serve`]),
      ...(pod.spec.containers[0]?.image === image ? [] : [`${name} has another image`]),
      ...(carried[labels.lifecycleState] === 'Normal' ? [] : [`${name} is ${carried[labels.lifecycleState] ?? ''}`]),
      ...(carried[labels.specifiedDelete] === undefined ? [] : [`${name} is marked`]),
      ...(/[a-z]/.test(podCondition(pod, 'KruisePodReady')?.message ?? '') ? [`${name} has a key`] : []),
    ];
  });
  const conditions = (cloneSet.status?.conditions ?? []).map(({ type, message = '' }) => `condition ${type}: ${message}`);
  const count = staying.length === replicas && pods.length === replicas ? [] : [`${pods.length} Pods, not ${replicas}`];
  return [...count, ...faults, ...conditions];
}

describe('a CloneSet of which anything may be refused', () => {
  it(
    'keeps its limits and claims at every write, and is as asked once nothing is refused',
    async () => {
      const told = new Occurrences();
      await fc.assert(
        fc.asyncProperty(given, async (one) => {
          const world = worldOf(one);
          await world.run(8);
          for (const { step: next, seconds } of one.steps) {
            await take(world, next, told);
            await world.run(seconds);
          }
          await world.run(30);
          const before = world.troubled;
          await world.run(60);
          expect(world.troubled - before).toBeLessThanOrEqual(mostTroubled);
          if (world.troubled > 0) told.note('something was refused');
          if (world.deaths > 0) told.note('died');
          world.endTroubles();
          for (let round = 0; round < 20 && (round < 7 || faultsOf(world).length > 0); round++) await world.run(10);
          expect({ violations: world.violations, faults: faultsOf(world) }).toEqual({ violations: [], faults: [] });
          await world.stop();
        }),
        { numRuns },
      );
    },
    numRuns * 20_000,
  );

  it(
    'updates all Pods but the one that may not be changed or deleted',
    async () => {
      const one = fc.record({ given, verb: fc.constantFrom('patch' as const, 'delete' as const), which, image: fc.constantFrom(2, 3) });
      await fc.assert(
        fc.asyncProperty(one, async ({ given: base, verb, which: number, image }) => {
          // A Pod that was taken out of service before its update was refused uses one.
          const maxUnavailable = base.podUpdatePolicy === 'ReCreate' && base.hooks === 'None' ? 1 : 2;
          const world = worldOf({ ...base, replicas: Math.max(base.replicas, 3), limits: { maxUnavailable, maxSurge: 0 } });
          await world.run(8);
          world.begin({ verb, plural: 'pods', subresource: '', which: number, how: 'Refused', lasts: { kind: 'ForGood' } });
          world.changeImage(`app:${image}`);
          await world.run(90);
          const old = world.staying.filter((pod) => pod.spec.containers[0]?.image !== `app:${image}`);
          expect({ violations: world.violations, old: old.length <= 1 }).toEqual({ violations: [], old: true });
          await world.stop();
        }),
        { numRuns },
      );
    },
    numRuns * 20_000,
  );
});
