import { describe, expect, it } from '@jest/globals';
import { unitedDeploymentAnnotations as annotations, unitedDeploymentLabels as labels } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import type { ChildKind, ChildObject } from '../snapshot/child-kinds.ts';
import {
  planCreations,
  planDeletions,
  planOwnership,
  planStrays,
  planStuckPods,
  planUpdates,
  sparing,
  type Wanted,
} from './plan-children.ts';
import type { Child, Snapshot } from '../snapshot/snapshot.ts';
import { aSnapshot, kindOf, named, type UnitedShape } from '../testing.ts';

interface ChildShape {
  readonly subset: string;
  readonly replicas?: number;
  readonly revision?: string;
  readonly patch?: string;
  readonly spec?: object;
  readonly metadata?: object;
  readonly status?: object;
  readonly pods?: readonly Pod[];
}

const aChild = ({ subset, replicas = 2, revision = 'r1', patch = '', spec = {}, metadata = {}, status, pods = [] }: ChildShape): Child => ({
  subset,
  object: {
    metadata: {
      name: `web-${subset}-xxxxx`,
      generation: 1,
      labels: { [labels.subsetName]: subset, [labels.revision]: revision },
      annotations: { [annotations.subsetPatch]: patch },
      ...metadata,
    },
    spec: { replicas, ...spec },
    ...(status === undefined ? {} : { status }),
  },
  pods,
});

const seenOf = (shape: UnitedShape, children: readonly ChildShape[] = [], over: Partial<Snapshot> = {}): Snapshot =>
  aSnapshot(shape, { children: children.map(aChild), ...over });
const wants = (...all: readonly (readonly [string, number])[]): readonly Wanted[] =>
  all.map(([name, replicas]) => ({ subset: { name }, replicas, partition: 0 }));
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };

describe('children that are made', () => {
  it('are those of subsets without one, by name', () => {
    const actions = planCreations(seenOf({}, [{ subset: 'b' }]), 'r1', wants(['c', 2], ['a', 1], ['b', 3]));
    expect(actions.map(({ because, wish }) => [because, wish.subset.name, wish.replicas, wish.revision])).toEqual([
      ['subset a needs 1 Pod and has no CloneSet', 'a', 1, 'r1'],
      ['subset c needs 2 Pods and has no CloneSet', 'c', 2, 'r1'],
    ]);
    expect(actions[0]?.name).toMatch(/^web-a-/);
  });

  it('are not rendered before they are created', () => {
    const seen = seenOf({});
    let rendered = 0;
    const template = { ...seen.united.spec.template?.cloneSetTemplate?.spec.template };
    const spec = Object.defineProperty({ ...seen.united.spec.template?.cloneSetTemplate?.spec }, 'template', {
      enumerable: true,
      get: () => ((rendered += 1), template),
    });
    const united = { ...seen.united, spec: { ...seen.united.spec, template: { cloneSetTemplate: { spec } } } } as never;
    const wanted = wants(['a', 1], ['b', 1]).map((one) => ({ ...one, subset: { ...one.subset, patch: { spec: {} } } }));
    expect(planCreations({ ...seen, united }, 'r1', wanted)).toHaveLength(2);
    expect(rendered).toBe(0);
  });

  it('skip names in use', () => {
    const [first] = planCreations(seenOf({}), 'r1', wants(['a', 1]));
    const taken = first?.name ?? '';
    const [second] = planCreations(seenOf({}, [], { takenNames: { has: (name) => name === taken } }), 'r1', wants(['a', 1]));
    expect(second?.name).toMatch(/^web-a-/);
    expect(second?.name).not.toBe(taken);
  });
});

describe('children that go', () => {
  it('are those of subsets that are not wanted, and of other kinds, unless they are on their way', () => {
    const children = [{ subset: 'a' }, { subset: 'y', metadata: going }, { subset: 'z' }];
    const stray = (name: string, metadata: object) => ({ kind: kindOf('Deployment'), object: { metadata: { name, ...metadata } } });
    const seen = seenOf({ subsets: named('a') }, children, { strays: [stray('s', {}), stray('t', going)] });
    expect(planDeletions(seen).map(({ child, because }) => [child.metadata.name, because])).toEqual([
      ['web-z-xxxxx', 'there is no subset z'],
    ]);
    expect(planStrays(seen).map(({ child, type, because }) => [child.metadata.name, type.name, because])).toEqual([
      ['s', 'Deployment', 'the template is for a CloneSet'],
    ]);
    expect(
      planDeletions({ ...seen, united: { ...seen.united, spec: { ...seen.united.spec, topology: undefined } } as never }),
    ).toHaveLength(2);
  });
});

