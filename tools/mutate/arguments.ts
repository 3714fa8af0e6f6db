/** The command line of `npm run mutate`. Pure. */
import { parseArgs } from 'node:util';

export const usage = `usage: npm run mutate [-- SCOPE|FILE ...] [--since COMMIT] [--jobs N] [--json FILE] [--list]

Changes the pure rules in one place at a time, and runs the unit tests. In every scope, tests must fail for 90 % of the changes.

  SCOPE           a project or kind, e.g. libs/pods, libs/kinds/cloneset; default: all
  FILE            only this file, e.g. libs/pods/src/claim.ts
  --since COMMIT  only files that differ from COMMIT; with HEAD: changes that are not committed
  --jobs N        processes at a time; default: one for each core
  --json FILE     also write the numbers and survivors of every scope to FILE
  --list          print the names of the scopes, and run nothing
`;

export interface MutateCommand {
  readonly kind: 'Run';
  /** Names of scopes and paths of files; every scope when there is none. */
  readonly chosen: readonly string[];
  readonly since: string | undefined;
  readonly jobs: number;
  readonly json: string | undefined;
  readonly list: boolean;
}

export type Parsed = MutateCommand | { readonly kind: 'Help' } | { readonly kind: 'Wrong'; readonly problem: string };

/** @param cores the default of `--jobs` */
export function parseCommand(args: readonly string[], cores: number): Parsed {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        since: { type: 'string' },
        jobs: { type: 'string', default: String(cores) },
        json: { type: 'string' },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { kind: 'Help' };
    if (!/^[1-9]\d?$/.test(values.jobs)) return { kind: 'Wrong', problem: `--jobs: ${values.jobs} must be a whole number from 1 to 99` };
    const { since, json, list } = values;
    return { kind: 'Run', chosen: positionals, since, jobs: Number(values.jobs), json, list };
  } catch (error) {
    return { kind: 'Wrong', problem: error instanceof Error ? error.message : String(error) };
  }
}
