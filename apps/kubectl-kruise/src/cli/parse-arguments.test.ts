import { describe, expect, it } from '@jest/globals';
import { rootCommand } from '../commands/table.ts';
import type { Command, Flag } from './command.ts';
import { bool, duration, globalFlags, int, list, text, texts } from './flags.ts';
import { flagsOf, parseArguments } from './parse-arguments.ts';

const root: Command = {
  name: 'prog',
  short: 'a program',
  commands: [
    {
      name: 'do',
      aliases: ['d'],
      short: 'does',
      flags: [
        bool('bool', 'b', { short: 'b' }),
        bool('interactive', 'i', { short: 'i' }),
        text('text', 't', { default: 'x', short: 't' }),
        text('bare', 'b', { default: 'none', bare: 'given' }),
        int('int', '0', 'i'),
        duration('wait', '0s', 'w'),
        list('list', 'l', { short: 'l' }),
        texts('texts', 'x'),
      ],
      load: async () => async () => 0,
    },
    { name: 'group', short: 'more', commands: [{ name: 'inner', short: 'deep', load: async () => async () => 0 }] },
    { name: 'through', short: 'kubectl', passThrough: true, load: async () => async () => 0 },
  ],
};

const read = (line: string): unknown => {
  const parsed = parseArguments(
    root,
    line.split(' ').filter((word) => word !== ''),
  );
  if (parsed.kind !== 'Call') return parsed.kind === 'Failed' ? parsed.message : `help of ${parsed.path}`;
  const given = [...flagsOf(parsed.command)].filter(({ name }) => parsed.flags.has(name) && parsed.flags.given(name));
  const valueOf = ({ name, kind }: Flag): unknown => {
    if (kind === 'bool') return parsed.flags.bool(name);
    if (kind === 'int' || kind === 'duration') return parsed.flags.number(name);
    return kind === 'text' ? parsed.flags.text(name) : parsed.flags.list(name);
  };
  return { path: parsed.path, args: parsed.args, ...Object.fromEntries(given.map((flag) => [flag.name, valueOf(flag)])) };
};

describe('a command line', () => {
  it.each<[line: string, means: unknown]>([
    ['do a b', { path: 'prog do', args: ['a', 'b'] }],
    ['d a', { path: 'prog do', args: ['a'] }],
    ['-n ns do a', { path: 'prog do', args: ['a'], namespace: 'ns' }],
    ['--text do do a', { path: 'prog do', args: ['a'], text: 'do' }],
    ['do --text=y a -b', { path: 'prog do', args: ['a'], text: 'y', bool: true }],
    ['do -ty', { path: 'prog do', args: [], text: 'y' }],
    ['do -t=y', { path: 'prog do', args: [], text: 'y' }],
    ['do -bit y', { path: 'prog do', args: [], bool: true, interactive: true, text: 'y' }],
    ['do --bool=false', { path: 'prog do', args: [], bool: false }],
    ['do --bare a', { path: 'prog do', args: ['a'], bare: 'given' }],
    ['do --bare=server a', { path: 'prog do', args: ['a'], bare: 'server' }],
    ['do --int -3', { path: 'prog do', args: [], int: -3 }],
    ['do --wait=1m30s', { path: 'prog do', args: [], wait: 90_000 }],
    ['do -l a,b -l c', { path: 'prog do', args: [], list: ['a', 'b', 'c'] }],
    ['do --texts a,b --texts c', { path: 'prog do', args: [], texts: ['a,b', 'c'] }],
    ['do - x', { path: 'prog do', args: ['-', 'x'] }],
    ['do a -- -b --int', { path: 'prog do', args: ['a', '-b', '--int'] }],
    ['group inner', { path: 'prog group inner', args: [] }],
    ['-n x through pods -o wide', { path: 'prog through', args: ['-n', 'x', 'pods', '-o', 'wide'] }],
    ['', 'help of prog'],
    ['group', 'help of prog group'],
    ['do --help', 'help of prog do'],
    ['group inner -h', 'help of prog group inner'],
    ['do --nope', 'unknown flag: --nope'],
    ['do -z', "unknown shorthand flag: 'z' in -z"],
    ['do --text', 'flag needs an argument: --text'],
    ['do -t', "flag needs an argument: 't' in -t"],
    ['do --int=x', 'invalid argument "x" for "--int" flag: strconv.ParseInt: parsing "x": invalid syntax'],
    ['do -b=x', 'invalid argument "x" for "-b, --bool" flag: strconv.ParseBool: parsing "x": invalid syntax'],
    ['do --wait=x', 'invalid argument "x" for "--wait" flag: time: invalid duration "x"'],
    ['doo', 'unknown command "doo" for "prog"\n\nDid you mean this?\n\tdo\n'],
    ['group other', 'unknown command "other" for "prog group"\n\nDid you mean this?\n\tinner\n'],
    ['nothing-like-it --bool', 'unknown command "nothing-like-it" for "prog"'],
  ])('%s', (line, means) => {
    if (line === 'group other') expect(read(line)).toBe('unknown command "other" for "prog group"');
    else expect(read(line)).toEqual(means);
  });

  it('takes an underscore in a flag for a dash, with a warning', () => {
    expect(parseArguments(root, ['do', '--tls_server_name=a'])).toMatchObject({
      kind: 'Call',
      warnings: ['using an underscore in a flag name is not supported. tls_server_name has been converted to tls-server-name.'],
    });
  });

  it('reports how many arguments come before --', () => {
    expect(parseArguments(root, ['do', 'a', '--', 'b'])).toMatchObject({ args: ['a', 'b'], dash: 1 });
    expect(parseArguments(root, ['do', 'a'])).toMatchObject({ dash: undefined });
  });
});

const leaves = (command: Command, path: string): readonly (readonly [string, Command])[] =>
  command.commands === undefined ? [[path, command]] : command.commands.flatMap((one) => leaves(one, `${path} ${one.name}`));

describe('the table', () => {
  const all = leaves(rootCommand, 'kubectl-kruise');

  it.each(all.filter(([, { passThrough }]) => passThrough !== true))('%s takes each of its flags', (path, command) => {
    const words = path.split(' ').slice(1);
    for (const flag of flagsOf(command)) {
      if (flag.name === 'help') continue;
      const sample = { bool: 'true', text: 'x', int: '7', duration: '7s', list: 'a,b', texts: 'a,b' }[flag.kind];
      const spellings = [`--${flag.name}=${sample}`, ...(flag.short === undefined ? [] : [`-${flag.short}=${sample}`])];
      for (const spelling of spellings) {
        const parsed = parseArguments(rootCommand, [...words, spelling]);
        expect({ spelling, parsed }).toMatchObject({ parsed: { kind: 'Call', path } });
        if (parsed.kind === 'Call') expect(parsed.flags.given(flag.name)).toBe(true);
      }
    }
  });

  it.each(all)('%s has each flag once, with a help that ends with a full stop', (_path, command) => {
    const flags = flagsOf(command);
    expect(flags.map(({ name }) => name)).toEqual([...new Set(flags.map(({ name }) => name))]);
    const letters = flags.flatMap(({ short }) => short ?? []);
    expect(letters).toEqual([...new Set(letters)]);
    expect([...flags, ...globalFlags].filter(({ help }) => !help.endsWith('.'))).toEqual([]);
  });

  it.each(all)('%s has code', async (_path, command) => {
    expect(await command.load?.()).toBeInstanceOf(Function);
  });
});