describe('children that are updated', () => {
  const because = (child: Partial<ChildShape>, wanted: Partial<Wanted> = {}, kind: ChildKind['name'] = 'CloneSet'): readonly string[] =>
    planUpdates(seenOf({ kind }, [{ subset: 'a', ...child }]), 'r1', [{ subset: { name: 'a' }, replicas: 2, partition: 0, ...wanted }]).map(
      (action) => action.because,
    );
  const rolling = (over: object) => ({ spec: { updateStrategy: { rollingUpdate: over } } });

  it.each<{ name: string; given: readonly string[]; then: readonly string[] }>([
    { name: 'none that is as it should be', given: because({}), then: [] },
    { name: 'another revision', given: because({ revision: 'r0' }), then: ['revision r0 instead of r1'] },
    { name: 'no revision', given: because({ metadata: { labels: {} } }), then: ['revision  instead of r1'] },
    { name: 'another number', given: because({ replicas: 1 }), then: ['1 replicas instead of 2'] },
    { name: 'no number is 1', given: because({ spec: { replicas: undefined } }, { replicas: 1 }), then: [] },
    { name: 'another partition', given: because(rolling({ partition: 1 })), then: ['partition 1 instead of 0'] },
    { name: 'no partition', given: because({}, { partition: 2 }), then: ['partition 0 instead of 2'] },
    { name: 'a partition where there is none', given: because({}, { partition: 2 }, 'Deployment'), then: [] },
    { name: 'another patch', given: because({ patch: '{}' }), then: ['another patch'] },
    {
      name: 'no note of a patch',
      given: because({ metadata: { annotations: {}, labels: { [labels.revision]: 'r1' } } }),
      then: ['another patch'],
    },
    {
      name: 'several things at once',
      given: because({ revision: 'r0', replicas: 5, ...{ spec: { replicas: 5 } } }),
      then: ['revision r0 instead of r1, 5 replicas instead of 2'],
    },
    { name: 'one that is being deleted', given: because({ revision: 'r0', metadata: going }), then: [] },
  ])('$name', ({ given, then }) => {
    expect(given).toEqual(then);
  });

  it.each<{ name: string; child?: object; wanted?: Partial<Wanted>; kind?: ChildKind['name']; then: readonly string[] }>([
    { name: 'as the template says', then: [] },
    { name: 'as a server has written out the default', child: { maxUnavailable: '20%' }, then: [] },
    {
      name: 'more, while some Pods do not count',
      wanted: { uncounted: 2 },
      then: ['1 Pods may be unavailable instead of 3'],
    },
    { name: 'so many already', child: { maxUnavailable: 3 }, wanted: { uncounted: 2 }, then: [] },
    { name: 'fewer, when all Pods count again', child: { maxUnavailable: 3 }, then: ['3 Pods may be unavailable instead of 1'] },
    { name: 'nothing where the kind has no such number', wanted: { uncounted: 2 }, kind: 'StatefulSet', then: [] },
  ])('may have Pods unavailable: $name', ({ child = {}, wanted = {}, kind = 'CloneSet', then }) => {
    expect(
      because({ replicas: 4, ...rolling(child), spec: { replicas: 4, ...rolling(child).spec } }, { replicas: 4, ...wanted }, kind),
    ).toEqual(then);
  });

  it('are reported by name of the subset', () => {
    const children = [
      { subset: 'b', revision: 'r0' },
      { subset: 'a', revision: 'r0' },
      { subset: 'c', revision: 'r0' },
    ];
    const actions = planUpdates(seenOf({}, children), 'r1', wants(['b', 2], ['a', 2], ['new', 1]));
    expect(actions.map(({ wish }) => [wish.subset.name, wish.revision])).toEqual([
      ['a', 'r1'],
      ['b', 'r1'],
    ]);
  });
});

const missingIn = (running: readonly ChildShape[], wanted: readonly Wanted[]): ReadonlySet<string> =>
  new Set(wanted.map(({ subset }) => subset.name).filter((name) => !running.some(({ subset }) => subset === name)));

