/** Positions of injected containers. @see spec/sidecarset.md 5.4 step 3 */
import { describe, expect, it } from '@jest/globals';
import { placeContainers, sortedByName, type Placed } from './place-containers.ts';

const placed = (name: string, isBeforeApp: boolean, image = 'side:1'): Placed => ({ container: { name, image }, isBeforeApp });
const held = ['main', 'log'].map((name) => ({ name, image: 'app:1' }));

describe('injected containers', () => {
  it.each<{ name: string; injected: readonly Placed[]; then: readonly string[] }>([
    {
      name: 'are placed in front of the Pod’s',
      injected: [placed('b', true), placed('a', true)],
      then: ['b side:1', 'a side:1', 'main app:1', 'log app:1'],
    },
    {
      name: 'are placed behind them',
      injected: [placed('b', false), placed('a', false)],
      then: ['main app:1', 'log app:1', 'b side:1', 'a side:1'],
    },
    {
      name: 'are placed on both sides',
      injected: [placed('x', false), placed('a', true), placed('y', false), placed('b', true)],
      then: ['a side:1', 'b side:1', 'main app:1', 'log app:1', 'x side:1', 'y side:1'],
    },
    {
      name: 'take the place of those of the name',
      injected: [placed('log', true), placed('a', false)],
      then: ['main app:1', 'log side:1', 'a side:1'],
    },
    { name: 'take it from behind as well', injected: [placed('main', false)], then: ['main side:1', 'log app:1'] },
  ])('$name', ({ injected, then }) => {
    expect(placeContainers(held, injected).map(({ name, image }) => `${name} ${image}`)).toEqual(then);
  });

  it('are none: the very list of the Pod', () => {
    expect(placeContainers(held, [])).toBe(held);
  });

  it('are sorted by name, those of one name as they came, and the list given stays', () => {
    const given = [placed('b', true, '1'), placed('a', false, '2'), placed('b', false, '3')];
    expect(sortedByName(given).map(({ container }) => container.image)).toEqual(['2', '1', '3']);
    expect(given.map(({ container }) => container.image)).toEqual(['1', '2', '3']);
  });
});
