/** `tree`, `why` and `plan` against a real API server: lists and watches by selector, both directions of a pipe, dry runs, and missing rights. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, programFile, startControlPlane, type ControlPlane } from '@kruise/testing';
import { cloneSetsPath, installCloneSets } from './cloneset-kind.testing.ts';

const main = programFile('kubectl-kruise');
const words = (line: string): readonly string[] => ['--disable-warning=ExperimentalWarning', main, ...line.split(' ')];
let plane: ControlPlane;

interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function kruise(line: string, kubeconfig = plane.kubeconfigPath): Promise<Result> {
  return new Promise((resolve) => {
    execFile(process.execPath, words(line), { env: { ...process.env, KUBECONFIG: kubeconfig } }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, err });
    });
  });
}

interface Held {
  readonly metadata: { readonly uid: string };
}

const post = async (path: string, body: object): Promise<Held> => (await plane.api.request(path, { method: 'POST', body })) as Held;
const patch = (path: string, body: unknown): Promise<unknown> =>
  plane.api.request(path, { method: 'PATCH', body, contentType: 'application/merge-patch+json' });

const namespace = '/api/v1/namespaces/default';
const labels = { app: 'web' };
const since = '2020-01-01T00:00:00Z';
let owner: object;

async function addPod(name: string, revision: string, state: object): Promise<void> {
  const ready = 'running' in state;
  await post(`${namespace}/pods`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { ...labels, 'controller-revision-hash': revision }, ownerReferences: [owner] },
    spec: { containers: [{ name: 'main', image: 'nginx:2' }], automountServiceAccountToken: false },
  });
  await patch(`${namespace}/pods/${name}/status`, {
    status: {
      phase: ready ? 'Running' : 'Pending',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: since }],
      containerStatuses: [{ name: 'main', image: 'nginx:2', imageID: '', ready, restartCount: 0, state }],
    },
  });
}

const running = { running: { startedAt: since } };
const pulling = { waiting: { reason: 'ErrImagePull', message: 'nginx:2: not found' } };

beforeAll(async () => {
  plane = await startControlPlane();
  await installCloneSets(plane);
  await eventually(() =>
    plane.api.request(`${namespace}/serviceaccounts/default`).then(
      () => true,
      () =>
        post(`${namespace}/serviceaccounts`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }).then(() => true),
    ),
  );
  const { metadata } = await post(cloneSetsPath, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx:2' }] } },
    },
  });
  owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: metadata.uid, controller: true };
  for (const number of [1, 2])
    await post('/apis/apps/v1/namespaces/default/controllerrevisions', {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: `web-${number}`, labels, ownerReferences: [owner] },
      revision: number,
      data: {},
    });
  const status = {
    observedGeneration: 1,
    replicas: 2,
    readyReplicas: 1,
    availableReplicas: 1,
    updatedReplicas: 1,
    updatedReadyReplicas: 0,
    updateRevision: 'web-2',
    currentRevision: 'web-1',
  };
  await patch(`${cloneSetsPath}/web/status`, { status });
  await addPod('web-a', 'web-1', running);
  await addPod('web-b', 'web-2', pulling);
});

afterAll(() => plane.stop());

describe('tree', () => {
  it('shows revisions, Pods and containers, and says nothing of kinds that are not installed', async () => {
    expect(await kruise('tree clone/web')).toEqual({
      code: 0,
      out: [
        'CloneSet web  Progressing, 1/2 ready, 1 updated',
        '├─ Revision web-2  update, 1 Pod',
        '│  └─ Pod web-b  ErrImagePull, 0/1 ready',
        '│     └─ main  ErrImagePull, nginx:2',
        '└─ Revision web-1  current, 1 Pod',
        '   └─ Pod web-a  Ready, 1/1 ready',
        '      └─ main  Running, nginx:2',
        '',
      ].join('\n'),
      err: '',
    });
  });

  it('follows changes as lines into a pipe', async () => {
    const child = spawn(process.execPath, [...words('tree clone/web -w')], { env: { ...process.env, KUBECONFIG: plane.kubeconfigPath } });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    await eventually(() => out.includes('web-a'));
    await addPod('web-c', 'web-2', running);
    await eventually(() => /Z Revision web-2 \/ Pod web-c: .*Ready, 1\/1 ready$/m.test(out));
    expect(out).not.toContain('\u001B');
    child.kill('SIGINT');
    expect(await ended).toBe(130);
  });
});

describe('why', () => {
  it('names the cause, where it is seen, and the next step', async () => {
    expect(await kruise('why clone/web')).toEqual({
      code: 1,
      out: expect.stringMatching(
        /^ImageNotFound: container main of Pod web-b cannot pull image nginx:2\n {2}seen in: Pod web-b, .*not found\n {2}next: /,
      ) as unknown,
      err: '',
    });
    expect(await kruise('why pod/web-a')).toEqual({ code: 0, out: 'Sound: Pod web-a is ready\n', err: '' });
  });

  it('says which right is missing, and that the answer is unknown', async () => {
    const user = 'reader';
    await post('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: user },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    });
    await post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: user },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    });
    await eventually(async () => (await kruise('why pod/web-a', plane.kubeconfigFor(user))).out === 'Sound: Pod web-a is ready\n');
    expect(await kruise('why pod/web-a', plane.kubeconfigFor(user))).toMatchObject({
      code: 2,
      err: 'Warning: a cause may be hidden: you may not list events in namespace default\n',
    });
    expect(await kruise('why clone/web', plane.kubeconfigFor(user))).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot get resource') as unknown,
    });
  });
});

describe('plan', () => {
  it('predicts the Pods of a file by a dry run, which stores nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'plan-'));
    try {
      const file = join(folder, 'other.json');
      const template = { metadata: { labels: { app: 'other' } }, spec: { containers: [{ name: 'main', image: 'nginx:2' }] } };
      const spec = { replicas: 2, selector: { matchLabels: { app: 'other' } }, template };
      await writeFile(file, JSON.stringify({ apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', metadata: { name: 'other' }, spec }));
      expect(await kruise(`plan -f ${file} --feature-gates PodWebhook=true`)).toEqual({
        code: 0,
        out: expect.stringMatching(
          /^CloneSet other is created: 2 Pods created\n {2}Batch 1: 2 Pods created\nEnds: all Pods are up to date\n/,
        ) as unknown,
        err: '',
      });
      await expect(plane.api.request(`${cloneSetsPath}/other`)).rejects.toThrow();
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
