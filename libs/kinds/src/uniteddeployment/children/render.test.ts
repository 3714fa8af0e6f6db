import { describe, expect, it } from '@jest/globals';
import { unitedDeploymentAnnotations, unitedDeploymentLabels as labels, type UnitedDeploymentSubset } from '@kruise/api';
import type { PodTemplateSpec } from '@kruise/objects';
import type { ChildKind, ChildObject } from '../snapshot/child-kinds.ts';
import { childNameOf } from './child-name.ts';
import { namePrefixOf, patchTextOf, renderChild, UnrenderableChild, type ChildWish } from './render.ts';
import { aUnited, kindOf, type UnitedShape } from '../testing.ts';

const wish = (shape: UnitedShape, over: Partial<ChildWish> = {}): ChildWish => ({
  united: aUnited(shape),
  kind: kindOf(shape.kind ?? 'CloneSet'),
  subset: { name: 'a' },
  revision: 'web-r',
  replicas: 5,
  partition: 2,
  ...over,
});
const rendered = (one: ChildWish, base: Parameters<typeof renderChild>[1] = { name: 'web-a-x' }): ChildObject => renderChild(one, base);
const templateOf = (child: ChildObject): PodTemplateSpec => (child.spec as unknown as { readonly template: PodTemplateSpec }).template;

describe('the partition', () => {
  it.each<{ kind: ChildKind['name']; child?: object; then: object }>([
    { kind: 'StatefulSet', then: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } } },
    {
      kind: 'StatefulSet',
      child: { updateStrategy: { type: '' } },
      then: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } },
    },
    { kind: 'StatefulSet', child: { updateStrategy: { type: 'OnDelete' } }, then: { updateStrategy: { type: 'OnDelete' } } },
    { kind: 'AdvancedStatefulSet', then: { updateStrategy: { rollingUpdate: { partition: 2 } } } },
    {
      kind: 'AdvancedStatefulSet',
      child: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { paused: true } } },
      then: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { paused: true, partition: 2 } } },
    },
    { kind: 'AdvancedStatefulSet', child: { updateStrategy: { type: 'OnDelete' } }, then: { updateStrategy: { type: 'OnDelete' } } },
    {
      kind: 'CloneSet',
      child: { updateStrategy: { type: 'OnDelete' } },
      then: { updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 2 } } },
    },
    { kind: 'Deployment', child: { paused: true }, then: { paused: true } },
  ])('of a $kind with $child', ({ kind, child = {}, then }) => {
    const { selector: _selector, replicas, template: _template, ...rest } = rendered(wish({ kind, child })).spec as Record<string, unknown>;
    expect(replicas).toBe(5);
    expect(rest).toEqual(then);
  });

  it.each([
    { kind: 'StatefulSet', spec: {}, then: 0 },
    { kind: 'StatefulSet', spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 3 } } }, then: 3 },
    { kind: 'StatefulSet', spec: { updateStrategy: { type: 'OnDelete' } }, then: undefined },
    { kind: 'CloneSet', spec: { replicas: 5, updateStrategy: { rollingUpdate: { partition: '50%' } } }, then: 3 },
    { kind: 'CloneSet', spec: {}, then: 0 },
    { kind: 'Deployment', spec: {}, then: undefined },
  ] as const)('that a $kind has now in $spec is $then', ({ kind, spec, then }) => {
    expect(kindOf(kind).partitionOf(spec)).toBe(then);
  });
});

describe('Pods that may be unavailable', () => {
  it.each<{ name: string; kind: 'CloneSet' | 'Deployment'; child?: object; uncounted: number; then: unknown }>([
    {
      name: 'as the template says',
      kind: 'CloneSet',
      child: { updateStrategy: { rollingUpdate: { maxUnavailable: '30%' } } },
      uncounted: 0,
      then: '30%',
    },
    {
      name: 'those that do not count come beyond',
      kind: 'CloneSet',
      child: { updateStrategy: { rollingUpdate: { maxUnavailable: 1 } } },
      uncounted: 2,
      then: 3,
    },
    {
      name: 'never more than all',
      kind: 'CloneSet',
      child: { updateStrategy: { rollingUpdate: { maxUnavailable: '80%' } } },
      uncounted: 3,
      then: 5,
    },
    { name: 'beyond the default', kind: 'CloneSet', uncounted: 1, then: 2 },
    {
      name: 'a surge rounds the default down',
      kind: 'CloneSet',
      child: { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: '30%' } } },
      uncounted: 2,
      then: 3,
    },
    { name: 'of a Deployment', kind: 'Deployment', uncounted: 3, then: 4 },
    { name: 'of a Deployment by default', kind: 'Deployment', uncounted: 0, then: undefined },
    {
      name: 'of a Deployment that replaces all at once',
      kind: 'Deployment',
      child: { strategy: { type: 'Recreate' } },
      uncounted: 3,
      then: undefined,
    },
  ])('$name', ({ kind, child = {}, uncounted, then }) => {
    const { updateStrategy, strategy } = rendered(wish({ kind, child }, { uncounted })).spec ?? {};
    expect((updateStrategy ?? strategy)?.rollingUpdate?.maxUnavailable).toEqual(then);
  });
});

