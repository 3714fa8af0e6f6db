import { expect, it } from '@jest/globals';
import { formatProbeName, parseProbeName } from './probe-name.ts';

it('a probe is named after its marker', () => {
  expect(formatProbeName({ marker: 'm', probe: 'p' })).toBe('m#p');
  expect(parseProbeName('m#p')).toEqual({ marker: 'm', probe: 'p' });
});

it('only the first # parts the names', () => {
  expect(parseProbeName('m#p#q')).toEqual({ marker: 'm', probe: 'p#q' });
  expect(parseProbeName('#p')).toEqual({ marker: '', probe: 'p' });
});

it('a name without # is none', () => {
  expect(parseProbeName('mp')).toBeUndefined();
});
