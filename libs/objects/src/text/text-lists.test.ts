import { expect, it } from '@jest/globals';
import { hasText } from './text-lists.ts';

const texts = (count: number): string[] => Array.from({ length: count }, (_, at) => `t${at}`);

it.each<[string, readonly string[] | undefined | null, boolean]>([
  ['no list', undefined, false],
  ['null', null, false],
  ['an empty list', [], false],
  ['a short list', ['a', 'x'], true],
  ['a short list without it', ['a'], false],
  ['a long list', [...texts(1000), 'x'], true],
  ['a long list without it', texts(1000), false],
])('a text is found in %s or not', (_name, list, then) => {
  expect(hasText(list, 'x')).toBe(then);
});

it('a long list is indexed once, however often it is searched', () => {
  let reads = 0;
  const list = new Proxy(texts(1000), { get: (target, name) => (reads++, Reflect.get(target, name) as unknown) });
  const found = texts(2000).filter((text) => hasText(list, text)).length;
  expect(found).toBe(1000);
  expect(reads).toBeLessThan(10_000);
});
