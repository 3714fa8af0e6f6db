/** The command line of `npm run demo`. Pure. */
import { parseArgs } from 'node:util';

export const usage = `usage: npm run demo [-- --simulated] [-- --keep] [-- --yes] [-- --down]

  --simulated   simulate the nodes, also where this machine could run real ones
  --keep        leave the demo's own cluster up; the default on a terminal, elsewhere it is removed at the end
  --down        remove the demo's own cluster
  --yes         do not ask before the cluster that KUBECONFIG names is used`;

export interface Options {
  readonly simulated: boolean;
  readonly keep: boolean;
  readonly down: boolean;
  readonly yes: boolean;
  readonly help: boolean;
}

const flag = { type: 'boolean', default: false } as const;

/** @throws with what is wrong */
export function parseOptions(args: readonly string[]): Options {
  const options = { simulated: flag, keep: flag, down: flag, yes: flag, help: { ...flag, short: 'h' } } as const;
  return parseArgs({ args: [...args], options }).values;
}
