/** The Pod condition SidecarSetUpgradable. @see spec/sidecarset.md 3 */
import { describe, expect, it } from '@jest/globals';
import { formatTime, instant, type Pod, type PodCondition } from '@kruise/objects';
import { aPod, epoch } from '@kruise/testing';
import { upgradableEntry, withUpgradable } from './upgradable-condition.ts';

const ready: PodCondition = { type: 'Ready', status: 'True' };
const saying = (message: string | undefined, status = 'True'): Pod => {
  const condition = {
    type: 'SidecarSetUpgradable',
    status,
    lastTransitionTime: formatTime(epoch),
    ...(message === undefined ? {} : { message }),
  };
  const pod = aPod();
  return { ...pod, status: { ...pod.status, conditions: [ready, condition] } };
};
const { status: _status, ...unseen } = aPod();
const later = instant(epoch + 60_000);

describe('the entry of a SidecarSet', () => {
  it.each<{ message: string | undefined; then: boolean | undefined }>([
    { message: '{"set":true}', then: true },
    { message: '{"other":true,"set":false}', then: false },
    { message: '{"other":true}', then: undefined },
    { message: '{"set":"true"}', then: undefined },
    { message: '["set"]', then: undefined },
    { message: 'set', then: undefined },
    { message: '', then: undefined },
    { message: undefined, then: undefined },
  ])('in $message is $then', ({ message, then }) => {
    expect(upgradableEntry(saying(message), 'set')).toBe(then);
  });

  it('is not there in a Pod without the condition or a status, nor under a name that every object has', () => {
    expect(upgradableEntry(aPod(), 'set')).toBeUndefined();
    expect(upgradableEntry(unseen, 'set')).toBeUndefined();
    expect(upgradableEntry(saying('{"set":true}'), 'toString')).toBeUndefined();
  });
});

describe('setting the entry', () => {
  const conditionOf = (pod: Pod, upgradable: boolean, name = 'set') =>
    withUpgradable(pod, name, upgradable, later).find(({ type }) => type === 'SidecarSetUpgradable');
  const upgradable = { status: 'True', reason: 'AllSidecarsetUpgradable' };
  const immutable = { status: 'False', reason: 'UpdateImmutableField' };

  it.each<{ name: string; pod: Pod; upgradable: boolean; then: object }>([
    {
      name: 'makes the condition',
      pod: aPod(),
      upgradable: true,
      then: { ...upgradable, message: '{"set":true}', lastTransitionTime: formatTime(later) },
    },
    {
      name: 'makes the condition of a Pod without a status',
      pod: unseen,
      upgradable: false,
      then: { ...immutable, message: '{"set":false}' },
    },
    {
      name: 'keeps the entries of others, and the time while the status stays',
      pod: saying('{"other":true}'),
      upgradable: true,
      then: { ...upgradable, message: '{"other":true,"set":true}', lastTransitionTime: formatTime(epoch) },
    },
    {
      name: 'moves the time with the status',
      pod: saying('{"other":true,"set":true}'),
      upgradable: false,
      then: { ...immutable, message: '{"other":true,"set":false}', lastTransitionTime: formatTime(later) },
    },
    {
      name: 'leaves the condition False for another SidecarSet',
      pod: saying('{"other":false,"set":false}', 'False'),
      upgradable: true,
      then: { ...immutable, message: '{"other":false,"set":true}', lastTransitionTime: formatTime(epoch) },
    },
    {
      name: 'drops what cannot be read',
      pod: saying('{"other":1}', 'False'),
      upgradable: true,
      then: { ...upgradable, message: '{"set":true}' },
    },
  ])('$name', ({ pod, upgradable: value, then }) => {
    expect(conditionOf(pod, value)).toMatchObject({ type: 'SidecarSetUpgradable', ...then });
  });

  it('changes no other condition, and nothing at all when it is said already', () => {
    const pod = saying('{"set":true}');
    const once = withUpgradable(pod, 'set', false, later);
    expect(once[0]).toBe(ready);
    expect(once).toHaveLength(2);
    const again = { ...pod, status: { ...pod.status, conditions: once } };
    expect(withUpgradable(again, 'set', false, instant(epoch + 90_000))).toBe(once);
  });
});
