import { describe, expect, it } from '@jest/globals';
import { childKinds, childTemplateOf, type ChildKind, type ChildSpec } from './child-kinds.ts';
import { childNameOf } from '../children/child-name.ts';
import { aUnited, kindOf } from '../testing.ts';

const rolling = (rollingUpdate: object, type?: string): ChildSpec => ({
  updateStrategy: { ...(type === undefined ? {} : { type }), rollingUpdate },
});

describe('the partition', () => {
  it.each<readonly [ChildKind['name'], ChildSpec, number | undefined]>([
    ['StatefulSet', {}, 0],
    ['StatefulSet', rolling({ partition: 2 }), 2],
    ['StatefulSet', rolling({ partition: 2 }, 'RollingUpdate'), 2],
    ['StatefulSet', rolling({ partition: 2 }, ''), 2],
    ['StatefulSet', rolling({ partition: 2 }, 'OnDelete'), undefined],
    ['StatefulSet', rolling({ partition: '50%' }), 0],
    ['StatefulSet', { updateStrategy: null }, 0],
    ['AdvancedStatefulSet', rolling({ partition: 3 }), 3],
    ['AdvancedStatefulSet', rolling({}, 'OnDelete'), undefined],
    ['CloneSet', {}, 0],
    ['CloneSet', rolling({ partition: 3 }, 'OnDelete'), 3],
    ['CloneSet', { replicas: 5, ...rolling({ partition: '50%' }) }, 3],
    ['CloneSet', rolling({ partition: '50%' }), 1],
    ['Deployment', rolling({ partition: 3 }), undefined],
  ])('of a %s %j is %s', (name, spec, then) => {
    expect(kindOf(name).partitionOf(spec)).toBe(then);
  });

  it.each<readonly [ChildKind['name'], ChildSpec, ChildSpec]>([
    ['StatefulSet', {}, rolling({ partition: 2 }, 'RollingUpdate')],
    ['StatefulSet', rolling({ maxUnavailable: 1 }, ''), rolling({ maxUnavailable: 1, partition: 2 }, 'RollingUpdate')],
    ['StatefulSet', rolling({}, 'OnDelete'), rolling({}, 'OnDelete')],
    ['AdvancedStatefulSet', rolling({ maxUnavailable: 1 }), rolling({ maxUnavailable: 1, partition: 2 })],
    ['AdvancedStatefulSet', rolling({}, 'OnDelete'), rolling({}, 'OnDelete')],
    ['CloneSet', rolling({ partition: '50%' }, 'OnDelete'), rolling({ partition: 2 }, 'OnDelete')],
    ['Deployment', { paused: true } as ChildSpec, { paused: true } as ChildSpec],
  ])('is written to a %s %j', (name, spec, then) => {
    expect(kindOf(name).withPartition(spec, 2)).toEqual(then);
  });
});

describe('Pods that may be unavailable', () => {
  it.each<readonly [ChildKind['name'], ChildSpec, number, number | undefined]>([
    ['CloneSet', {}, 10, 2],
    ['CloneSet', {}, 6, 2],
    ['CloneSet', rolling({ maxSurge: 1 }), 6, 1],
    ['CloneSet', rolling({ maxSurge: 0 }), 6, 2],
    ['CloneSet', rolling({ maxUnavailable: 4 }), 6, 4],
    ['Deployment', {}, 10, 2],
    ['Deployment', { strategy: { rollingUpdate: { maxUnavailable: '50%' } } }, 5, 2],
    ['Deployment', { strategy: { type: 'Recreate' } }, 5, undefined],
    ['Deployment', { strategy: null }, 4, 1],
  ])('of a %s %j of %d Pods are %s', (name, spec, replicas, then) => {
    expect(kindOf(name).unavailable?.allows(spec, replicas)).toBe(then);
  });

  it('are in the field of each kind, and absent for a StatefulSet', () => {
    const cloneSet = kindOf('CloneSet').unavailable;
    expect(cloneSet?.with(rolling({ partition: 1 }), 3)).toEqual(rolling({ partition: 1, maxUnavailable: 3 }));
    const deployment = kindOf('Deployment').unavailable;
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 3, maxSurge: 1 } };
    expect(deployment?.with({ strategy: { ...strategy, rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } as object } }, 3)).toEqual({
      strategy,
    });
    expect(deployment?.with({}, 3)).toEqual({ strategy: { rollingUpdate: { maxUnavailable: 3 } } });
    expect([kindOf('StatefulSet').unavailable, kindOf('AdvancedStatefulSet').unavailable]).toEqual([undefined, undefined]);
  });
});

it('templates are looked for by kind, and one that is not there is empty', () => {
  expect(childKinds.map(({ name, isHeldWhole, template }) => [name, isHeldWhole, template])).toEqual([
    ['StatefulSet', false, 'statefulSetTemplate'],
    ['AdvancedStatefulSet', true, 'advancedStatefulSetTemplate'],
    ['CloneSet', true, 'cloneSetTemplate'],
    ['Deployment', false, 'deploymentTemplate'],
  ]);
  expect(childTemplateOf(aUnited(), kindOf('CloneSet')).metadata).toEqual({ labels: { app: 'web' } });
  expect(childTemplateOf(aUnited(), kindOf('Deployment'))).toEqual({ spec: {} });
});

it('a template of CloneSets in the form of v1alpha1 is brought to that of v1beta1', () => {
  const updateStrategy = { type: 'InPlaceIfPossible', maxUnavailable: '30%' };
  const { spec } = childTemplateOf(aUnited({ child: { updateStrategy } }), kindOf('CloneSet'));
  expect(spec).toMatchObject({
    scaleStrategy: { enablePVCReuse: true },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', maxUnavailable: '30%' } },
  });
});

describe('the name of a child', () => {
  const free = (): boolean => false;
  const united = { name: 'web', uid: 'u1' };

  it('follows from the UnitedDeployment, the subset and the names that are taken', () => {
    const name = childNameOf(united, 'a', free);
    expect(name).toMatch(/^web-a-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(childNameOf(united, 'a', free)).toBe(name);
    expect(childNameOf({ ...united, uid: 'u2' }, 'a', free)).not.toBe(name);
    const second = childNameOf(united, 'a', (taken) => taken === name);
    expect(second).not.toBe(name);
    expect(childNameOf(united, 'a', (taken) => taken === name || taken === second)).not.toBe(second);
  });

  it('is a label of DNS however long both names are', () => {
    const long = childNameOf({ name: 'w'.repeat(60), uid: 'u1' }, 's'.repeat(60), free);
    expect(long).toMatch(/^w{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(childNameOf({ ...united, name: 'w'.repeat(50) }, 'a', free)).toMatch(/^w{50}-a-\w{5}$/);
  });
});
