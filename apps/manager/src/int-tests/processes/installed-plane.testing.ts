/** A control plane with simulated nodes on which the generated manifests are installed, as far as a manager outside of the cluster needs them. */
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type ControlPlane, sharedFolder, startControlPlane } from '@kruise/testing';
import { parseAllDocuments } from 'yaml';

/** A manifest; only what is looked at here. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const deployFolder = join(import.meta.dirname, '../../../../../deploy');

const paths: Readonly<Record<string, string>> = {
  Namespace: '/api/v1/namespaces',
  CustomResourceDefinition: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  MutatingWebhookConfiguration: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  ValidatingWebhookConfiguration: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
};

function parseManifests(): readonly Manifest[] {
  const files = readdirSync(deployFolder, { recursive: true, encoding: 'utf8' }).filter((file) => /generated\/.*\.yaml$/.test(file));
  const all = files.flatMap((file) =>
    parseAllDocuments(readFileSync(join(deployFolder, file), 'utf8')).map((doc) => doc.toJS() as unknown),
  );
  const wanted = (value: unknown): value is Manifest =>
    /^(CustomResourceDefinition|.*WebhookConfiguration)$/.test((value as Manifest | null)?.kind ?? '');
  return [...new Map(all.filter(wanted).map((manifest) => [`${manifest.kind}/${manifest.metadata.name}`, manifest])).values()];
}

/** A wait ends as soon as its condition holds, so only a fault takes this long, however slow the machine. */
const longestWaitMs = 120_000;

/** Every generated CRD and webhook configuration. A run parses the YAML once. */
function generatedManifests(): readonly Manifest[] {
  if (sharedFolder === undefined) return parseManifests();
  const file = join(sharedFolder, 'manifests.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as readonly Manifest[];
  const manifests = parseManifests();
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(manifests));
  renameSync(`${file}.${process.pid}`, file);
  return manifests;
}

const isCrd = ({ kind }: Manifest): boolean => kind === 'CustomResourceDefinition';

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + longestWaitMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not so after ${longestWaitMs} ms`);
    await sleep(50);
  }
}

export interface InstallOptions {
  /** Nodes of the simulated kubelet; 3 by default. */
  readonly simulatedNodes?: number;
  /** The controllers and the scheduler of Kubernetes; true by default. */
  readonly controllers?: boolean;
  /** Added to the API server's command line. */
  readonly apiServerFlags?: readonly string[];
  /** Added to the command line of kube-controller-manager. */
  readonly controllerManagerFlags?: readonly string[];
  /** Changes a manifest before it is installed; one for which it returns nothing is omitted. */
  readonly edit?: (manifest: Manifest) => Manifest | undefined;
}

const systemNamespace: Manifest & object = {
  kind: 'Namespace',
  metadata: { name: 'kruise-system', labels: { 'control-plane': 'controller-manager' } } as Manifest['metadata'],
};

async function install(plane: ControlPlane, manifests: readonly Manifest[]): Promise<void> {
  for (const manifest of manifests) await plane.api.request(paths[manifest.kind] ?? '', { method: 'POST', body: manifest });
}

/** Whether the API server knows all kinds of group apps.kruise.io among these CRDs. */
async function areServed(plane: ControlPlane, crdNames: readonly string[]): Promise<boolean> {
  const answers = ['v1alpha1', 'v1beta1'].map((version) => plane.api.request(`/apis/apps.kruise.io/${version}`).catch(() => undefined));
  const known = JSON.stringify(await Promise.all(answers));
  return crdNames.every((name) => !name.endsWith('.apps.kruise.io') || known.includes(`"${name.split('.', 1)[0]}"`));
}

/** @returns the control plane with everything installed and served; stop it at the end */
export async function startInstalledPlane({
  simulatedNodes = 3,
  controllers = true,
  apiServerFlags = [],
  controllerManagerFlags = [],
  edit = (same) => same,
}: InstallOptions = {}): Promise<ControlPlane> {
  const simulation = { startDelayMs: 50, stopDelayMs: 50 };
  const manifests = generatedManifests();
  const installed = manifests.flatMap((manifest) => edit(manifest) ?? []);
  const [crds, others] = [installed.filter(isCrd), installed.filter((manifest) => !isCrd(manifest))];
  const isAsGenerated = isDeepStrictEqual(crds, manifests.filter(isCrd));
  // The first plane of a run installs the CRDs; those that come later start with what it stored.
  const stored = sharedFolder === undefined || !isAsGenerated ? undefined : join(sharedFolder, 'etcd-with-crds');
  const hasCrds = stored !== undefined && existsSync(stored);
  const etcdData = hasCrds ? { etcdData: stored } : {};
  const crdNames = crds.map(({ metadata }) => metadata.name);
  const prepare = async (plane: ControlPlane): Promise<void> => {
    if (!hasCrds) await install(plane, [systemNamespace, ...crds]);
    await until('the installed kinds are served', () => areServed(plane, crdNames));
    if (stored !== undefined && !hasCrds) plane.copyEtcd(stored);
  };
  const flags = { apiServerFlags, controllerManagerFlags };
  const plane = await startControlPlane({ controllers, simulatedNodes, ...flags, simulation, prepare, ...etcdData });
  try {
    await install(plane, others);
    return plane;
  } catch (error) {
    await plane.stop();
    throw error;
  }
}
