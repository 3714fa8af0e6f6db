import { expect, it } from '@jest/globals';
import { parseOptions } from './arguments.ts';

it('every option is off by default', () => {
  expect(parseOptions([])).toEqual({ simulated: false, keep: false, down: false, yes: false, help: false });
});

it('options are read by name', () => {
  expect(parseOptions(['--simulated', '--keep'])).toMatchObject({ simulated: true, keep: true, down: false });
  expect(parseOptions(['-h'])).toMatchObject({ help: true });
});

it.each([['--real'], ['up'], ['--keep=3']])('%s is refused', (argument) => {
  expect(() => parseOptions([argument])).toThrow();
});
