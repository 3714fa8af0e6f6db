import { describe, expect, it } from '@jest/globals';
import { annotations, workloadSpreadAnnotations } from '@kruise/api';
import type { Pod, PodSpec } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { injectSubset } from './inject.ts';
import { aSpread, aSubset, inZone, type Subset } from '../testing.ts';

const podWith = (spec: Partial<PodSpec> = {}): Pod => {
  const pod = aPod({ name: 'web-a', node: '' });
  return { ...pod, spec: { ...pod.spec, ...spec } };
};
const injectedInto = (pod: Pod, subset: Partial<Subset>, more: { kind?: string; uid?: string } = {}) => {
  const first = aSubset('a', 1, subset);
  const spread = aSpread([first, aSubset('b')], { targetRef: { apiVersion: 'apps/v1', kind: more.kind ?? 'Job', name: 'web' } });
  return injectSubset(pod, { spread, subset: first, uid: more.uid });
};
const podOf = (pod: Pod, subset: Partial<Subset>, more: { kind?: string; uid?: string } = {}): Pod => {
  const injected = injectedInto(pod, subset, more);
  if (injected.kind === 'Faulty') throw new Error(injected.why);
  return injected.pod;
};
const required = (...terms: readonly object[]) => ({ requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } });
const affinityOf = (pod: Pod) => pod.spec.affinity?.nodeAffinity;

describe('a Pod that goes to a subset', () => {
  it('gets the annotation, and a node affinity that says nothing', () => {
    const { metadata, spec } = podOf(podWith(), {});
    expect(metadata.annotations).toEqual({ [workloadSpreadAnnotations.matched]: '{"name":"spread","subset":"a"}' });
    expect(spec.affinity).toEqual({ nodeAffinity: {} });
  });

  it('without a name is counted under an id', () => {
    expect(podOf(podWith(), {}, { uid: 'u1' }).metadata.annotations?.[workloadSpreadAnnotations.matched]).toBe(
      '{"name":"spread","subset":"a","uid":"u1"}',
    );
  });

  it('gets the cost of its subset, where costs matter', () => {
    expect(podOf(podWith(), {}, { kind: 'CloneSet' }).metadata.annotations?.[annotations.podDeletionCost]).toBe('200');
    expect(podOf(podWith(), {}).metadata.annotations?.[annotations.podDeletionCost]).toBeUndefined();
  });

  it('gets tolerations and preferences behind its own', () => {
    const own = { key: 'own', operator: 'Exists' as const };
    const added = { key: 'added', operator: 'Exists' as const };
    const [first, second] = [
      { weight: 1, preference: inZone('x') },
      { weight: 2, preference: inZone('a') },
    ];
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [first] } };
    const pod = podOf(podWith({ tolerations: [own], affinity }), { tolerations: [added], preferredNodeSelector: [second] });
    expect(pod.spec.tolerations).toEqual([own, added]);
    expect(affinityOf(pod)?.preferredDuringSchedulingIgnoredDuringExecution).toEqual([first, second]);
  });

  it.each<{ name: string; held: readonly object[]; then: readonly object[] }>([
    { name: 'only what the subset requires', held: [], then: [inZone('a')] },
    {
      name: 'it besides its own, though one of the alternatives says so already',
      held: [inZone('a'), inZone('x')],
      then: [
        { matchExpressions: [...inZone('a').matchExpressions, ...inZone('a').matchExpressions] },
        { matchExpressions: [...inZone('x').matchExpressions, ...inZone('a').matchExpressions] },
      ],
    },
    {
      name: 'it besides a node that it names',
      held: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }],
      then: [{ matchExpressions: inZone('a').matchExpressions, matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }],
    },
    {
      name: 'it besides each of its own alternatives',
      held: [inZone('x'), { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }],
      then: [
        { matchExpressions: [...inZone('x').matchExpressions, ...inZone('a').matchExpressions] },
        { matchExpressions: inZone('a').matchExpressions, matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] },
      ],
    },
  ])('requires of its node $name', ({ held, then }) => {
    const affinity = held.length === 0 ? {} : { nodeAffinity: required(...held) };
    const pod = podOf(podWith({ affinity: affinity }), { requiredNodeSelector: inZone('a') });
    expect(affinityOf(pod)).toEqual(required(...then));
  });

  it('requires nothing where the subset says null, and what no node fulfils where it requires nothing in particular', () => {
    const nothing = { requiredNodeSelector: null, preferredNodeSelector: null, tolerations: null, patch: null } as never;
    expect(podOf(podWith(), nothing).spec).toEqual({ ...podWith().spec, affinity: { nodeAffinity: {} } });
    expect(affinityOf(podOf(podWith(), { requiredNodeSelector: {} }))).toEqual(required({}));
  });

  it('is patched, and the annotation wins', () => {
    const patch = {
      metadata: { labels: { place: 'a' }, annotations: { [workloadSpreadAnnotations.matched]: 'mine', more: 'x' } },
      spec: { containers: [{ name: 'main', image: 'app:2' }] },
    };
    const pod = podOf(podWith(), { patch });
    expect([pod.metadata.labels?.['place'], pod.metadata.annotations?.['more'], pod.spec.containers[0]?.image]).toEqual([
      'a',
      'x',
      'app:2',
    ]);
    expect(pod.metadata.annotations?.[workloadSpreadAnnotations.matched]).toContain('"name":"spread"');
  });

  it('with another priority class has its priority computed again', () => {
    const ranked = podWith({ priorityClassName: 'low', priority: 5 });
    expect(podOf(ranked, { patch: { spec: { priorityClassName: 'high' } } }).spec).not.toHaveProperty('priority');
    expect(podOf(ranked, { patch: { metadata: { labels: { a: 'b' } } } }).spec.priority).toBe(5);
  });

  it.each([
    [{ spec: { containers: [{ image: 'x' }] } }, 'cannot be merged'],
    [{ spec: { containers: 'x' } }, 'is none'],
  ])('is refused for the patch %j', (patch, why) => {
    expect(injectedInto(podWith(), { patch })).toEqual({ kind: 'Faulty', why: expect.stringContaining(why) });
  });

  it('comes with one of two tolerations, and gets the other', () => {
    const [first, second] = [
      { key: 'first', operator: 'Exists' as const },
      { key: 'second', operator: 'Exists' as const },
    ];
    expect(podOf(podWith({ tolerations: [first] }), { tolerations: [first, second] }).spec.tolerations).toEqual([first, second]);
  });

  it('comes a second time and stays as it is', () => {
    const subset: Partial<Subset> = {
      tolerations: [{ key: 'added', operator: 'Exists' }],
      preferredNodeSelector: [{ weight: 2, preference: inZone('a') }],
      requiredNodeSelector: inZone('a'),
      patch: { metadata: { labels: { place: 'a' } } },
    };
    const once = podOf(podWith({ affinity: { nodeAffinity: required(inZone('x')) } }), subset, { kind: 'CloneSet', uid: 'u' });
    expect(podOf(once, subset, { kind: 'CloneSet', uid: 'u' })).toBe(once);
  });
});

