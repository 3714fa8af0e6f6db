/** A control plane with simulated nodes on which the generated manifests are installed, as far as a manager outside of the cluster needs them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlPlane, startControlPlane } from '@kruise/testing';
import { parseAllDocuments } from 'yaml';

/** A manifest; only what is looked at here. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const deployFolder = join(import.meta.dirname, '../../../../deploy');

const paths: Readonly<Record<string, string>> = {
  CustomResourceDefinition: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  MutatingWebhookConfiguration: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  ValidatingWebhookConfiguration: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
};

/** Every generated CRD and webhook configuration. */
function generatedManifests(): readonly Manifest[] {
  const files = readdirSync(deployFolder, { recursive: true, encoding: 'utf8' }).filter((file) => /generated\/.*\.yaml$/.test(file));
  const all = files.flatMap((file) =>
    parseAllDocuments(readFileSync(join(deployFolder, file), 'utf8')).map((doc) => doc.toJS() as unknown),
  );
  const wanted = (value: unknown): value is Manifest => paths[(value as Manifest | null)?.kind ?? ''] !== undefined;
  return [...new Map(all.filter(wanted).map((manifest) => [`${manifest.kind}/${manifest.metadata.name}`, manifest])).values()];
}

/** A wait ends as soon as its condition holds, so only a fault takes this long, however slow the machine. */
const longestWaitMs = 120_000;

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + longestWaitMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not so after ${longestWaitMs} ms`);
    await sleep(50);
  }
}

export interface InstallOptions {
  /** Nodes played by the simulated kubelet; 3 unless told. */
  readonly simulatedNodes?: number;
  /** The controllers and the scheduler of Kubernetes; true unless told. */
  readonly controllers?: boolean;
  /** Added to the API server's command line. */
  readonly apiServerFlags?: readonly string[];
  /** Changes a manifest before it is installed; one for which it returns nothing is left out. */
  readonly edit?: (manifest: Manifest) => Manifest | undefined;
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
  edit = (same) => same,
}: InstallOptions = {}): Promise<ControlPlane> {
  const simulation = { startDelayMs: 50, stopDelayMs: 50 };
  const plane = await startControlPlane({ controllers, simulatedNodes, apiServerFlags, simulation });
  try {
    const created = { metadata: { name: 'kruise-system', labels: { 'control-plane': 'controller-manager' } } };
    await plane.api.request('/api/v1/namespaces', { method: 'POST', body: created });
    const installed = generatedManifests().flatMap((manifest) => edit(manifest) ?? []);
    for (const manifest of installed) await plane.api.request(paths[manifest.kind] ?? '', { method: 'POST', body: manifest });
    const crdNames = installed.filter(({ kind }) => kind === 'CustomResourceDefinition').map(({ metadata }) => metadata.name);
    await until('the installed kinds are served', () => areServed(plane, crdNames));
    return plane;
  } catch (error) {
    await plane.stop();
    throw error;
  }
}
