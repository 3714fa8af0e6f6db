import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { matchesShellPattern } from './shell-pattern.ts';

/** Matches a pattern of letters, `*` and `?` by trying every split. */
function matchesSomehow(glob: string, text: string): boolean {
  if (glob === '') return text === '';
  const [first, rest] = [glob[0], glob.slice(1)];
  if (first === '*')
    return Array.from({ length: text.length + 1 }, (_, taken) => text.slice(taken)).some((left) => matchesSomehow(rest, left));
  return text !== '' && (first === '?' || first === text[0]) && matchesSomehow(rest, text.slice(1));
}

describe('a shell pattern', () => {
  it.each<[string, string, boolean]>([
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['a**', 'a', true],
    ['*ab', 'aab', true],
    ['*a*b*', 'xxayybz', true],
    ['a*a', 'a', false],
    ['[a-c]x', 'bx', true],
    ['[^a-c]', 'b', false],
    ['[\\]]', ']', true],
    ['[a\\-z]', '-', true],
    ['[a\\-z]', 'b', false],
    ['?', '\u{1F600}', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
  ])('%j and %j: %s', (glob, text, expected) => {
    expect(matchesShellPattern(glob, text)).toBe(expected);
  });

  it.each(['[', '[a', '[a-', '[]', '[^]', '[-a]', '[a-]', 'a\\'])('that is faulty, as %j, matches no text, not even itself', (glob) => {
    expect([matchesShellPattern(glob, glob), matchesShellPattern(glob, 'a')]).toEqual([false, false]);
  });

  it('has the result of trying every split', () => {
    const of = (alphabet: string, maxLength: number) =>
      fc.array(fc.constantFrom(...alphabet), { maxLength, size: 'max' }).map((letters) => letters.join(''));
    const seen = { yes: 0, no: 0 };
    fc.assert(
      fc.property(of('ab*?', 8), of('ab', 8), (glob, text) => {
        const expected = matchesSomehow(glob, text);
        seen[expected ? 'yes' : 'no']++;
        expect(matchesShellPattern(glob, text)).toBe(expected);
      }),
    );
    expect(Math.min(seen.yes, seen.no)).toBeGreaterThan(0);
  });

  it.each<[string, string]>([
    ['many stars', `${'*a'.repeat(30)}*b`],
    ['as many stars as a secret holds', `${'*a'.repeat(400_000)}*b`],
    ['only stars', `${'*'.repeat(800_000)}b`],
    ['a long set', `*[${'a'.repeat(800_000)}]b`],
    ['sets', '*[a-z]'.repeat(100_000)],
  ])('of %s is decided quickly', (_name, glob) => {
    const before = process.cpuUsage();
    expect(matchesShellPattern(glob, 'a'.repeat(63))).toBe(false);
    // Trying every split would take years; the limit is for the slowest machine.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(20_000);
  });
});
