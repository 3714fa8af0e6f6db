import { expect, it } from '@jest/globals';
import { counted } from './counted.ts';

it.each([
  [0, '0 Pods'],
  [1, '1 Pod'],
  [2, '2 Pods'],
])('%d of a noun', (count, text) => {
  expect(counted(count, 'Pod')).toBe(text);
});

it('a verb follows the number', () => {
  expect(counted(1, 'Pod waits', 'Pods wait')).toBe('1 Pod waits');
  expect(counted(2, 'Pod waits', 'Pods wait')).toBe('2 Pods wait');
});
