import { describe, expect, it } from '@jest/globals';
import { compileRe2 } from './re2.ts';

const matches = (expression: string, text: string): boolean => {
  const compiled = compileRe2(expression);
  if (compiled.kind === 'Illegal') throw new Error(`${expression}: ${compiled.why}`);
  return compiled.matches(text);
};

describe('an RE2 expression', () => {
  it.each<[expression: string, yes: readonly string[], no: readonly string[]]>([
    ['', ['', 'a'], []],
    ['.*', ['', 'a\nb'], []],
    ['b', ['abc'], ['ac', '']],
    ['^main$', ['main'], ['main2', 'amain', 'main\n']],
    ['^(app|web)-[0-9]+$', ['app-1', 'web-22'], ['app-', 'db-1']],
    ['^a{2,3}$', ['aa', 'aaa'], ['a', 'aaaa']],
    ['^a{2,}b{1}$', ['aab', 'aaaaab'], ['ab', 'aabb']],
    ['^a{,2}$', ['a{,2}'], ['a']],
    ['^a{0}b$', ['b'], ['ab']],
    ['^(a*)*$', ['', 'aaaa'], ['b']],
    ['^(a|b|)+?c$', ['c', 'abc'], ['d']],
    ['^[^a-c]+$', ['xyz'], ['xaz', '']],
    ['^[]a]+$', [']a'], ['b']],
    ['^[a-]$', ['a', '-'], ['b']],
    ['^[\\d\\-x]+$', ['1-x'], ['y']],
    ['^[[:alpha:][:^digit:]]$', ['a', '-'], ['1']],
    ['^[\\D]$', ['a'], ['1']],
    ['^\\w+\\s\\S$', ['a_1 b'], ['a-1 b']],
    ['(?i)^APP[^x]$', ['app1', 'ApPy'], ['appX', 'appx']],
    ['^(?i:A)B$', ['aB', 'AB'], ['ab']],
    ['^(?P<name>a)(?<other>b)$', ['ab'], ['a']],
    ['^a.c$', ['abc'], ['a\nc']],
    ['(?s)^a.c$', ['a\nc'], []],
    ['(?m)^b$', ['a\nb\nc'], ['ab']],
    ['\\Ab\\z', ['b'], ['b\n', 'ab']],
    ['\\bmemory\\b', ['2*memory', 'memory'], ['memory2', 'xmemory']],
    ['a\\Bb', ['ab'], ['a b']],
    ['^\\Qa.b\\E$', ['a.b'], ['axb']],
    ['^\\Q*', ['*'], ['a']],
    ['^\\.\\/\\x41\\x{1F600}\\101$', ['./A😀A'], ['x/A😀A']],
    ['^\\pL\\p{Greek}\\P{Lu}[\\p{^L}]$', ['äαa1'], ['1αa1', 'aaa1', 'aαA1', 'äαab']],
    ['^.$', ['😀'], ['ab']],
    ['x*y|^$', ['', 'y', 'xxy'], ['x']],
    ['^[a&&b]$', ['&'], ['c']],
    ['}', ['a}'], ['a']],
    [']', [']'], ['[']],
  ])('%j', (expression, yes, no) => {
    expect(yes.filter((text) => !matches(expression, text))).toEqual([]);
    expect(no.filter((text) => matches(expression, text))).toEqual([]);
  });

  it.each([
    '(',
    ')',
    'a)',
    '[',
    '[a',
    '[z-a]',
    '*',
    '+a',
    'a**',
    'a{2}{3}',
    '|*',
    'a{1001}',
    'a{3,2}',
    '\\',
    '\\8',
    '\\1',
    'a(?=b)',
    '(?!a)',
    '(?<!a)',
    '(?x)a',
    '(?P<>a)',
    '\\y',
    '\\Z',
    '\\p{Klingon}',
    '\\pX',
    '[[:nothing:]]',
    '\\x{110000}',
    '\\xg',
    '(?P<a',
    '(?-)a',
    '[\\8]',
    '((a{100}){100}){100}',
    'a'.repeat(2001),
    '('.repeat(201) + ')'.repeat(201),
  ])('%.40j is illegal', (expression) => {
    expect(compileRe2(expression)).toMatchObject({ kind: 'Illegal', why: expect.any(String) as unknown });
  });

  it.each([
    ['(a+)+$', false],
    ['(a|a)*$', true],
    ['(.*)*x', false],
    ['(a?){200}a{200}$', false],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', false],
    ['(x+x+)+y', false],
  ])('%j, which would keep a backtracking matcher busy for years, has an answer: %j', (expression, matches) => {
    const compiled = compileRe2(expression);
    if (compiled.kind === 'Illegal') throw new Error(compiled.why);
    expect(compiled.matches(`${'a'.repeat(300)}!`)).toBe(matches);
  });
});
