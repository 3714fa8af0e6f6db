/** The client that the global flags request. */
import {
  ConfigAbsent,
  createClient,
  loadClusterConfig,
  ConfigError,
  type Client,
  type ClusterConfig,
  type Impersonation,
  type UserAuth,
} from '@kruise/kube';
import { parseDuration } from '@kruise/objects';
import type { FlagValues } from '../flag-values.ts';
import { UserError } from '../failure.ts';

/** A cluster that commands speak to. */
export interface Connection {
  readonly client: Client;
  /** Of the context. */
  readonly namespace: string;
}

function baseConfig(flags: FlagValues, env: Readonly<Record<string, string | undefined>>): ClusterConfig {
  const choice = { context: flags.global('context'), cluster: flags.global('cluster'), user: flags.global('user') };
  try {
    return loadClusterConfig({ path: flags.global('kubeconfig'), env, ...choice });
  } catch (error) {
    const server = flags.global('server');
    if (error instanceof ConfigAbsent && server !== '') return { server, user: {}, namespace: 'default' };
    throw error;
  }
}

function userWith(user: UserAuth, flags: FlagValues): UserAuth {
  const [certificate, key] = [flags.global('client-certificate'), flags.global('client-key')];
  if ((certificate === '') !== (key === '')) throw new UserError('--client-certificate and --client-key must be given together');
  const [token, username] = [flags.global('token'), flags.global('username')];
  const basic = username === '' ? user.basic : { username, password: flags.global('password') };
  const clientCertificate = certificate === '' ? user.clientCertificate : { certificate: { file: certificate }, key: { file: key } };
  const rest = token === '' ? user : { token };
  return { ...rest, ...(basic === undefined ? {} : { basic }), ...(clientCertificate === undefined ? {} : { clientCertificate }) };
}

function impersonation(config: ClusterConfig, flags: FlagValues): Impersonation | undefined {
  const [user, groups, uid] = [flags.global('as'), flags.list('as-group'), flags.global('as-uid')];
  if (user === '') {
    if (groups.length > 0 || uid !== '')
      throw new UserError('requesting groups, uid or user-extra for a user requires impersonating a user');
    return config.impersonate;
  }
  return { user, groups, extra: {}, ...(uid === '' ? {} : { uid }) };
}

/** The configuration after the flags have changed it. */
export function configOf(flags: FlagValues, env: Readonly<Record<string, string | undefined>>): ClusterConfig {
  const config = baseConfig(flags, env);
  const [server, authority, serverName] = [flags.global('server'), flags.global('certificate-authority'), flags.global('tls-server-name')];
  const insecure = flags.bool('insecure-skip-tls-verify');
  const as = impersonation(config, flags);
  const { certificateAuthority, impersonate: _replaced, ...rest } = config;
  const trust = authority === '' ? certificateAuthority : { file: authority };
  return {
    ...rest,
    ...(server === '' ? {} : { server }),
    ...(trust === undefined || insecure ? {} : { certificateAuthority: trust }),
    ...(insecure ? { insecureSkipTlsVerify: true } : {}),
    ...(serverName === '' ? {} : { tlsServerName: serverName }),
    ...(as === undefined ? {} : { impersonate: as }),
    user: userWith(config.user, flags),
  };
}

/** Seconds without a unit, or a Go duration; 0 is no limit of its own. */
function requestTimeout(flags: FlagValues): number {
  const text = flags.global('request-timeout');
  const value = /^\d+$/.test(text) ? Number(text) * 1000 : parseDuration(text);
  if (value === undefined)
    throw new UserError(
      'Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)',
    );
  return value;
}

/** @throws UserError for a configuration that cannot be used */
export function connect(
  flags: FlagValues,
  host: { readonly env: Readonly<Record<string, string | undefined>>; readonly warn: (line: string) => void },
): Connection {
  try {
    const config = configOf(flags, host.env);
    const timeout = requestTimeout(flags);
    const client = createClient(config, {
      userAgent: 'kubectl-kruise',
      keepManagedFields: true,
      env: host.env,
      onWarning: (text) => host.warn(`Warning: ${text}`),
      ...(timeout === 0 ? {} : { timeouts: { connectMs: timeout, callMs: timeout, listMs: timeout, watchOpenMs: timeout } }),
      ...(Number(flags.global('v')) >= 6 ? { onRequest: (record) => host.warn(JSON.stringify(record)) } : {}),
    });
    return { client, namespace: config.namespace };
  } catch (error) {
    throw error instanceof ConfigError ? new UserError(error.message) : error;
  }
}
