import { expect, it } from '@jest/globals';
import { unreachable } from './unreachable.ts';

it('an unexpected value is reported', () => {
  expect(() => unreachable({ kind: 'New' } as never)).toThrow('unexpected value {"kind":"New"}');
});
