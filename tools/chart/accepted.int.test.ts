/** Every object that the chart renders from unusual values is accepted by a real API server, and is rendered once. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { gateTable } from '@kruise/api';
import { ensureBinaries, silent, startControlPlane, type ControlPlane } from '@kruise/testing';
import { parseAllDocuments } from 'yaml';
import { chartFolder, helm, valueFlags, type Rendered, type Values } from './render.ts';

/** As Helm allows it. */
const longestRelease = 'r'.repeat(53);
const everything: Values = {
  'crds.migrateStorage.enabled': true,
  'tests.enabled': true,
  'networkPolicy.enabled': true,
  'manager.metrics.service.enabled': true,
  'daemon.windowsImage.repository': 'example/agent-win',
};

interface Case {
  readonly name: string;
  readonly values: Values;
  readonly release?: string;
  /** Of the release, not of the installation. */
  readonly namespace?: string;
}

const cases: readonly Case[] = [
  { name: 'no replicas', values: { 'manager.replicas': 0 } },
  {
    name: 'every gate off',
    values: {
      featureGates: Object.keys(gateTable)
        .map((gate) => `${gate}=false`)
        .join(','),
    },
  },
  { name: 'every gate on', values: { featureGates: 'AllAlpha=true,AllBeta=true' } },
  { name: 'a release with the longest name', values: {}, release: longestRelease },
  { name: 'a release in another namespace', values: {}, namespace: 'releases' },
  {
    name: 'image pull secrets, for the hooks as well',
    values: { imagePullSecrets: [{ name: 'a' }], 'helmHooks.imagePullSecrets': [{ name: 'a' }, { name: 'b' }] },
  },
  { name: 'a registry at an IPv6 address', values: { 'global.imageRegistry': '[fd00::1]:5000', 'manager.hostNetwork': true } },
  { name: 'one namespace for everything', values: { 'daemon.configNamespace': 'kruise-system' } },
  { name: 'one namespace for all of the agents', values: { 'daemon.namespace': 'agents', 'daemon.configNamespace': 'agents' } },
  {
    name: 'the smallest installation',
    values: { preset: 'small', 'helmHooks.enabled': false, 'manager.podDisruptionBudget.enabled': false },
  },
  {
    name: 'null in place of defaults',
    values: Object.fromEntries(
      ['manager.resources', 'manager.affinity', 'daemon.resources', 'daemon.affinity', 'daemon.nodeSelector'].map((path) => [path, null]),
    ),
  },
  { name: 'external certificates', values: { featureGates: 'EnableExternalCerts=true', 'externalCerts.annotations': { a: 'b' } } },
];

let plane: ControlPlane;
let kubectl: string;

beforeAll(async () => {
  ({ kubectl } = await ensureBinaries(['helm', 'kubectl'], silent));
  plane = await startControlPlane();
  for (const name of ['kruise-system', 'kruise-daemon-config', 'agents', 'releases'])
    await plane.api.request('/api/v1/namespaces', { method: 'POST', body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } });
});
afterAll(() => plane.stop());

/** Applies objects without storing them. @returns what kubectl says about faults */
async function faultsOf(manifest: string): Promise<string> {
  const args = ['--kubeconfig', plane.kubeconfigPath, 'apply', '--server-side', '--dry-run=server', '-f', '-'];
  const child = spawn(kubectl, args, { stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.end(manifest);
  return text(child.stderr);
}

const keyOf = ({ kind, metadata }: Rendered): string => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;

it.each(cases)('with $name', async ({ values, release = 'kruise', namespace = 'default' }) => {
  const flags = valueFlags({ ...everything, 'crds.managed': false, ...values });
  const manifest = await helm(['template', release, chartFolder, '--namespace', namespace, '--kube-version', '1.34.0', ...flags]);
  const keys = parseAllDocuments(manifest).flatMap((document) => (document.contents === null ? [] : [keyOf(document.toJS() as Rendered)]));
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  expect(await faultsOf(manifest)).toBe('');
});