describe('a Pod with long lists and a subset with long lists', () => {
  const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

  it('is refused when their terms come to more requirements than an object can hold', () => {
    const affinity = { nodeAffinity: required(...times(1000, () => inZone('x'))) };
    const requiredNodeSelector = { matchExpressions: times(101, (at) => ({ key: `key${at}`, operator: 'Exists' })) };
    expect(injectedInto(podWith({ affinity }), { requiredNodeSelector })).toEqual({
      kind: 'Faulty',
      why: expect.stringMatching(/^subset a: .* result in 102000 requirements, more than 100000; use fewer terms$/),
    });
  });

  it('is refused when their terms come to more bytes than an object can hold, though they are few', () => {
    const affinity = { nodeAffinity: required(...times(1000, () => ({}))) };
    const requiredNodeSelector = { matchExpressions: [{ key: 'zone', operator: 'In', values: times(500, (at) => `zone-${at}`) }] };
    expect(injectedInto(podWith({ affinity }), { requiredNodeSelector })).toEqual({
      kind: 'Faulty',
      why: expect.stringMatching(/^subset a: .* result in 5457001 bytes, more than 4194304; use fewer terms$/),
    });
  });

  it('has each of its tolerations read once', () => {
    let reads = 0;
    const own = times(1000, (at) =>
      Object.defineProperty({ operator: 'Exists' as const }, 'key', { enumerable: true, get: () => (reads++, `own${at}`) }),
    );
    const placed = injectedInto(podWith({ tolerations: own }), {
      tolerations: times(1000, (at) => ({ key: `more${at}`, operator: 'Exists' })),
    });
    expect(placed.kind).toBe('Injected');
    expect(reads).toBeLessThan(10 * own.length);
  });
});
