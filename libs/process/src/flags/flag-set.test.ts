import { describe, expect, it } from '@jest/globals';
import { seconds } from '@kruise/objects';
import { boolFlag, durationFlag, formatUsage, intFlag, parseFlags, stringFlag } from './flag-set.ts';

const definitions = {
  'metrics-addr': stringFlag(':8080', 'where metrics are served'),
  'enable-leader-election': boolFlag(true, 'elect a leader'),
  'cloneset-workers': intFlag(3, 'parallel reconciles', { aliases: ['concurrent-cloneset-syncs'] }),
  'leader-election-lease-duration': durationFlag(seconds(15), 'lease'),
  skip_headers: boolFlag(false, 'no headers'),
  v: intFlag(0, 'verbosity', { shorthand: 'v' }),
};
const valuesOf = (...argv: string[]): unknown => {
  const parsed = parseFlags(definitions, argv);
  return parsed.kind === 'Parsed' ? parsed.values : parsed;
};

describe('parseFlags', () => {
  it('gives every flag its default', () => {
    expect(valuesOf()).toEqual({
      'metrics-addr': ':8080',
      'enable-leader-election': true,
      'cloneset-workers': 3,
      'leader-election-lease-duration': 15_000,
      skip_headers: false,
      v: 0,
    });
  });

  it.each<[string[], object]>([
    [['--metrics-addr=0'], { 'metrics-addr': '0' }],
    [['--metrics-addr', ':9'], { 'metrics-addr': ':9' }],
    [['--metrics-addr='], { 'metrics-addr': '' }],
    [['--enable-leader-election=f'], { 'enable-leader-election': false }],
    [['--skip_headers', '--enable-leader-election'], { skip_headers: true, 'enable-leader-election': true }],
    [['--leader-election-lease-duration=1m30s'], { 'leader-election-lease-duration': 90_000 }],
    [['-v=5'], { v: 5 }],
    [['-v', '4'], { v: 4 }],
    [['-v3'], { v: 3 }],
    [['-skip_headers', '-metrics-addr=:7', '-cloneset-workers', '5'], { skip_headers: true, 'metrics-addr': ':7', 'cloneset-workers': 5 }],
    [['--v=2', '--v=6'], { v: 6 }],
    [['--concurrent-cloneset-syncs=7'], { 'cloneset-workers': 7 }],
    [['--cloneset-workers=-12'], { 'cloneset-workers': -12 }],
    [['--cloneset-workers=+12'], { 'cloneset-workers': 12 }],
    [['--metrics-addr=a=b'], { 'metrics-addr': 'a=b' }],
    [['-metrics-addr=a=b'], { 'metrics-addr': 'a=b' }],
  ])('reads %j', (argv, expected) => {
    expect(valuesOf(...argv)).toMatchObject(expected);
  });

  it.each<[string[], string]>([
    [['--nope'], 'unknown flag: --nope'],
    [['--skip-headers'], 'unknown flag: --skip-headers (did you mean --skip_headers?)'],
    [['--skipheaders'], 'unknown flag: --skipheaders'],
    [['--metrics_addr'], 'unknown flag: --metrics_addr (did you mean --metrics-addr?)'],
    [['--=x'], 'unknown flag: --'],
    [['-x'], "unknown shorthand flag: 'x' in -x"],
    [['-undefined'], "unknown shorthand flag: 'u' in -u"],
    [['-v4=5'], 'invalid argument "4=5" for -v: must be a whole number'],
    [['--metrics-addr'], 'flag needs an argument: --metrics-addr'],
    [['--v=much'], 'invalid argument "much" for --v: must be a whole number'],
    [['-v=much'], 'invalid argument "much" for -v: must be a whole number'],
    [['--v=much5'], 'invalid argument "much5" for --v: must be a whole number'],
    [['--v=5s'], 'invalid argument "5s" for --v: must be a whole number'],
    [['--v='], 'invalid argument "" for --v: must be a whole number'],
    [['--v=1234567890123456'], 'invalid argument "1234567890123456" for --v: must be a whole number'],
    [['--enable-leader-election=yes'], 'invalid argument "yes" for --enable-leader-election: must be true or false'],
    [
      ['--leader-election-lease-duration=15'],
      'invalid argument "15" for --leader-election-lease-duration: must be a duration such as 15s, 1h2m, 500ms or 0',
    ],
  ])('refuses %j in one line', (argv, message) => {
    expect(valuesOf(...argv)).toEqual({ kind: 'Failed', message });
  });

  it('returns which flags were given, and what follows --', () => {
    expect(parseFlags(definitions, ['--v=1', 'word', '-', '--', '--nope'])).toMatchObject({
      given: new Set(['v']),
      rest: ['word', '-', '--nope'],
    });
  });

  it('does not treat a word with dashes at its end as a flag', () => {
    expect(parseFlags(definitions, ['word--', 'v=1'])).toMatchObject({ given: new Set(), rest: ['word--', 'v=1'] });
  });

  it('requests the usage with -h and --help', () => {
    expect([valuesOf('-h'), valuesOf('--help')]).toEqual([{ kind: 'Help' }, { kind: 'Help' }]);
  });
});

it('the usage names all flags in alphabetical order, with type, default and meaning', () => {
  const more = {
    ...definitions,
    aim: stringFlag('', 'where to'),
    quiet: boolFlag(true, 'say less', { shorthand: 'q' }),
  };
  expect(formatUsage('manager', more).split('\n')).toEqual([
    'Usage of manager:',
    '      --aim string',
    '            where to',
    '      --cloneset-workers int',
    '            parallel reconciles (default 3)',
    '      --enable-leader-election',
    '            elect a leader (default true)',
    '      --leader-election-lease-duration duration',
    '            lease (default 15s)',
    '      --metrics-addr string',
    '            where metrics are served (default :8080)',
    '      -q, --quiet',
    '            say less (default true)',
    '      --skip_headers',
    '            no headers (default false)',
    '      --v int',
    '            verbosity (default 0)',
  ]);
});
