/** The command line of `npm run bench`. Pure. */
import { parseArgs } from 'node:util';

export const partNames = ['store', 'client', 'manager', 'rollout'] as const;
export type PartName = (typeof partNames)[number];

export const usage = `usage: npm run bench [-- PART ...] [OPTION ...]

Measures the project on this machine and prints one table; every part starts what it needs and stops it afterwards.

parts (all of them unless named)
  store      pods listed, held and watched, beside other informers
  client     CPU of a write, beside @kubernetes/client-node
  manager    the manager process: its start and its memory
  rollout    a CloneSet's life on simulated nodes: wall time, CPU, API calls, admission meanwhile

options
  --pods N         Pods of the CloneSet (default 1000)
  --stored N       Pods in the store for its memory (default 10000)
  --json FILE      also write every number to FILE
  --profile DIR    also write CPU profiles of the manager to DIR (it is slower then)
  --help
`;

export interface BenchCommand {
  readonly kind: 'Run';
  readonly parts: readonly PartName[];
  readonly pods: number;
  readonly stored: number;
  readonly jsonFile?: string;
  readonly profileFolder?: string;
}

export type Command = BenchCommand | { readonly kind: 'Help' } | { readonly kind: 'Wrong'; readonly message: string };

const options = {
  pods: { type: 'string', default: '1000' },
  stored: { type: 'string', default: '10000' },
  json: { type: 'string' },
  profile: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const wrong = (message: string): Command => ({ kind: 'Wrong', message });
const isPart = (name: string): name is PartName => (partNames as readonly string[]).includes(name);
const isCount = (text: string): boolean => /^[1-9]\d{0,4}$/.test(text);

/** @param args after the program's name */
export function parseCommand(args: readonly string[]): Command {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values.help) return { kind: 'Help' };
    const named = positionals.filter((name) => name !== 'all');
    const unknown = named.find((name) => !isPart(name));
    if (unknown !== undefined) return wrong(`unknown part ${JSON.stringify(unknown)}: must be one of ${partNames.join(', ')}, all`);
    for (const name of ['pods', 'stored'] as const) {
      if (!isCount(values[name])) return wrong(`--${name} ${JSON.stringify(values[name])}: must be a number from 1 to 99999`);
    }
    const all = named.length === 0 || positionals.includes('all');
    return {
      kind: 'Run',
      parts: partNames.filter((name) => all || named.includes(name)),
      pods: Number(values.pods),
      stored: Number(values.stored),
      ...(values.json === undefined ? {} : { jsonFile: values.json }),
      ...(values.profile === undefined ? {} : { profileFolder: values.profile }),
    };
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}
