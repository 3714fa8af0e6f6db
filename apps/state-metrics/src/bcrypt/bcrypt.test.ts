import { describe, expect, it } from '@jest/globals';
import { checkBcrypt, parseBcrypt } from './bcrypt.ts';
import { piWords } from './pi-words.ts';

/** The answer, and how often the check yielded before it. */
function check(password: string, text: string): { readonly right: boolean; readonly yields: number } {
  const running = checkBcrypt(password, parseBcrypt(text)!);
  for (let yields = 0; ; yields++) {
    const step = running.next();
    if (step.done === true) return { right: step.value, yields };
  }
}

/** Made with crypt(3). */
const hashes: readonly (readonly [password: string, hash: string])[] = [
  ['secret', '$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW'],
  ['', '$2b$04$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq'],
  ['p\u00e4ssw\u00f6rd', '$2b$05$abcdefghijklmnopqrstuuZVEMa1pjhlynBQ1qXmSvGBJpN9h1w8G'],
  ['p\u00e4ss', '$2a$04$abcdefghijklmnopqrstuuF7KK/SfP9IRGj0pPJMr8GdtCS8xpmpC'],
  ['x'.repeat(80), '$2y$05$abcdefghijklmnopqrstuujf8SX2ahXLwp9w/B.Y5XdysS6yR576q'],
];

describe('bcrypt', () => {
  it.each(hashes)('knows the password %j', (password, hash) => {
    expect(check(password, hash)).toEqual({ right: true, yields: 2 ** Number(hash.slice(4, 6)) / 16 });
    expect(check(`${password.slice(0, 70)}!`, hash).right).toBe(false);
  });

  it.each([
    '',
    'secret',
    '$2b$03$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW',
    '$2b$32$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW',
    '$1$salt$hash',
  ])('does not take %j for a hash', (text) => {
    expect(parseBcrypt(text)).toBeUndefined();
  });

  it('begins with the fraction of pi', () => {
    const words = piWords(1042);
    expect([...words.subarray(0, 2), words[1041]].map((word) => word?.toString(16))).toEqual(['243f6a88', '85a308d3', '3ac372e6']);
  });
});
