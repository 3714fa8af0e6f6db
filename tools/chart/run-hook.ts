/**
 * Runs the program of a Helm hook beside the cluster as the Job of the release runs it: with its command, its ServiceAccount, and no rights but
 * those that the release renders for it. Helm itself cannot run it, because no node of these tests has its image.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { eventually, programFile, shippedFlags, type ControlPlane } from '@kruise/testing';
import { parseAllDocuments } from 'yaml';
import { plainHelm, type Rendered } from './render.ts';

/** How the program ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface JobSpec {
  readonly template: {
    readonly spec: { readonly serviceAccountName: string; readonly containers: readonly [{ readonly command: readonly string[] }] };
  };
}

/** What a hook has while it runs. */
interface HookSession {
  /** Of the ServiceAccount of the Job, by a token as the kubelet mounts it. */
  readonly kubeconfigPath: string;
  /** Of the container, without the program. */
  readonly args: readonly string[];
}

const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** Path of the objects of a kind that the hooks of the chart have. */
const collectionOf = ({ kind, metadata }: Rendered): string => {
  if (kind === 'ServiceAccount') return `/api/v1/namespaces/${metadata.namespace}/serviceaccounts`;
  if (kind === 'ClusterRole' || kind === 'ClusterRoleBinding') return `${rbac}/${kind.toLowerCase()}s`;
  throw new Error(`a hook of the chart has a ${kind}, which this function does not create`);
};

async function hooksOf(plane: ControlPlane, event: string): Promise<readonly Rendered[]> {
  const text = await plainHelm(['get', 'hooks', 'kruise'], plane.kubeconfigPath);
  return parseAllDocuments(text, { version: '1.1' })
    .flatMap((document) => (document.contents === null ? [] : [document.toJS() as Rendered]))
    .filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === event);
}

/** The API server takes a moment to see new roles. A Job starts later than that. */
async function untilGranted(plane: ControlPlane, user: string, role: Rendered): Promise<void> {
  const { apiGroups, resources, resourceNames, verbs } = (role['rules'] as readonly [Rule])[0];
  const name = resourceNames === undefined ? {} : { name: resourceNames[0] };
  const resourceAttributes = { group: apiGroups[0], resource: resources[0], verb: verbs[0], ...name };
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec: { user, resourceAttributes } };
  await eventually(async () => {
    const review = await plane.api.request('/apis/authorization.k8s.io/v1/subjectaccessreviews', { method: 'POST', body });
    return (review as { readonly status: { readonly allowed: boolean } }).status.allowed;
  });
}

async function tokenKubeconfig(plane: ControlPlane, namespace: string, account: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status } = (await plane.api.request(path, { method: 'POST', body })) as { readonly status: { readonly token: string } };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: plane.server, 'certificate-authority': join(plane.pki.folder, 'ca.crt') } }],
    users: [{ name: account, user: { token: status.token } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: account } }],
    'current-context': 'c',
  };
  const file = join(plane.dir, `${account}.kubeconfig`);
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

/**
 * Creates the objects of a hook of the installed release, lets `work` act with its rights, and deletes them again.
 *
 * @throws when the release has no such hook
 */
async function withHook<T>(
  plane: ControlPlane,
  event: 'pre-delete' | 'post-upgrade',
  work: (session: HookSession) => Promise<T>,
): Promise<T> {
  const hooks = await hooksOf(plane, event);
  const [job, role] = [hooks.find(({ kind }) => kind === 'Job'), hooks.find(({ kind }) => kind === 'ClusterRole')];
  if (job === undefined || role === undefined) throw new Error(`the release has no hook ${event}`);
  const { serviceAccountName, containers } = (job['spec'] as JobSpec).template.spec;
  const namespace = job.metadata.namespace ?? '';
  const created: string[] = [];
  try {
    for (const object of hooks.filter(({ kind }) => kind !== 'Job')) {
      await plane.api.request(collectionOf(object), { method: 'POST', body: object });
      created.push(`${collectionOf(object)}/${object.metadata.name}`);
    }
    await untilGranted(plane, `system:serviceaccount:${namespace}:${serviceAccountName}`, role);
    const kubeconfigPath = await tokenKubeconfig(plane, namespace, serviceAccountName);
    return await work({ kubeconfigPath, args: containers[0].command.slice(1) });
  } finally {
    for (const path of created.toReversed()) await plane.api.request(path, { method: 'DELETE' });
  }
}

/** Runs the program of the hooks. */
export const runHookProgram = (kubeconfigPath: string, args: readonly string[]): Promise<Ended> =>
  promisify(execFile)(process.execPath, [...shippedFlags('helm_hook'), programFile('helm-hook'), ...args], {
    env: { ...process.env, NODE_OPTIONS: '', KUBECONFIG: kubeconfigPath },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: Ended) => error,
  );

/** Runs a hook of the installed release. */
export const runHook = (plane: ControlPlane, event: 'pre-delete' | 'post-upgrade'): Promise<Ended> =>
  withHook(plane, event, ({ kubeconfigPath, args }) => runHookProgram(kubeconfigPath, args));

/** As {@link runHook}, but runs a part of the program, for tests that do not wait for its clock. */
export const asHook = <T>(plane: ControlPlane, event: 'pre-delete' | 'post-upgrade', work: (client: Client) => Promise<T>): Promise<T> =>
  withHook(plane, event, async ({ kubeconfigPath }) => {
    const client = createClient(loadClusterConfig({ path: kubeconfigPath }), { userAgent: 'kruise-helm-hook' });
    try {
      return await work(client);
    } finally {
      client.close();
    }
  });
