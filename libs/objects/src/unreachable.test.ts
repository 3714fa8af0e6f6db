import { expect, it } from '@jest/globals';
import { unreachable } from './unreachable.ts';

it('a value that no case is for is refused by what it is', () => {
  expect(() => unreachable({ kind: 'New' } as never)).toThrow('unexpected value {"kind":"New"}');
});
