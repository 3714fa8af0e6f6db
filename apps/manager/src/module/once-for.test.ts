import { expect, it } from '@jest/globals';
import { onceFor } from './once-for.testing.ts';

it('computes once what follows from an object', () => {
  const asked: string[][] = [];
  const join = onceFor((names: string[]) => {
    asked.push(names);
    return names.length === 0 ? undefined : names.join();
  });
  const [some, none] = [['a', 'b'], []];
  expect([join(some), join(some), join(none), join(none), join(['a', 'b'])]).toEqual(['a,b', 'a,b', undefined, undefined, 'a,b']);
  expect(asked).toEqual([['a', 'b'], [], ['a', 'b']]);
});
