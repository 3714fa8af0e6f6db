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
    ['(?s)^a.c$', ['a\nc', 'a c'], []],
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
    ['^a?$', ['', 'a'], ['aa']],
    ['^a{1000}$', ['a'.repeat(1000)], ['a'.repeat(999)]],
    ['^[a-a]$', ['a'], ['b']],
    ['^[[:a]$', ['[', ':', 'a'], ['b']],
    ['^\\a\\f\\t\\n\\r\\v$', ['\x07\f\t\n\r\v'], ['aftnrv']],
    ['^\\0\\012$', ['\0\n'], ['0\n']],
    ['^\\x411\\x{000000041}$', ['A1A'], ['AA', 'A']],
    ['^\\x{10FFFF}$', ['\u{10ffff}'], ['\u{10fffe}']],
    ['^\\p{Any}$', ['a', '\n'], ['']],
    ['[\\P{Any}\\p{^Any}]', [], ['a', '\n']],
    ['(?m)^b$', ['b', 'b\na', 'a\nb'], ['bc', 'b-', '-b']],
    ['a\\B', ['ab'], ['a', 'a-']],
    ['(?is)^A.(?-is:b.)C$', ['axbxc', 'a\nbxC'], ['axBxc', 'axb\nc']],
    ['(?i)^ab$', ['AB'], ['AB\n', '\nAB', 'A']],
    ['(?s)^a.$', ['a\n'], ['A\n', 'x\na\n']],
    ['(?m)^a.$', ['x\nab'], ['Ab', 'a\n']],
    ['(?i)[^a]', ['b'], ['a', 'A']],
    ['(?i)[[:^upper:]\\P{Ll}]', ['1'], ['a', 'A']],
    ['(?i)^[s-t]$', ['S', 'ſ', 't'], ['ß', 'r']],
    ['^\\Qab\\E*$', ['a', 'abb'], ['', 'abab']],
    ['^a\\Q\\E*$', ['', 'aa'], ['b']],
    ['^ab(?i)*$', ['a', 'abb'], ['', 'abab']],
  ])('%j', (expression, yes, no) => {
    expect(yes.filter((text) => !matches(expression, text))).toEqual([]);
    expect(no.filter((text) => matches(expression, text))).toEqual([]);
  });

  it.each([
    ['[:alpha:]', 'AZaz', '@[`{1'],
    ['[:alnum:]', 'AZaz09', '@[`{/:'],
    ['[:ascii:]', '\0a\x7f', '\x80é'],
    ['[:blank:]', '\t ', '\n\ra'],
    ['[:cntrl:]', '\0\x1f\x7f', ' a'],
    ['[:digit:]', '09', '/:a'],
    ['[:graph:]', '!~', ' \x7f'],
    ['[:lower:]', 'az', '`{A'],
    ['[:print:]', ' ~', '\x1f\x7f'],
    ['[:punct:]', '!/:@[`{~', ' 09AZaz\x7f'],
    ['[:space:]', '\t\n\v\f\r ', '\x08\x0ea'],
    ['[:upper:]', 'AZ', '@[a'],
    ['[:word:]', 'AZaz09_', '-@[`{/:é'],
    ['[:xdigit:]', 'AFaf09', '@Gg`/:'],
    ['\\d', '09', '/:a'],
    ['\\s', '\t\n\f\r ', '\va'],
    ['\\w', 'AZaz09_', '-@[`{/:é'],
  ])('%s are %j and not %j', (name, members, others) => {
    const of = (text: string): string =>
      Array.from(text)
        .filter((one) => matches(`^[${name}]$`, one))
        .join('');
    expect([of(members), of(others)]).toEqual([members, '']);
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
    'a{1001,}',
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
    '{2}',
    'a|{1,}',
    'a{5,1001}',
    '\\x4',
    '\\x{}',
    '\\x{41',
    '\\x{4g}',
    '\\x{0x4}',
    '\\é',
    '\\\x80',
    '\\p{Greek',
    '\\p{L^u}',
    '[[:al^pha:]]',
    '(?ia',
    '(?P<-a>b)',
    '(?P<a->b)',
    '\\Q\\E*',
    '((a{100}){100}){100}',
  ])('%j is illegal', (expression) => {
    expect(compileRe2(expression)).toMatchObject({ kind: 'Illegal', why: expect.any(String) as unknown });
  });

  it.each([
    ['[a', 'missing closing ]'],
    ['[a-', 'unexpected end of expression'],
    ['[\\', 'unexpected end of expression'],
    ['\\p', 'unexpected end of expression'],
    ['\\', 'trailing backslash at end of expression'],
    ['a|*?', 'missing argument to repetition operator: `*?`'],
    ['{2,3}', 'missing argument to repetition operator: `{2,3}`'],
  ])('%j is illegal: %s', (expression, why) => {
    expect(compileRe2(expression)).toEqual({ kind: 'Illegal', why: `error parsing regexp: ${why}` });
  });

  it.each([
    ['2000 characters', `[${'a'.repeat(1998)}]`, `[${'a'.repeat(1999)}]`],
    ['2000 parts, the end being one', 'a'.repeat(1999), 'a'.repeat(2000)],
    ['200 groups in each other, any number side by side', `${'('.repeat(200)}${')'.repeat(200)}()`, '('.repeat(201) + ')'.repeat(201)],
  ])('may have %s', (_name, legal, illegal) => {
    expect([compileRe2(legal).kind, compileRe2(illegal).kind]).toEqual(['Compiled', 'Illegal']);
  });

  it.each([
    ['(a+)+$', false],
    ['(a|a)*$', true],
    ['(.*)*x', false],
    ['(a?){200}a{200}$', false],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', false],
    ['(x+x+)+y', false],
  ])('%j, which would take a backtracking matcher years, has an answer: %j', (expression, matches) => {
    const compiled = compileRe2(expression);
    if (compiled.kind === 'Illegal') throw new Error(compiled.why);
    expect(compiled.matches(`${'a'.repeat(300)}!`)).toBe(matches);
  });
});
