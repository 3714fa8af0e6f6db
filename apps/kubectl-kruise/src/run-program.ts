/** One run of the plugin: reads the command line, runs the command and answers its exit code. */
import type { Client, Clock } from '@kruise/kube';
import type { Call, Command, Run } from './cli/command.ts';
import type { FlagValues } from './flag-values.ts';
import { failureCode, failureText, UserError } from './failure.ts';
import { helpText } from './cli/help.ts';
import { parseArguments, type Parsed } from './cli/parse-arguments.ts';
import type { ServedType } from './objects/served-types.ts';
import type { KubectlHow, KubectlResult, Session, Terminal } from './session.ts';

/** What surrounds a run: the process, or a test. */
export interface Host {
  readonly out: (text: string) => void;
  readonly terminal?: () => Terminal | undefined;
  /** @returns what ends the calls */
  readonly onResize?: (listener: () => void) => () => void;
  readonly warn: (line: string) => void;
  readonly stdin: () => Promise<string>;
  readonly clock: () => Promise<Clock>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly connect: (flags: FlagValues) => Promise<{ readonly client: Client; readonly namespace: string }>;
  readonly discover: (client: Client, signal: AbortSignal) => Promise<readonly ServedType[]>;
  readonly kubectl: (args: readonly string[], how?: KubectlHow) => Promise<KubectlResult>;
}

/** The reason of a signal that aborts because nothing reads the output any more. */
export const pipeClosed = 'the reader of the output is gone';

/** As shells report programs that SIGPIPE and SIGINT end. */
const [pipeClosedCode, interruptedCode] = [141, 130];

/** Flags that kubectl takes as well, for runs of it. */
const forwarded = [
  'as',
  'as-uid',
  'certificate-authority',
  'client-certificate',
  'client-key',
  'cluster',
  'context',
  'kubeconfig',
  'namespace',
  'request-timeout',
  'server',
  'tls-server-name',
  'token',
  'user',
  'username',
  'password',
] as const;

/** The global flags of a command line as kubectl takes them. */
function globalArguments(flags: FlagValues): readonly string[] {
  const named = forwarded.filter((name) => flags.given(name) && flags.global(name) !== '').map((name) => `--${name}=${flags.global(name)}`);
  const groups = flags.list('as-group').map((group) => `--as-group=${group}`);
  return [...named, ...groups, ...(flags.bool('insecure-skip-tls-verify') ? ['--insecure-skip-tls-verify'] : [])];
}

interface Opened {
  readonly clock: Clock;
  readonly connection: { readonly client: Client; readonly namespace: string } | undefined;
}

/** Global flags that the words do not have already. */
const withoutRepeated = (words: readonly string[], globals: readonly string[]): readonly string[] =>
  globals.filter((global) => !words.some((word) => word.startsWith(global.slice(0, global.indexOf('=') + 1)) && global.includes('=')));

function openSession(flags: FlagValues | undefined, host: Host, { clock, connection }: Opened): Session {
  let types: Promise<readonly ServedType[]> | undefined;
  const connected = (): { readonly client: Client; readonly namespace: string } => {
    if (connection === undefined) throw new Error('the command is declared as one without a cluster');
    return connection;
  };
  const given = flags?.given('namespace') === true ? flags.text('namespace') : '';
  return {
    out: host.out,
    terminal: host.terminal ?? (() => undefined),
    onResize: host.onResize ?? (() => () => undefined),
    warn: host.warn,
    stdin: host.stdin,
    clock,
    env: host.env,
    signal: host.signal,
    namespace: () => (given === '' ? connected().namespace : given),
    namespaceGiven: given !== '',
    client: () => connected().client,
    types: () => (types ??= host.discover(connected().client, host.signal)),
    kubectl: (args, how) =>
      host.kubectl([...args, ...(flags === undefined ? [] : withoutRepeated(args, globalArguments(flags))), ...(how?.after ?? [])], how),
    within: async (others, work) => {
      const other = await host.connect(others);
      try {
        return await work(openSession(others, host, { clock, connection: other }));
      } finally {
        other.client.close();
      }
    },
  };
}

/** Whether the words go to kubectl as they are. */
const isKubectl = ({ passThrough, kubectl }: Command): boolean => passThrough === true || kubectl !== undefined;

const kubectlOf =
  (words: readonly string[]): Run =>
  async (call, session) =>
    (await session.kubectl([...words, ...call.raw])).code;

/** Flags with which a command works on files or text alone. */
const offlineFlags = ['local', 'client'] as const;

/** Whether a command needs no cluster. */
const isOffline = ({ command, flags }: Pick<Call, 'command' | 'flags'>): boolean =>
  isKubectl(command) || command.offline === true || offlineFlags.some((name) => flags.has(name) && flags.bool(name));

async function runCall(parsed: Extract<Parsed, { kind: 'Call' }>, root: Command, host: Host): Promise<number> {
  const { command, warnings } = parsed;
  for (const warning of warnings) host.warn(warning);
  const offline = isOffline(parsed);
  const load = command.kubectl === undefined ? command.load : async () => kubectlOf(command.kubectl ?? []);
  if (load === undefined) throw new Error(`${parsed.path} has no code`);
  const [run, clock, connection] = await Promise.all([load(), host.clock(), offline ? undefined : host.connect(parsed.flags)]);
  const session = openSession(isKubectl(command) ? undefined : parsed.flags, host, { clock, connection });
  try {
    return (await run({ ...parsed, root }, session)) ?? 0;
  } finally {
    connection?.client.close();
  }
}

/** @returns the exit code; every failure is on stderr */
export async function runProgram(root: Command, words: readonly string[], host: Host): Promise<number> {
  const code = await codeOf(root, words, host);
  return host.signal.reason === pipeClosed ? pipeClosedCode : code;
}

async function codeOf(root: Command, words: readonly string[], host: Host): Promise<number> {
  let own = 1;
  try {
    const parsed = parseArguments(root, words);
    own = parsed.command.failureCode ?? 1;
    switch (parsed.kind) {
      case 'Help':
        host.out(helpText(parsed.command, parsed.path));
        return 0;
      case 'Failed':
        host.warn(`error: ${parsed.message}\nSee '${parsed.path} --help' for usage.`);
        return own;
      case 'Call':
        return await runCall(parsed, root, host);
    }
  } catch (error) {
    if (host.signal.aborted && !(error instanceof UserError)) return interruptedCode;
    const text = failureText(error);
    if (text !== '') host.warn(text);
    return failureCode(error, own);
  }
}