describe('a child', () => {
  it('that is there keeps labels, annotations and owners of others, and nothing of its spec', () => {
    const other = { apiVersion: 'v1', kind: 'Other', name: 'o', uid: 'o' };
    const metadata = {
      name: 'old',
      uid: 'u',
      resourceVersion: '7',
      labels: { mine: 'x' },
      annotations: { mine: 'y' },
      ownerReferences: [other],
    };
    const child = rendered(wish({}), { metadata, spec: { replicas: 9, paused: true } as never, status: { replicas: 9 } });
    expect(child.metadata).toMatchObject({
      name: 'old',
      resourceVersion: '7',
      labels: { mine: 'x', app: 'web', [labels.subsetName]: 'a', [labels.revision]: 'web-r' },
      annotations: { mine: 'y', [unitedDeploymentAnnotations.subsetPatch]: '' },
      ownerReferences: [other, { kind: 'UnitedDeployment', uid: 'united-uid' }],
    });
    expect(child.spec).not.toHaveProperty('paused');
    expect(child.status).toEqual({ replicas: 9 });
  });

  it('selects by labels of its own where the UnitedDeployment selects by expressions alone', () => {
    const united = aUnited();
    const selector = { matchExpressions: [{ key: 'app', operator: 'Exists' as const }] };
    const child = rendered(wish({}, { united: { ...united, spec: { ...united.spec, selector } } }));
    expect(child.spec?.selector).toEqual({ ...selector, matchLabels: { [labels.subsetName]: 'a' } });
  });

  it('has the tolerations of its subset behind those of the template, and what a patch says in their place', () => {
    const subset = (patch?: object): UnitedDeploymentSubset =>
      ({ name: 'a', tolerations: [{ key: 'b' }], ...(patch === undefined ? {} : { patch }) }) as UnitedDeploymentSubset;
    const united = aUnited();
    const template = JSON.parse(
      JSON.stringify(united.spec.template).replace('"containers"', '"tolerations":[{"key":"a"}],"containers"'),
    ) as typeof united.spec.template;
    const of = (one: UnitedDeploymentSubset) =>
      templateOf(rendered(wish({}, { united: { ...united, spec: { ...united.spec, template } as typeof united.spec }, subset: one })));
    expect(of(subset()).spec?.tolerations).toEqual([{ key: 'a' }, { key: 'b' }]);
    const patched = of(subset({ metadata: { labels: { zone: 'a' } }, spec: { tolerations: [{ key: 'c' }] } }));
    expect(patched.spec?.tolerations).toEqual([{ key: 'c' }]);
    expect(patched.metadata?.labels).toMatchObject({ app: 'web', zone: 'a', [labels.subsetName]: 'a' });
  });

  it('cannot be made when the patch does not fit', () => {
    const patch = { spec: { containers: [{ name: 'main', $patch: 'x' }] } };
    const attempt = (): unknown => renderChild(wish({}, { subset: { name: 'a', patch } }), { name: 'x' });
    expect(attempt).toThrow(UnrenderableChild);
    expect(attempt).toThrow('subset a');
  });

  it.each([
    [undefined, ''],
    [null, ''],
    [{ spec: { b: '<', a: 1 } }, '{"spec":{"a":1,"b":"\\u003c"}}'],
  ])('carries the patch %j as %s', (patch, text) => {
    expect(patchTextOf({ name: 'a', patch } as UnitedDeploymentSubset)).toBe(text);
  });
});

describe('the name of a child', () => {
  const united = { name: 'web', uid: 'u' };
  it('is the same again for the same UnitedDeployment and subset, and another one where it is taken', () => {
    const first = childNameOf(united, 'a', () => false);
    expect(childNameOf(united, 'a', () => false)).toBe(first);
    const taken = new Set([first]);
    const next = childNameOf(united, 'a', (name) => taken.has(name));
    expect(next).toMatch(/^web-a-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(new Set([first, next, childNameOf(united, 'b', () => false), childNameOf({ ...united, uid: 'v' }, 'a', () => false)]).size).toBe(
      4,
    );
  });

  it('is short enough for a label of DNS', () => {
    expect(childNameOf({ name: 'w'.repeat(60), uid: 'u' }, 'a', () => false)).toHaveLength(63);
  });

  it.each([
    ['web', 'a', 'web-a-'],
    ['web.x', 'a', 'web.x-a-'],
    ['web', 'A', 'web-'],
  ])('of %s and %s begins with %s', (name, subset, prefix) => {
    expect(namePrefixOf(name, subset)).toBe(prefix);
  });
});

it('a node term of a subset that comes to too many requirements with the terms of the template is not rendered', () => {
  const expressions = (count: number) => Array.from({ length: count }, (_, at) => ({ key: `key${at}`, operator: 'Exists' }));
  const nodeSelectorTerms = Array.from({ length: 1000 }, () => ({ matchExpressions: expressions(1) }));
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  const podSpec = { containers: [{ name: 'main', image: 'app:1' }], affinity: { nodeAffinity } };
  const with100 = (count: number) =>
    wish(
      { child: { template: { metadata: { labels: { app: 'web' } }, spec: podSpec } } },
      {
        subset: { name: 'a', nodeSelectorTerm: { matchExpressions: expressions(count) } },
      },
    );
  expect(() => rendered(with100(99))).not.toThrow();
  expect(() => rendered(with100(100))).toThrow(
    new UnrenderableChild(
      'the nodeSelectorTerm of subset a cannot be added: the terms of required node affinity, combined with those of the subset, result in 101000 requirements, more than 100000; use fewer terms',
    ),
  );
});
