import { expect, it } from '@jest/globals';
import { agentLimits, imageLimits } from '@kruise/objects';
import { cutError } from './plan-message.ts';

const longest = agentLimits.pullMessageBytes.value;
const bytesOf = (text: string): number => Buffer.byteLength(text);

it.each<[string, string, string]>([
  ['short', 'no such tag', 'no such tag'],
  ['as long as it may be', 'x'.repeat(longest), 'x'.repeat(longest)],
  ['a byte too long', 'x'.repeat(longest + 1), `${'x'.repeat(longest - 3)}…`],
  ['of characters of three bytes', '€'.repeat(longest), `${'€'.repeat(Math.floor((longest - 3) / 3))}…`],
  ['with a character of four bytes at its end', `${'x'.repeat(longest - 4)}😀y`, `${'x'.repeat(longest - 4)}…`],
])('a text that is %s is truncated within its bytes', (_name, text, cut) => {
  expect(cutError(text)).toBe(cut);
  expect(bytesOf(cutError(text))).toBeLessThanOrEqual(longest);
});

it('the status of a node with the maximum of tags fits into one object with its spec', () => {
  const frame = 300;
  const status = imageLimits.tagsOfNode.value * (longest + frame);
  expect(status + imageLimits.bytesOfNode.value).toBeLessThan(1024 * 1024);
});
