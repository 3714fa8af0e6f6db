/** Finds the configuration: the caller's path, $KUBECONFIG, the Pod's service account, ~/.kube/config. The first one that exists counts. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ConfigAbsent, ConfigError, type ClusterConfig } from './cluster-config.ts';
import { inClusterConfig, isInCluster } from './in-cluster.ts';
import { clusterConfigOf, parseKubeconfig, type KubeconfigChoice, type KubeconfigSource } from './kubeconfig.ts';

/** The places to look for a configuration. */
export interface LoadOptions extends KubeconfigChoice {
  /** The `--kubeconfig` flag; '' counts as absent. The file must exist. */
  readonly path?: string;
  /** The environment of the process when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where a Pod's service account is mounted, for tests. */
  readonly serviceAccountFolder?: string;
}

/**
 * Returns the cluster to connect to. A choice of context, cluster or user is ignored inside a cluster.
 *
 * Order: `path`; the files of `$KUBECONFIG` (those that exist, merged, the first wins); in-cluster; `~/.kube/config`.
 * Throws {@link ConfigError} with one line when the configuration found is faulty or there is none.
 */
export function loadClusterConfig(options: LoadOptions = {}): ClusterConfig {
  const { env = process.env } = options;
  if (options.path !== undefined && options.path !== '') return fromFiles([options.path], options);
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  if (listed.length > 0) return fromListed(listed, options);
  if (isInCluster(env, options.serviceAccountFolder)) return inClusterConfig(env, options.serviceAccountFolder);
  const home = join(env.HOME ?? homedir(), '.kube', 'config');
  if (existsSync(home)) return fromFiles([home], options);
  throw new ConfigAbsent(`no cluster to connect to: set --kubeconfig or $KUBECONFIG, run inside a cluster, or create ${home}`);
}

function fromListed(paths: readonly string[], choice: KubeconfigChoice): ClusterConfig {
  const present = paths.filter((path) => existsSync(path));
  if (present.length === 0) throw new ConfigError(`$KUBECONFIG: no such file: ${paths.join(', ')}`);
  return fromFiles(present, choice);
}

const fromFiles = (paths: readonly string[], choice: KubeconfigChoice): ClusterConfig =>
  clusterConfigOf(parseKubeconfig(paths.map(readSource)), choice);

function readSource(path: string): KubeconfigSource {
  try {
    return { path, text: readFileSync(path, 'utf8') };
  } catch (error) {
    throw new ConfigError(`${path}: cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'failed'}`, { cause: error });
  }
}
