/**
 * Reads, merges and checks kubeconfig files. Every error is one line `<file>: <field>: <what is wrong>: <what is allowed>` and never quotes a secret.
 */
import { dirname, isAbsolute, resolve } from 'node:path';
import {
  ConfigError,
  type ClusterConfig,
  type ExecConfig,
  type Impersonation,
  type OidcConfig,
  type Pem,
  type UserAuth,
} from './cluster-config.ts';
import { readConfigDocument } from './config-document.ts';
import { ConfigReader } from './config-reader.ts';

/** The text of one file and its path. Relative paths in the text are relative to the folder of the file. */
export interface KubeconfigSource {
  readonly path: string;
  readonly text: string;
}

/** Clusters, users and contexts by name. For each name the first file that has it counts; so does the first current-context. */
export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, ConfigReader>;
  readonly users: ReadonlyMap<string, ConfigReader>;
  readonly contexts: ReadonlyMap<string, ConfigReader>;
  readonly currentContext: string;
  /** The names of all files, for messages. */
  readonly origin: string;
}

/** Reads and merges kubeconfig files. The first file wins. @throws {@link ConfigError} */
export function parseKubeconfig(sources: readonly KubeconfigSource[]): Kubeconfig {
  const clusters = new Map<string, ConfigReader>();
  const users = new Map<string, ConfigReader>();
  const contexts = new Map<string, ConfigReader>();
  let currentContext = '';
  for (const source of sources) {
    const file = readFile(source);
    if (file === undefined) continue;
    addAll(clusters, file, ['clusters', 'cluster']);
    addAll(users, file, ['users', 'user']);
    addAll(contexts, file, ['contexts', 'context']);
    if (currentContext === '') currentContext = file.text('current-context') ?? '';
  }
  return { clusters, users, contexts, currentContext, origin: sources.map((source) => source.path).join(', ') };
}

function readFile(source: KubeconfigSource): ConfigReader | undefined {
  const reader = readConfigDocument(source);
  if (reader === undefined) return undefined;
  const kind = reader.text('kind');
  if (kind !== undefined && kind !== 'Config') throw reader.complaint('kind', 'must be Config');
  const version = reader.text('apiVersion');
  if (version !== undefined && version !== 'v1') throw reader.complaint('apiVersion', 'must be v1');
  return reader;
}

function addAll(into: Map<string, ConfigReader>, file: ConfigReader, [list, member]: readonly [string, string]): void {
  for (const entry of file.objects(list)) {
    const name = entry.text('name');
    if (name === undefined) throw entry.complaint('name', 'is required');
    if (!into.has(name)) into.set(name, entry.object(member) ?? ConfigReader.empty(entry, member));
  }
}

/** The parts of a kubeconfig to use; the current context provides absent or empty ones. */
export interface KubeconfigChoice {
  readonly context?: string | undefined;
  /** In place of the cluster of the context. */
  readonly cluster?: string | undefined;
  /** In place of the user of the context. */
  readonly user?: string | undefined;
}

/** Returns the cluster and user of one context, or those chosen in their place. */
export function clusterConfigOf(config: Kubeconfig, choice: KubeconfigChoice = {}): ClusterConfig {
  const chosen = contextOf(config, choice);
  const cluster = referred(chosen, 'cluster', config.clusters, choice.cluster);
  if (cluster === undefined) throw chosen.complaint('cluster', `is required: one of ${namesOf(config.clusters)}`);
  const user = referred(chosen, 'user', config.users, choice.user);
  const impersonate = user === undefined ? undefined : impersonationOf(user);
  return {
    ...serverOf(cluster),
    user: user === undefined ? {} : userOf(user, nameOf(chosen, 'user', choice.user)),
    ...(impersonate === undefined ? {} : { impersonate }),
    namespace: chosen.text('namespace') ?? 'default',
  };
}

function contextOf(config: Kubeconfig, { context = '', cluster = '' }: KubeconfigChoice): ConfigReader {
  const name = context === '' ? config.currentContext : context;
  if (name === '' && cluster !== '') return ConfigReader.of({}, config.origin);
  if (name === '') throw new ConfigError(`${config.origin}: current-context: is required: one of ${namesOf(config.contexts)}`);
  const chosen = config.contexts.get(name);
  if (chosen === undefined) {
    throw new ConfigError(
      `${config.origin}: current-context: no context ${JSON.stringify(name)}: must be one of ${namesOf(config.contexts)}`,
    );
  }
  return chosen;
}

/** Returns the chosen name, or the one that a context refers to; '' when it refers to none. */
const nameOf = (context: ConfigReader, field: 'cluster' | 'user', asked = ''): string =>
  asked === '' ? (context.text(field) ?? '') : asked;

/** Returns the chosen entry, or the one that a context refers to; undefined when it refers to none. */
function referred(
  context: ConfigReader,
  field: 'cluster' | 'user',
  known: ReadonlyMap<string, ConfigReader>,
  asked = '',
): ConfigReader | undefined {
  const name = nameOf(context, field, asked);
  if (name === '') return undefined;
  const found = known.get(name);
  if (found === undefined) throw context.complaint(field, `no ${field} ${JSON.stringify(name)}: must be one of ${namesOf(known)}`);
  return found;
}

const namesOf = (map: ReadonlyMap<string, unknown>): string => (map.size === 0 ? '(none are defined)' : [...map.keys()].join(', '));

