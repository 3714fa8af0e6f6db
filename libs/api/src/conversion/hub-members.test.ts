import { describe, expect, it } from '@jest/globals';
import { annotations } from '../well-known.ts';
import { carryHubMembers, takeHubMembers } from './hub-members.ts';

const bare = { apiVersion: 'apps.kruise.io/v1alpha1', metadata: { name: 'a' } };

describe('members that only v1beta1 has', () => {
  it('come back as they were, integers beyond 2^53 included', () => {
    const carried = { spec: { seconds: 9007199254740993n, text: 'x', list: [1, null] } };
    const alpha = carryHubMembers(bare, carried);
    expect(alpha).toMatchObject({ metadata: { annotations: { [annotations.hubMembers]: expect.stringContaining(':9007199254740993') } } });
    expect(takeHubMembers(alpha)).toMatchObject({ carried });
  });

  it('leave no annotation when there are none', () => {
    expect(carryHubMembers({ ...bare, metadata: { name: 'a', annotations: { [annotations.hubMembers]: '{}', b: 'c' } } }, {})).toEqual({
      ...bare,
      metadata: { name: 'a', annotations: { b: 'c' } },
    });
    expect(carryHubMembers(bare, {})).toBe(bare);
  });

  it.each(['', '{', '[]', 'null', '7'])('are none when the annotation is %j', (text) => {
    expect(takeHubMembers({ ...bare, metadata: { name: 'a', annotations: { [annotations.hubMembers]: text } } }).carried).toEqual({});
  });
});
