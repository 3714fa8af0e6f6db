import { describe, expect, it } from '@jest/globals';
import { isPassword, parsePasswordHash } from './password-hash.ts';

const isRight = (password: string, text: string): Promise<boolean> => isPassword(password, parsePasswordHash(text)!);

const secret = '$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW';

/** Created with crypt(3). */
const hashes: readonly (readonly [password: string, hash: string])[] = [
  ['secret', `$2b${secret}`],
  ['', '$2b$04$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq'],
  ['p\u00e4ssw\u00f6rd', '$2b$05$abcdefghijklmnopqrstuuZVEMa1pjhlynBQ1qXmSvGBJpN9h1w8G'],
  ['p\u00e4ss', '$2a$04$abcdefghijklmnopqrstuuF7KK/SfP9IRGj0pPJMr8GdtCS8xpmpC'],
  ['x'.repeat(80), '$2y$05$abcdefghijklmnopqrstuujf8SX2ahXLwp9w/B.Y5XdysS6yR576q'],
];

describe('the hash of a password', () => {
  it.each(hashes)('is that of %j', async (password, hash) => {
    expect(await isRight(password, hash)).toBe(true);
    expect(await isRight(`${password.slice(0, 70)}!`, hash)).toBe(false);
  });

  it('may be of any version of bcrypt', async () => {
    for (const version of ['$2', '$2a', '$2b', '$2x', '$2y']) expect(await isRight('secret', version + secret)).toBe(true);
  });

  it('may have a salt whose last character has more bits than bcrypt reads', async () => {
    expect(await isRight('secret', `$2b${secret.replace('tuu', 'tuv')}`)).toBe(true);
  });

  it.each(['', 'secret', `$2b${secret.replace('$04', '$03')}`, `$2b${secret.replace('$04', '$32')}`, '$1$salt$hash', `$2c${secret}`])(
    'is not %j',
    (text) => {
      expect(parsePasswordHash(text)).toBeUndefined();
    },
  );
});
