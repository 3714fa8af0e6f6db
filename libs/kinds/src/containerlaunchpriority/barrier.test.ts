/** The barrier of a Pod. @see spec/containerlaunchpriority.md 3 */
import { describe, expect, it } from '@jest/globals';
import type { ConfigMap, Container, EnvVar, OwnerReference } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { barrierEnv, hasLevels, isOfAnotherPod, levelOf, newBarrier, withoutForeignBarriers } from './barrier.ts';
import { aHeldPod } from './testing.ts';

const pod = aPod({ name: 'web', uid: 'u' });
const own: EnvVar = { name: 'OWN', value: '1' };
const container = (...env: readonly EnvVar[]): Container => ({ name: 'main', image: 'app:1', env });

it('is a ConfigMap that is deleted with the Pod, which does not control it', () => {
  expect(newBarrier(pod, { p_1: 'true' })).toStrictEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'web-barrier', namespace: 'default', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'u' }] },
    data: { p_1: 'true' },
  });
});

describe('a ConfigMap of its name', () => {
  const named = (owners: readonly Partial<OwnerReference>[] | undefined, data: ConfigMap['data'] | undefined): ConfigMap => ({
    metadata: { name: 'web-barrier', ...(owners === undefined ? {} : { ownerReferences: owners as readonly OwnerReference[] }) },
    ...(data === undefined ? {} : { data }),
  });
  const levels = { p_10: 'true', 'p_-1': 'true' };
  const earlier = { apiVersion: 'v1', kind: 'Pod', uid: 'earlier' };
  it.each<{ name: string; barrier: ConfigMap; then: boolean }>([
    { name: 'with the Pod as its owner is its own', barrier: named([{ ...earlier, uid: 'u' }], levels), then: false },
    { name: 'with the Pod among its owners is its own', barrier: named([earlier, { ...earlier, uid: 'u' }], levels), then: false },
    { name: 'with another Pod as its owner is another’s', barrier: named([earlier], {}), then: true },
    { name: 'without an owner that holds released levels alone is another’s', barrier: named(undefined, levels), then: true },
    { name: 'with owners of other kinds alone as well', barrier: named([{ ...earlier, kind: 'Node' }], levels), then: true },
    { name: 'with an owner of another group alone as well', barrier: named([{ ...earlier, apiVersion: 'x/v1' }], levels), then: true },
    {
      name: 'with such owners that holds other things is a user’s',
      barrier: named(
        [
          { ...earlier, kind: 'Node' },
          { ...earlier, apiVersion: 'x/v1' },
        ],
        { a: 'true' },
      ),
      then: false,
    },
    { name: 'without an owner that holds something else is a user’s', barrier: named(undefined, { ...levels, a: 'true' }), then: false },
    { name: 'without an owner that holds what begins like a level is a user’s', barrier: named(undefined, { p_1x: 'true' }), then: false },
    { name: 'without an owner that holds what ends like a level is a user’s', barrier: named(undefined, { xp_1: 'true' }), then: false },
    { name: 'without an owner that holds a level in other words is a user’s', barrier: named(undefined, { p_10: 'yes' }), then: false },
    { name: 'without an owner that is empty is a user’s', barrier: named(undefined, {}), then: false },
    { name: 'without an owner and data is a user’s', barrier: named(undefined, undefined), then: false },
  ])('$name', ({ barrier, then }) => {
    expect(isOfAnotherPod(barrier, pod)).toBe(then);
  });
});

describe('the level of a container', () => {
  const priority: EnvVar = { name: 'KRUISE_CONTAINER_PRIORITY', value: '7' };
  it.each<{ name: string; of: Container; then: number | undefined }>([
    { name: 'is in its barrier, at any position', of: container(own, priority, barrierEnv('web', 7)), then: 7 },
    { name: 'is none without an environment', of: { name: 'main', image: 'app:1' }, then: undefined },
    { name: 'is none without a barrier', of: container(own, priority), then: undefined },
    { name: 'is none with the barrier of another Pod', of: container(barrierEnv('other', 7)), then: undefined },
    {
      name: 'is none with a barrier that reads something else',
      of: container({ name: 'KRUISE_CONTAINER_BARRIER', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }),
      then: undefined,
    },
  ])('$name', ({ of, then }) => {
    expect(levelOf(of, 'web')).toBe(then);
  });

  it('counts when one of several containers has one', () => {
    expect(hasLevels(aHeldPod([{ name: 'a' }, { name: 'b', level: 1 }]))).toBe(true);
    expect(hasLevels(aHeldPod([{ name: 'a' }, { name: 'b' }]))).toBe(false);
  });
});

describe('of a copied container', () => {
  const reading = (name: string, key: string | undefined, as = 'KRUISE_CONTAINER_BARRIER'): EnvVar =>
    ({ name: as, valueFrom: { configMapKeyRef: { name, ...(key === undefined ? {} : { key }) } } }) as EnvVar;
  it('the barriers of other Pods go', () => {
    expect(withoutForeignBarriers(container(own, reading('other-barrier', 'p_1')), 'web')).toEqual(container(own));
  });

  it.each<{ name: string; entry: EnvVar }>([
    { name: 'its own barrier', entry: reading('web-barrier', 'p_1') },
    { name: 'another ConfigMap', entry: reading('other', 'p_1') },
    { name: 'a key that is no level', entry: reading('other-barrier', 'open') },
    { name: 'no key', entry: reading('other-barrier', undefined) },
    { name: 'another variable that reads a barrier', entry: reading('other-barrier', 'p_1', 'MINE') },
    { name: 'a value', entry: { name: 'KRUISE_CONTAINER_BARRIER', value: 'x' } },
    { name: 'a field', entry: { name: 'KRUISE_CONTAINER_BARRIER', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } } },
  ])('$name stays', ({ entry }) => {
    const held = container(own, entry);
    expect(withoutForeignBarriers(held, 'web')).toBe(held);
  });
});