describe('while children are missing', () => {
  it.each<{
    name: string;
    running: readonly ChildShape[];
    wanted: readonly Wanted[];
    refused?: ReadonlySet<string>;
    then: readonly number[];
  }>([
    { name: 'no subset gives up Pods for them', running: [{ subset: 'a', replicas: 4 }], wanted: wants(['a', 2], ['b', 2]), then: [4, 2] },
    {
      name: 'except for Pods that no subset wants',
      running: [{ subset: 'a', replicas: 4 }],
      wanted: wants(['a', 1], ['b', 1]),
      then: [2, 1],
    },
    {
      name: 'the first spare first',
      running: [
        { subset: 'a', replicas: 3 },
        { subset: 'b', replicas: 3 },
      ],
      wanted: wants(['a', 2], ['b', 1], ['c', 2]),
      then: [3, 2, 2],
    },
    { name: 'those that get more get it', running: [{ subset: 'a', replicas: 1 }], wanted: wants(['a', 3], ['b', 2]), then: [3, 2] },
    {
      name: 'a child without a number has 1',
      running: [{ subset: 'a', spec: { replicas: undefined } }],
      wanted: wants(['a', 0], ['b', 2]),
      then: [1, 2],
    },
    {
      name: 'one that was refused to grow is as good as missing',
      running: [
        { subset: 'a', replicas: 4 },
        { subset: 'b', replicas: 1 },
      ],
      wanted: wants(['a', 2], ['b', 3]),
      refused: new Set(['b']),
      then: [4, 3],
    },
    {
      name: 'one that was refused another change needs nothing of the others',
      running: [
        { subset: 'a', replicas: 4 },
        { subset: 'b', replicas: 3 },
      ],
      wanted: wants(['a', 2], ['b', 3]),
      refused: new Set(['b']),
      then: [2, 3],
    },
    {
      name: 'subsets that are no longer wanted spare before the others',
      running: [
        { subset: 'a', replicas: 4 },
        { subset: 'z', replicas: 2 },
      ],
      wanted: wants(['a', 2], ['b', 3]),
      then: [3, 3],
    },
  ])('$name', ({ running, wanted, then, refused = missingIn(running, wanted) }) => {
    const { wanted: spared } = sparing(seenOf({}, running), wanted, refused);
    expect(spared.map(({ replicas }) => replicas)).toEqual(then);
    expect(spared.map(({ subset, partition }) => [subset.name, partition])).toEqual(
      wanted.map(({ subset, partition }) => [subset.name, partition]),
    );
  });

  it('where none is, all is as wanted', () => {
    const wanted = wants(['a', 2], ['b', 2]);
    expect(
      sparing(
        seenOf({}, [
          { subset: 'a', replicas: 4 },
          { subset: 'b', replicas: 0 },
        ]),
        wanted,
        new Set(),
      ),
    ).toEqual({ wanted, kept: new Set() });
  });
});

describe('Pods that delay the update of a StatefulSet', () => {
  const pod = (
    name: string,
    { revision = 'r0', ready = false, leaves = false }: { revision?: string; ready?: boolean; leaves?: boolean } = {},
  ): Pod => ({
    metadata: { name, labels: { [labels.revision]: revision }, ...(leaves ? going : {}) },
    spec: { containers: [] },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  });
  const stuck = (pods: readonly Pod[], over: Partial<ChildShape> = {}, kind: ChildKind['name'] = 'StatefulSet'): readonly string[] =>
    planStuckPods(seenOf({ kind }, [{ subset: 'a', status: { observedGeneration: 1 }, pods, ...over }]), 'r1').map(
      (action) => action.pod.metadata.name,
    );

  it.each([
    { name: 'not ready, and old', given: stuck([pod('web-0')]), then: ['web-0'] },
    { name: 'ready', given: stuck([pod('web-0', { ready: true })]), then: [] },
    { name: 'updated', given: stuck([pod('web-0', { revision: 'r1' })]), then: [] },
    { name: 'going', given: stuck([pod('web-0', { leaves: true })]), then: [] },
    {
      name: 'kept by the partition',
      given: stuck([pod('web-0'), pod('web-1'), pod('web-2')], { spec: { updateStrategy: { rollingUpdate: { partition: 1 } } } }),
      then: ['web-1', 'web-2'],
    },
    {
      name: 'of an ordinal of two digits',
      given: stuck([pod('web-10')], { spec: { updateStrategy: { rollingUpdate: { partition: 10 } } } }),
      then: ['web-10'],
    },
    { name: 'without an ordinal', given: stuck([pod('web')]), then: [] },
    {
      name: 'of a set that updates nothing by itself',
      given: stuck([pod('web-0')], { spec: { updateStrategy: { type: 'OnDelete' } } }),
      then: [],
    },
    { name: 'of a set that does not know the template yet', given: stuck([pod('web-0')], { revision: 'r0' }), then: [] },
    { name: 'of a set that has not looked yet', given: stuck([pod('web-0')], { status: { observedGeneration: 0 } }), then: [] },
    {
      name: 'of a set that says nothing',
      given: stuck([pod('web-0')], { status: undefined as never, metadata: { generation: 2, labels: { [labels.revision]: 'r1' } } }),
      then: [],
    },
    { name: 'of another kind', given: stuck([pod('web-0')], {}, 'AdvancedStatefulSet'), then: [] },
  ])('$name', ({ given, then }) => {
    expect(given).toEqual(then);
  });
});

it('whose the children are is settled first: adopted, let go, and deleted where there are two', () => {
  const [one, two, three]: readonly ChildObject[] = ['one', 'two', 'three'].map((name) => ({ metadata: { name } }));
  const over = { adopted: [one], released: [{ object: two, owners: [] }], duplicates: [three] } as Partial<Snapshot>;
  expect(planOwnership(seenOf({}, [], over)).map((action) => [action.kind, 'child' in action ? action.child.metadata.name : ''])).toEqual([
    ['AdoptChild', 'one'],
    ['ReleaseChild', 'two'],
    ['DeleteDuplicate', 'three'],
  ]);
});
