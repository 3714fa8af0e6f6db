/** The command line of `npm run bench`, derived from the table of scenarios. Pure. */
import { parseArgs } from 'node:util';
import { sizeNames, type SizeName, type Sizes } from './scenario.ts';
import { scenarioNames, scenarioOf, type ScenarioName } from './scenarios.ts';

/** `Pods: rollout 1000, united 2000`. */
function sizeText(size: SizeName): string {
  const defaults = scenarioNames.flatMap((name) => {
    const value = scenarioOf(name).sizes?.[size];
    return value === undefined ? [] : [`${name} ${value}`];
  });
  return `${sizeNames[size]}: ${defaults.join(', ')}`;
}

const sizes = Object.keys(sizeNames) as readonly SizeName[];
const line = (left: string, right: string): string => `  ${left.padEnd(15)}${right}\n`;

export const usage = `usage: npm run bench [-- SCENARIO ...] [OPTION ...]

Measures the project on this machine and prints one table; every scenario starts what it needs and stops it afterwards.

scenarios (all of them, but for those that run only when they are named)
${scenarioNames.map((name) => line(name, scenarioOf(name).what + (scenarioOf(name).onlyNamed ? '; only when it is named' : ''))).join('')}
options
${sizes.map((name) => line(`--${name} N`, sizeText(name))).join('')}${line('--json FILE', 'also write every number to FILE')}${line('--write', 'also record the numbers in docs/benchmarks/results.json and docs/benchmarks.md')}${line('--profile DIR', 'also write CPU profiles of the manager to DIR (it is slower then)')}${line('--help', '')}`;

export interface BenchCommand {
  readonly kind: 'Run';
  readonly scenarios: readonly ScenarioName[];
  /** Those that are given; each scenario has defaults of its own. */
  readonly sizes: Partial<Sizes>;
  readonly write: boolean;
  readonly jsonFile?: string | undefined;
  readonly profileFolder?: string | undefined;
}

export type Command = BenchCommand | { readonly kind: 'Help' } | { readonly kind: 'Wrong'; readonly message: string };

const options = {
  ...(Object.fromEntries(sizes.map((name) => [name, { type: 'string' }])) as Record<SizeName, { readonly type: 'string' }>),
  json: { type: 'string' },
  profile: { type: 'string' },
  write: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const wrong = (message: string): Command => ({ kind: 'Wrong', message });
const isScenario = (name: string): name is ScenarioName => (scenarioNames as readonly string[]).includes(name);
const isCount = (text: string): boolean => /^[1-9]\d{0,5}$/.test(text);

/** @param args after the program's name */
export function parseCommand(args: readonly string[]): Command {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values.help) return { kind: 'Help' };
    const unknown = positionals.find((name) => !isScenario(name));
    if (unknown !== undefined) return wrong(`unknown scenario ${JSON.stringify(unknown)}: must be one of ${scenarioNames.join(', ')}`);
    const given = sizes.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]] as const]));
    const notCount = given.find(([, text]) => !isCount(text));
    if (notCount !== undefined) return wrong(`--${notCount[0]} ${JSON.stringify(notCount[1])}: must be a number from 1 to 999999`);
    return {
      kind: 'Run',
      scenarios: scenarioNames.filter((name) =>
        positionals.length > 0 ? positionals.includes(name) : scenarioOf(name).onlyNamed !== true,
      ),
      sizes: Object.fromEntries(given.map(([name, text]) => [name, Number(text)])),
      write: values.write,
      jsonFile: values.json,
      profileFolder: values.profile,
    };
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}
