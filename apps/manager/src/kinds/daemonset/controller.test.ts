import { describe, expect, it } from '@jest/globals';
import { World } from './world.testing.ts';

describe('a DaemonSet', () => {
  it('runs one Pod on each node', async () => {
    await using world = new World();
    await world.settle();
    expect(world.shown).toEqual(['n1 app:1', 'n2 app:1', 'n3 app:1']);
    expect(world.summary).toBe('desired 3, current 3, ready 3, updated 3, available 3, misscheduled 0');
    world.changeImage('app:2');
    await world.settle();
    expect(world.shown).toEqual(['n1 app:2', 'n2 app:2', 'n3 app:2']);
    expect(await world.quietHour()).toEqual([]);
  });
});
