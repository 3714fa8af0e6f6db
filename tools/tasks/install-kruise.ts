/** Builds the image from the sources, pushes it where the cluster pulls from, and installs or upgrades the chart with it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Progress } from '@kruise/testing';
import { parse } from 'yaml';
import { buildImage, type BuiltImage } from '../image/build-image.ts';
import { artifactOf } from '../image/oci.ts';
import { parseReference, push } from '../image/registry.ts';
import { runCommand } from './run-command.ts';
import { root } from './run-program.ts';

export interface InstallTarget {
  readonly kubeconfigPath: string;
  readonly helm: string;
  /** Where the image is pushed and how the nodes name it, without the tag, e.g. `127.0.0.1:5000/openkruise/kruise-manager`. */
  readonly repository: string;
  /** From {@link buildKruiseImage}, for a caller that builds it while the cluster starts; built here when absent. */
  readonly image?: BuiltImage;
  /** State folder of the local cluster; undefined for any other cluster. */
  readonly localFolder?: string;
  /** Turned on beside those of the chart. */
  readonly gates?: readonly string[];
  /** Of the managers, after those of the chart. */
  readonly managerArgs?: readonly string[];
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

const releaseName = 'kruise';
/** Where Helm keeps its own records; the namespace of Kruise is made by the chart. */
const releaseNamespace = 'default';
export const kruiseNamespace = 'kruise-system';

const installTimeoutSeconds = 300;

/** Whether there is a node daemon to install. */
const hasDaemon = (): boolean => existsSync(join(root, 'apps/daemon/src/main.ts'));

/** The values for the local cluster, which the quick start names as well. */
const localValuesFile = join(root, 'tools/cluster/kruise-values.yaml');

function daemonValues(localFolder: string | undefined): object {
  if (localFolder === undefined) return { namespace: 'kruise-daemon' };
  const { daemon } = parse(readFileSync(localValuesFile, 'utf8')) as { readonly daemon: object };
  return { ...daemon, socketLocation: localFolder };
}

function valuesOf(
  { repository, localFolder, gates = [], managerArgs = [] }: InstallTarget,
  tag: string,
): Readonly<Record<string, unknown>> {
  const image = { repository, tag };
  const manager = { image, livenessProbe: { enabled: true }, extraArgs: managerArgs };
  const featureGates = ['ImagePullJobGate', ...gates].map((gate) => `${gate}=true`).join(',');
  const tests = { enabled: true, timeout: '30s' };
  return hasDaemon()
    ? { manager, daemon: daemonValues(localFolder), featureGates, tests }
    : { manager, featureGates: `${featureGates},KruiseDaemon=false`, tests };
}

/** Builds the image from the sources; layers that have not changed are taken from the last time. */
export const buildKruiseImage = (progress: Progress): Promise<BuiltImage> =>
  progress.step('the image is built', () => buildImage({ root, cache: join(root, 'dist/image/layers'), out: join(root, 'dist') }));

/** The tag is the digest of the image, so that a node never runs an older one that it has pulled under the same name. */
async function pushImage({ repository, image, progress }: InstallTarget): Promise<string> {
  const built = image ?? (await buildKruiseImage(progress));
  const { absent } = built;
  if (absent.length > 0) progress.note(`not in the image, as it has no source yet: ${absent.join(', ')}`);
  const tag = `dev-${built.image.manifest.digest.replace('sha256:', '').slice(0, 12)}`;
  const reference = parseReference(`${repository}:${tag}`);
  if (reference === undefined) throw new Error(`${repository} is no repository: must be HOST[:PORT]/NAME`);
  await progress.step(`the image is in the registry as ${repository}:${tag}`, () => push(artifactOf([built]), reference));
  return tag;
}

/** @returns when the manager's replicas are ready */
export async function installKruise(target: InstallTarget): Promise<void> {
  const { kubeconfigPath, helm, progress, signal } = target;
  const tag = await pushImage(target);
  signal.throwIfAborted();
  const values = Object.entries(valuesOf(target, tag)).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const args = [
    ...['upgrade', '--install', releaseName, join(root, 'charts/kruise'), '--kubeconfig', kubeconfigPath],
    ...['--namespace', releaseNamespace, '--wait', '--timeout', `${installTimeoutSeconds}s`],
    ...values.flatMap((value) => ['--set-json', value]),
  ];
  await progress.step('the chart is installed and the manager is ready', () =>
    runCommand(helm, args, { signal, timeoutMs: (installTimeoutSeconds + 60) * 1000 }),
  );
}