function serverOf(cluster: ConfigReader): Omit<ClusterConfig, 'user' | 'namespace'> {
  const authority = pemOf(cluster, 'certificate-authority');
  const insecure = cluster.flag('insecure-skip-tls-verify') ?? false;
  if (insecure && authority !== undefined) {
    throw cluster.complaint(
      'insecure-skip-tls-verify',
      'may not be true together with certificate-authority or certificate-authority-data',
    );
  }
  const tlsServerName = cluster.text('tls-server-name');
  const proxyUrl = cluster.url('proxy-url', ['http:', 'https:', 'socks5:']);
  return {
    server: cluster.requiredUrl('server', ['https:', 'http:']),
    ...(authority === undefined ? {} : { certificateAuthority: authority }),
    ...(insecure ? { insecureSkipTlsVerify: true } : {}),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  };
}

/** Reads `<field>-data` (base64), or else `<field>` (a path). */
function pemOf(reader: ConfigReader, field: string): Pem | undefined {
  const data = reader.base64(`${field}-data`);
  if (data !== undefined) return { data };
  const path = reader.text(field);
  return path === undefined ? undefined : { file: pathIn(reader, path) };
}

const pathIn = (reader: ConfigReader, path: string): string => (isAbsolute(path) ? path : resolve(dirname(reader.file), path));

function userOf(user: ConfigReader, name: string): UserAuth {
  const certificate = pemOf(user, 'client-certificate');
  const key = pemOf(user, 'client-key');
  if ((certificate === undefined) !== (key === undefined)) {
    throw user.complaint(
      certificate === undefined ? 'client-certificate' : 'client-key',
      'client-certificate and client-key must be given together',
    );
  }
  const token = user.text('token');
  const tokenFile = user.text('tokenFile');
  const username = user.text('username');
  const exec = user.object('exec');
  const oidc = oidcOf(user, name);
  return {
    ...(certificate === undefined || key === undefined ? {} : { clientCertificate: { certificate, key } }),
    ...(token === undefined ? {} : { token }),
    ...(tokenFile === undefined ? {} : { tokenFile: pathIn(user, tokenFile) }),
    ...(username === undefined ? {} : { basic: { username, password: user.text('password') ?? '' } }),
    ...(exec === undefined ? {} : { exec: execOf(exec) }),
    ...(oidc === undefined ? {} : { oidc }),
  };
}

/** Reads `auth-provider`. kubectl 1.26 removed all providers but `oidc`. */
function oidcOf(user: ConfigReader, userName: string): OidcConfig | undefined {
  const provider = user.object('auth-provider');
  if (provider === undefined) return undefined;
  if (user.has('exec')) throw user.complaint('auth-provider', 'may not be given together with exec');
  const name = provider.text('name');
  if (name === undefined) throw provider.complaint('name', 'is required: must be oidc');
  if (name !== 'oidc')
    throw provider.complaint(
      'name',
      `${JSON.stringify(name)} is not supported: must be oidc; or use exec, a token or a client certificate`,
    );
  const config = provider.object('config') ?? ConfigReader.empty(provider, 'config');
  const required = (field: string): string => {
    const value = config.text(field);
    if (value === undefined) throw config.complaint(field, 'is required');
    return value;
  };
  const authority = pemOf(config, 'idp-certificate-authority');
  const [clientSecret, idToken, refreshToken] = ['client-secret', 'id-token', 'refresh-token'].map((field) => config.text(field));
  return {
    file: config.file,
    user: userName,
    issuer: config.requiredUrl('idp-issuer-url', ['https:']),
    clientId: required('client-id'),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(authority === undefined ? {} : { certificateAuthority: authority }),
    ...(idToken === undefined ? {} : { idToken }),
    ...(refreshToken === undefined ? {} : { refreshToken }),
  };
}

const EXEC_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'] as const;
const INTERACTIVE_MODES = ['Never', 'IfAvailable', 'Always'] as const;

function execOf(exec: ConfigReader): ExecConfig {
  const apiVersion = exec.oneOf('apiVersion', EXEC_VERSIONS);
  if (apiVersion === undefined) throw exec.complaint('apiVersion', `is required: one of ${EXEC_VERSIONS.join(', ')}`);
  const command = exec.text('command');
  if (command === undefined) throw exec.complaint('command', 'is required');
  const interactiveMode = exec.oneOf('interactiveMode', INTERACTIVE_MODES);
  if (interactiveMode === undefined && apiVersion === EXEC_VERSIONS[0]) {
    throw exec.complaint('interactiveMode', `is required with ${apiVersion}: one of ${INTERACTIVE_MODES.join(', ')}`);
  }
  const env = exec.objects('env').map((entry) => [entry.text('name') ?? '', entry.text('value') ?? ''] as const);
  return {
    apiVersion,
    // A command without a slash is looked up in PATH. One with a slash is relative to the file.
    command: command.includes('/') ? pathIn(exec, command) : command,
    args: exec.texts('args'),
    env: Object.fromEntries(env),
    installHint: exec.text('installHint') ?? '',
    provideClusterInfo: exec.flag('provideClusterInfo') ?? false,
    interactiveMode: interactiveMode ?? 'IfAvailable',
  };
}

function impersonationOf(user: ConfigReader): Impersonation | undefined {
  const name = user.text('as');
  const groups = user.texts('as-groups');
  const uid = user.text('as-uid');
  const extra = user.object('as-user-extra');
  if (name === undefined) {
    if (groups.length > 0 || uid !== undefined || extra !== undefined)
      throw user.complaint('as', 'is required with as-groups, as-uid and as-user-extra');
    return undefined;
  }
  const extras = extra === undefined ? [] : extra.keys().map((key) => [key, extra.texts(key)] as const);
  return { user: name, ...(uid === undefined ? {} : { uid }), groups, extra: Object.fromEntries(extras) };
}
