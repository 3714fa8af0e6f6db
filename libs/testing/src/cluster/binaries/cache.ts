/** Where the cluster's programs are kept: a cache outside the tree, in folders that are named after everything that determines their content. */
import { createHash } from 'node:crypto';
import { accessSync, constants, readFileSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BinaryName, type GoModule, sourceOf } from './catalogue.ts';

/** Environment variables. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Programs that `KUBEBUILDER_ASSETS` may provide. */
export const assets: readonly BinaryName[] = ['etcd', 'kube-apiserver', 'kubectl'];

/** What a build depends on beside the module's files. */
export const buildEnv = { CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' };

/** Returns `${KRUISE_CACHE:-${XDG_CACHE_HOME:-~/.cache}/kruise}`. All its content can be created again. */
export function cacheFolder(env: Env = process.env): string {
  return resolve(env.KRUISE_CACHE ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kruise'));
}

/** Returns the folder of a Go module of `tools/cluster/binaries`. */
export const moduleFolder = ({ folder }: GoModule): string => resolve(import.meta.dirname, '../../../../../tools/cluster/binaries', folder);

/**
 * Names a folder of binaries after everything that decides their content.
 *
 * @param files name and text of the module's files, in any order
 * @returns e.g. `control-plane-1.34.4-linux-x64-0123456789abcdef`
 */
export function cacheKey(
  module: Pick<GoModule, 'folder' | 'version'>,
  files: ReadonlyMap<string, string>,
  platform = `${process.platform}-${process.arch}`,
): string {
  const hash = createHash('sha256').update(JSON.stringify([module.version, platform, buildEnv]));
  for (const name of [...files.keys()].sort()) hash.update(`\0${name}\0${files.get(name)}`);
  return `${module.folder}-${module.version}-${platform}-${hash.digest('hex').slice(0, 16)}`;
}

function filesOf(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder).filter((name) => /^go\.(mod|sum)$|\.go$/.test(name));
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns where a program is or will be. `KUBEBUILDER_ASSETS` takes precedence for the programs that it provides. */
export function binaryPath(name: BinaryName, env: Env = process.env): string {
  const provided = env.KUBEBUILDER_ASSETS === undefined ? undefined : join(env.KUBEBUILDER_ASSETS, name);
  if (provided !== undefined && assets.includes(name) && isExecutable(provided)) return resolve(provided);
  const { module } = sourceOf(name, env);
  return join(cacheFolder(env), 'binaries', cacheKey(module, filesOf(moduleFolder(module))), name);
}
