/** The command line of `npm run cluster`. Pure. */
import { parseArgs } from 'node:util';

export const usage = `usage: npm run cluster -- COMMAND [OPTION ...]

Runs a real Kubernetes cluster on this machine, without a container engine.

commands
  up                    start the cluster, or say that it runs; what a crashed start has left is removed first
  down                  stop it and remove everything it left on the machine
  status                its processes and nodes
  logs [COMPONENT]      the log of a component, e.g. kube-apiserver; without one, which logs there are

options of up
  --nodes N             real nodes, each a kubelet with its own containerd (default 3; needs root)
  --simulated M         nodes without containers, thousands of pods on little (default 0)
  --control-plane-only  only etcd and kube-apiserver; no root, any number at a time under different names
  --controllers         with --control-plane-only: kube-controller-manager and kube-scheduler too

options of all commands
  --name NAME           of the cluster (default "default")
  --dir DIR             state folder (default \${XDG_STATE_HOME:-~/.local/state}/kruise/clusters/NAME)
  --help

environment
  KRUISE_CACHE          where built binaries are kept (default \${XDG_CACHE_HOME:-~/.cache}/kruise)
  KUBEBUILDER_ASSETS    folder with etcd, kube-apiserver and kubectl to use instead
  KRUISE_NO_INSTALL=1   never install Debian packages
`;

interface Where {
  readonly name?: string;
  readonly dir?: string;
}

export type Command =
  | { readonly kind: 'Help' }
  | { readonly kind: 'Wrong'; readonly message: string }
  | ({ readonly kind: 'Up'; readonly nodes: number; readonly simulatedNodes: number; readonly controllers: boolean } & Where)
  | ({ readonly kind: 'Down' | 'Status' } & Where)
  | ({ readonly kind: 'Logs'; readonly component?: string } & Where);

const options = {
  nodes: { type: 'string' },
  simulated: { type: 'string' },
  'control-plane-only': { type: 'boolean', default: false },
  controllers: { type: 'boolean', default: false },
  name: { type: 'string' },
  dir: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const wrong = (message: string): Command => ({ kind: 'Wrong', message });

function countOf(text: string | undefined, fallback: number, most: number): number | undefined {
  if (text === undefined) return fallback;
  return /^\d{1,5}$/.test(text) && Number(text) <= most ? Number(text) : undefined;
}

/** @param args after the program's name */
export function parseCommand(args: readonly string[]): Command {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return commandOf(values, positionals);
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

function commandOf(values: Values, [command, ...rest]: readonly string[]): Command {
  if (values.help === true || command === 'help') return { kind: 'Help' };
  const where: Where = {
    ...(values.name === undefined ? {} : { name: values.name }),
    ...(values.dir === undefined ? {} : { dir: values.dir }),
  };
  if (rest.length > (command === 'logs' ? 1 : 0)) return wrong(`unexpected argument ${JSON.stringify(rest.at(-1))}`);
  switch (command) {
    case 'up':
      return upOf(values, where);
    case 'down':
      return { kind: 'Down', ...where };
    case 'status':
      return { kind: 'Status', ...where };
    case 'logs':
      return { kind: 'Logs', ...where, ...(rest[0] === undefined ? {} : { component: rest[0] }) };
    case undefined:
      return wrong('a command is missing: up, down, status or logs');
    default:
      return wrong(`unknown command ${JSON.stringify(command)}: must be up, down, status or logs`);
  }
}

function upOf(values: Values, where: Where): Command {
  const alone = values['control-plane-only'] === true;
  const nodes = alone ? 0 : countOf(values.nodes, 3, 50);
  const simulatedNodes = countOf(values.simulated, 0, 5_000);
  if (alone && values.nodes !== undefined) return wrong('--nodes and --control-plane-only exclude each other');
  if (nodes === undefined) return wrong(`--nodes ${JSON.stringify(values.nodes)}: must be a number from 0 to 50`);
  if (simulatedNodes === undefined) return wrong(`--simulated ${JSON.stringify(values.simulated)}: must be a number from 0 to 5000`);
  return { kind: 'Up', nodes, simulatedNodes, controllers: values.controllers === true || nodes + simulatedNodes > 0, ...where };
}
