/** Runs of the plugin for tests, on an API server in memory. */
import { FakeApi, FakeClock } from '@kruise/kube/testing';
import { applyStrategicMergePatch, patchSchemaOf } from '@kruise/objects';
import { rootCommand } from './commands/table.ts';
import { plainType, type ServedType } from './objects/served-types.ts';
import type { Untyped } from './objects/untyped.ts';
import { runProgram } from './run-program.ts';
import type { KubectlHow, KubectlResult, Terminal } from './session.ts';

const served = (
  group: string,
  versions: readonly string[],
  kind: string,
  more: Partial<ServedType> & { readonly plural?: string } = {},
): readonly ServedType[] =>
  versions.map((version) => ({
    ...plainType({ group, version, kind }),
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
    subresources: ['status'],
    ...more,
  }));

const kruise = ['v1beta1', 'v1alpha1'];

/** What the server of a test serves: both versions of the kinds of Kruise, the newer one preferred. */
export const servedTypes: readonly ServedType[] = [
  ...served('', ['v1'], 'Pod', { shortNames: ['po'] }),
  ...served('', ['v1'], 'Service', { shortNames: ['svc'] }),
  ...served('', ['v1'], 'Secret'),
  ...served('', ['v1'], 'ConfigMap', { shortNames: ['cm'] }),
  ...served('apps', ['v1'], 'Deployment', { shortNames: ['deploy'] }),
  ...served('apps', ['v1'], 'DaemonSet', { shortNames: ['ds'] }),
  ...served('apps', ['v1'], 'StatefulSet', { shortNames: ['sts'] }),
  ...served('apps', ['v1'], 'ReplicaSet', { shortNames: ['rs'] }),
  ...served('apps', ['v1'], 'ControllerRevision'),
  ...served('', ['v1'], 'Event'),
  ...served('', ['v1'], 'Node', { namespaced: false }),
  ...served('batch', ['v1'], 'Job'),
  ...served('batch', ['v1'], 'CronJob', { shortNames: ['cj'] }),
  ...served('rbac.authorization.k8s.io', ['v1'], 'RoleBinding'),
  ...served('rbac.authorization.k8s.io', ['v1'], 'ClusterRoleBinding', { namespaced: false }),
  ...served('apps.kruise.io', kruise, 'CloneSet', { shortNames: ['clone'] }),
  ...served('apps.kruise.io', kruise, 'StatefulSet', { shortNames: ['sts', 'asts'] }),
  ...served('apps.kruise.io', kruise, 'DaemonSet', { shortNames: ['daemon', 'ads'] }),
  ...served('apps.kruise.io', kruise, 'UnitedDeployment', { shortNames: ['ud'] }),
  ...served('apps.kruise.io', kruise, 'SidecarSet', { namespaced: false }),
  ...served('apps.kruise.io', kruise, 'BroadcastJob', { shortNames: ['bcj'] }),
  ...served('apps.kruise.io', kruise, 'AdvancedCronJob', { shortNames: ['acj'] }),
  ...served('apps.kruise.io', kruise, 'ContainerRecreateRequest', { shortNames: ['crr'] }),
  ...served('apps.kruise.io', kruise, 'WorkloadSpread', { shortNames: ['ws'] }),
  ...served('apps.kruise.io', kruise, 'ImagePullJob'),
  ...served('apps.kruise.io', kruise, 'NodeImage', { namespaced: false }),
  ...served('apps.kruise.io', ['v1alpha1'], 'PodProbeMarker'),
  ...served('policy.kruise.io', kruise, 'PodUnavailableBudget', { shortNames: ['pub'] }),
  ...served('rollouts.kruise.io', kruise, 'Rollout'),
  ...served('metrics.k8s.io', ['v1beta1'], 'PodMetrics', { plural: 'pods', singular: 'pod', verbs: ['get', 'list'] }),
];

/** The type of a kind in a version. @throws for what no test server serves */
export function typeOf(kind: string, group = 'apps.kruise.io', version?: string): ServedType {
  const found = servedTypes.find(
    (type) => type.kind === kind && type.group === group && (version === undefined || type.version === version),
  );
  if (found === undefined) throw new Error(`no ${kind} of ${group}`);
  return found;
}

/** What a run came to. */
export interface RunResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The command lines that kubectl got. */
  readonly kubectl: readonly (readonly string[])[];
}

/** What a test gives a run besides the command line. */
export interface RunOptions {
  readonly stdin?: string;
  readonly types?: readonly ServedType[];
  /** In place of `types`; may fail. */
  readonly discover?: () => Promise<readonly ServedType[]>;
  readonly clock?: FakeClock;
  readonly signal?: AbortSignal;
  /** Whether no cluster can be connected to. */
  readonly unreachable?: boolean;
  readonly kubectl?: (args: readonly string[], input: string | undefined, how: KubectlHow) => KubectlResult | Promise<KubectlResult>;
  readonly terminal?: Terminal | (() => Terminal);
  readonly onResize?: (listener: () => void) => () => void;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with all of stdout so far. */
  readonly onOut?: (out: string) => void;
}

/** An API server in memory that merges lists as a real one does. */
export const fakeApi = (): FakeApi =>
  new FakeApi({
    clock: new FakeClock(),
    strategicMerge: (original, patch, type) => {
      const schema = patchSchemaOf(type.group, type.kind);
      const result = applyStrategicMergePatch(original as never, patch as never, schema);
      if (result.kind !== 'Patched') throw new Error(JSON.stringify(result));
      return result.value;
    },
  });

/** Puts an object there whose apiVersion and kind are given. @returns the object as it is held */
export function seed(api: FakeApi, object: object): Untyped {
  const given = object as Untyped;
  const [group = '', version] = (given.apiVersion ?? '').includes('/') ? (given.apiVersion ?? '').split('/') : ['', given.apiVersion];
  return api.seed(typeOf(given.kind ?? '', group, version), given) as Untyped;
}

/** Runs the plugin with the words of a line; words in single quotes stay together. */
export async function kruiseRun(api: FakeApi, line: string | readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const words = typeof line === 'string' ? (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", '')) : line;
  let [out, err] = ['', ''];
  const kubectl: (readonly string[])[] = [];
  const clock = options.clock ?? new FakeClock();
  const code = await runProgram(rootCommand, words, {
    out: (text) => {
      out += text;
      options.onOut?.(out);
    },
    terminal: () => (typeof options.terminal === 'function' ? options.terminal() : options.terminal),
    ...(options.onResize === undefined ? {} : { onResize: options.onResize }),
    warn: (text) => void (err += `${text}\n`),
    stdin: async () => options.stdin ?? '',
    clock: async () => clock,
    env: options.env ?? {},
    signal: options.signal ?? new AbortController().signal,
    connect: async () => {
      if (options.unreachable === true) throw new Error('no cluster');
      return { client: api, namespace: 'default' };
    },
    discover: async () => options.discover?.() ?? options.types ?? servedTypes,
    kubectl: async (args, how) => {
      kubectl.push(args);
      const result = (await options.kubectl?.(args, how?.input, how ?? {})) ?? { code: 0, stdout: '' };
      if (how?.onLine !== undefined) result.stdout.match(/[^\n]+/g)?.forEach((line) => how.onLine?.(line));
      return result;
    },
  });
  return { code, out, err, kubectl };
}
