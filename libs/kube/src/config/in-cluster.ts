/** The configuration of a Pod: its service account and the Service `kubernetes`. */
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { ConfigError, type ClusterConfig } from './cluster-config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Returns whether this process runs in a Pod: the kubelet's variables and a mounted token exist. */
export function isInCluster(env: Environment, folder = FOLDER): boolean {
  return (env.KUBERNETES_SERVICE_HOST ?? '') !== '' && (env.KUBERNETES_SERVICE_PORT ?? '') !== '' && existsSync(join(folder, 'token'));
}

/**
 * Returns the cluster that the Pod runs in. The token is read again every minute, the CA for every connection.
 *
 * @param folder where the service account is mounted
 */
export function inClusterConfig(env: Environment, folder = FOLDER): ClusterConfig {
  const host = env.KUBERNETES_SERVICE_HOST ?? '';
  const port = env.KUBERNETES_SERVICE_PORT ?? '';
  if (host === '' || port === '')
    throw new ConfigError('KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT: are required inside of a cluster');
  const server = `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  if (!URL.canParse(server)) throw new ConfigError('KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT: must be a host and a port');
  const authority = join(folder, 'ca.crt');
  return {
    server,
    ...(existsSync(authority) ? { certificateAuthority: { file: authority } } : {}),
    user: { tokenFile: join(folder, 'token') },
    namespace: namespaceOf(join(folder, 'namespace')),
  };
}

function namespaceOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim() || 'default';
  } catch {
    return 'default';
  }
}
