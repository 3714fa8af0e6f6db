import { expect, it } from '@jest/globals';

it.each<[unknown, unknown]>([
  [[undefined], []],
  [['a', undefined], ['a']],
  [{ list: [undefined] }, { list: [] }],
  [[{ list: ['a', undefined] }], [{ list: ['a'] }]],
])('lists of different lengths are not equal: %j and %j', (a, b) => {
  expect(a).not.toEqual(b);
  expect(b).not.toEqual(a);
});

it('leaves all else to Jest', () => {
  expect({ a: undefined, list: [1, { b: undefined }] }).toEqual({ list: [1, {}] });
  expect(['a', 'b']).toEqual(expect.arrayContaining(['b']));
  expect({ list: ['a', 'b'] }).toMatchObject({ list: ['a', expect.any(String)] });
});
