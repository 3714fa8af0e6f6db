/** Finds the cluster's binaries in a cache outside of the tree, and builds what is missing from the Go modules that the project pins. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { withProcessLock } from './process-lock.ts';
import { type Progress } from './progress.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The Kubernetes release that control planes and clusters run. */
export const kubernetesVersion = '1.34.4';

interface Module {
  /** Folder below `tools/cluster/binaries`. */
  readonly folder: string;
  readonly version: string;
}

interface Source {
  readonly module: Module;
  /** Go package of the command. */
  readonly package: string;
  /** Linker flags beside `-s -w`. */
  readonly stamp?: readonly string[];
}

const kubernetes: Module = { folder: 'control-plane', version: kubernetesVersion };

function kubernetesStamp(version: string): readonly string[] {
  const base = 'k8s.io/component-base/version';
  const [major = '', minor = ''] = version.split('.');
  const values = {
    [`${base}.gitVersion`]: `v${version}`,
    [`${base}.gitMajor`]: major,
    [`${base}.gitMinor`]: minor,
    [`${base}.gitTreeState`]: 'clean',
  };
  return Object.entries({ ...values, 'k8s.io/client-go/pkg/version.gitVersion': `v${version}` }).map(
    ([name, value]) => `-X ${name}=${value}`,
  );
}

const kubernetesCommand = (name: string): Source => ({
  module: kubernetes,
  package: `k8s.io/kubernetes/cmd/${name}`,
  stamp: kubernetesStamp(kubernetesVersion),
});

const sources = {
  etcd: { module: kubernetes, package: 'go.etcd.io/etcd/server/v3' },
  'kube-apiserver': kubernetesCommand('kube-apiserver'),
  kubectl: kubernetesCommand('kubectl'),
  'kube-controller-manager': kubernetesCommand('kube-controller-manager'),
  'kube-scheduler': kubernetesCommand('kube-scheduler'),
  'kube-proxy': kubernetesCommand('kube-proxy'),
  kubelet: kubernetesCommand('kubelet'),
  agnhost: { module: kubernetes, package: 'k8s.io/kubernetes/test/images/agnhost' },
  helm: { module: { folder: 'helm', version: '3.19.2' }, package: 'helm.sh/helm/v3/cmd/helm' },
  pause: { module: { folder: 'pause', version: '1' }, package: '.' },
} as const satisfies Readonly<Record<string, Source>>;

/** A program that a cluster needs, by its file name. */
export type BinaryName = keyof typeof sources;

/** Those that `KUBEBUILDER_ASSETS` may provide. */
const assets: readonly BinaryName[] = ['etcd', 'kube-apiserver', 'kubectl'];

/** What the build depends on beside the module's files. */
const buildEnv = { CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' };

/** `${KRUISE_CACHE:-${XDG_CACHE_HOME:-~/.cache}/kruise}`: everything in it can be made again. */
export function cacheFolder(env: Env = process.env): string {
  return resolve(env.KRUISE_CACHE ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kruise'));
}

const modulesFolder = (): string => resolve(import.meta.dirname, '../../../../tools/cluster/binaries');

/**
 * Names a folder of binaries after all that decides their content.
 *
 * @param files name and text of the module's files, in any order
 * @returns e.g. `control-plane-1.34.4-linux-x64-0123456789abcdef`
 */
export function cacheKey(module: Module, files: ReadonlyMap<string, string>, platform = `${process.platform}-${process.arch}`): string {
  const hash = createHash('sha256').update(JSON.stringify([module.version, platform, buildEnv]));
  for (const name of [...files.keys()].sort()) hash.update(`\0${name}\0${files.get(name)}`);
  return `${module.folder}-${module.version}-${platform}-${hash.digest('hex').slice(0, 16)}`;
}

function moduleFiles(folder: string): ReadonlyMap<string, string> {
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

async function hasGo(env: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    await promisify(execFile)('go', ['version'], { env });
    return true;
  } catch {
    return false;
  }
}

async function goBuild(source: Source, out: string, env: NodeJS.ProcessEnv): Promise<void> {
  const flags = ['build', '-trimpath', '-ldflags', ['-s', '-w', ...(source.stamp ?? [])].join(' '), '-o', out, source.package];
  const go = spawn('go', flags, {
    cwd: join(modulesFolder(), source.module.folder),
    env: { ...env, ...buildEnv },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  go.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4_000)));
  const [code] = await new Promise<[number | null]>((done, fail) =>
    go.once('error', fail).once('close', (status: number | null) => done([status])),
  );
  if (code !== 0) throw new Error(`go build ${source.package} failed:\n${said.trim()}`);
}

/** Where a binary is or will be, without building it. */
export function binaryPath(name: BinaryName, env: Env = process.env): string {
  const provided = env.KUBEBUILDER_ASSETS === undefined ? undefined : join(env.KUBEBUILDER_ASSETS, name);
  if (provided !== undefined && assets.includes(name) && isExecutable(provided)) return resolve(provided);
  const module = sources[name].module;
  return join(cacheFolder(env), 'binaries', cacheKey(module, moduleFiles(join(modulesFolder(), module.folder))), name);
}

async function build(name: BinaryName, path: string, progress: Progress, env: NodeJS.ProcessEnv): Promise<void> {
  const source: Source = sources[name];
  if (!(await hasGo(env))) {
    throw new Error(
      `${name} ${source.module.version} is not in the cache (${path}) and Go, which builds it, is not installed: install Go 1.24 or newer` +
        (assets.includes(name) ? `, or set KUBEBUILDER_ASSETS to a folder with ${assets.join(', ')}` : ''),
    );
  }
  const folder = resolve(path, '..');
  mkdirSync(folder, { recursive: true });
  const temporary = join(folder, `.${name}.${process.pid}.new`);
  progress.note(`building ${name} ${source.module.version} (minutes the first time)…`);
  try {
    await progress.step(`built ${name}`, () => goBuild(source, temporary, env));
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/**
 * Makes sure that the named binaries exist.
 *
 * @returns their paths
 * @remarks Missing ones are built one after the other. Safe when several processes call it: they share a lock, and a binary appears under
 * its name only when it is complete. Cache entries never leave by themselves; the folder may be removed at any time.
 */
export async function ensureBinaries<N extends BinaryName>(
  names: readonly N[],
  progress: Progress,
  env: Env = process.env,
): Promise<Readonly<Record<N, string>>> {
  const paths = Object.fromEntries(names.map((name) => [name, binaryPath(name, env)])) as Record<N, string>;
  const missing = names.filter((name) => !existsSync(paths[name]));
  if (missing.length === 0) return paths;
  const lock = join(cacheFolder(env), 'binaries', '.lock');
  await withProcessLock(
    lock,
    () => progress.note('another process builds binaries: waiting for it…'),
    async () => {
      for (const name of missing) if (!existsSync(paths[name])) await build(name, paths[name], progress, { ...process.env, ...env });
    },
  );
  return paths;
}
