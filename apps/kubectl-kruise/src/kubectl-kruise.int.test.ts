/** The plugin against a real API server: both versions of a kind, what is not installed, no rights, and a reader that leaves. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { binaryPath, programFile, startControlPlane, type ControlPlane } from '@kruise/testing';
import { cloneSetsPath, installCloneSets } from './cloneset-kind.testing.ts';

const main = programFile('kubectl-kruise');
let plane: ControlPlane;

interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the program as it is, with the words of a line. */
function kruise(line: string, options: { readonly kubeconfig?: string; readonly input?: string } = {}): Promise<Result> {
  return new Promise((resolve) => {
    const words = ['--disable-warning=ExperimentalWarning', main, ...line.split(' ')];
    const env = { ...process.env, KUBECONFIG: options.kubeconfig ?? plane.kubeconfigPath };
    const child = execFile(process.execPath, words, { env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, err });
    });
    child.stdin?.end(options.input);
  });
}

const template = (image: string, annotations: Readonly<Record<string, string>> = {}): object => ({
  metadata: { labels: { app: 'web' }, annotations },
  spec: { containers: [{ name: 'main', image, ports: [{ containerPort: 80, protocol: 'TCP' }] }] },
});

async function post(path: string, body: object): Promise<{ readonly metadata: { readonly uid: string } }> {
  return (await plane.api.request(path, { method: 'POST', body })) as { readonly metadata: { readonly uid: string } };
}

const patch = (path: string, body: unknown): Promise<unknown> =>
  plane.api.request(path, { method: 'PATCH', body, contentType: 'application/merge-patch+json' });

const held = async (name: string): Promise<unknown> => plane.api.request(`${cloneSetsPath}/${name}`);

beforeAll(async () => {
  plane = await startControlPlane();
  await installCloneSets(plane);
  const { metadata } = await post(cloneSetsPath, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: 'web' },
    spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: template('nginx:3', { added: 'later' }) },
  });
  for (const number of [1, 2, 3])
    await post('/apis/apps/v1/namespaces/default/controllerrevisions', {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        name: `web-${number}`,
        labels: { app: 'web' },
        ownerReferences: [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: metadata.uid, controller: true }],
      },
      revision: number,
      data: { spec: { template: { ...template(`nginx:${number}`, number === 3 ? { added: 'later' } : {}), $patch: 'replace' } } },
    });
});

afterAll(() => plane.stop());

describe('kubectl-kruise', () => {
  it('changes an object in the version that the server prefers and in an older one', async () => {
    expect(await kruise('set image clone/web main=nginx:4')).toEqual({
      code: 0,
      out: 'cloneset.apps.kruise.io/web image updated\n',
      err: '',
    });
    expect(await kruise('set env clonesets.v1alpha1.apps.kruise.io/web A=1')).toMatchObject({ code: 0, err: '' });
    expect(await held('web')).toMatchObject({
      spec: { template: { spec: { containers: [{ image: 'nginx:4', env: [{ name: 'A', value: '1' }] }] } } },
    });
    expect(await kruise('rollout pause clone/web')).toMatchObject({ code: 0, out: 'cloneset.apps.kruise.io/web paused\n' });
    expect(await kruise('rollout pause clone/web')).toMatchObject({
      code: 1,
      err: 'error: clonesets.apps.kruise.io "web" is already paused\n',
    });
    expect(await kruise('rollout resume clone/web -o jsonpath={.spec.updateStrategy.rollingUpdate.paused}')).toMatchObject({
      out: 'false',
    });
  });

  it('prints the history and restores exactly the recorded template', async () => {
    const history = 'cloneset.apps.kruise.io/web \nREVISION  CHANGE-CAUSE\n1         <none>\n2         <none>\n3         <none>\n\n';
    expect(await kruise('rollout history clone/web')).toEqual({ code: 0, out: history, err: '' });
    expect(await kruise('rollout undo clone/web --to-revision=2 --dry-run=server')).toMatchObject({
      out: 'cloneset.apps.kruise.io/web rolled back (server dry run)\n',
    });
    expect(await kruise('rollout undo clone/web --to-revision=2')).toMatchObject({
      code: 0,
      out: 'cloneset.apps.kruise.io/web rolled back\n',
    });
    const { metadata, spec } = (
      (await held('web')) as { readonly spec: { readonly template: { readonly metadata: object; readonly spec: object } } }
    ).spec.template;
    expect({ metadata, spec }).toMatchObject({ metadata: { labels: { app: 'web' } }, spec: { containers: [{ image: 'nginx:2' }] } });
    expect(metadata).not.toHaveProperty('annotations.added');
    expect(await kruise('rollout undo clone/web --to-revision=2')).toMatchObject({
      out: expect.stringContaining('skipped rollback (current template already matches revision 2)') as unknown,
    });
  });

  it('waits until a rollout is complete', async () => {
    const generation = ((await held('web')) as { readonly metadata: { readonly generation: number } }).metadata.generation;
    const status = {
      observedGeneration: generation,
      replicas: 3,
      updatedReplicas: 1,
      updatedReadyReplicas: 1,
      readyReplicas: 3,
      availableReplicas: 3,
      updateRevision: 'web-2',
    };
    await patch(`${cloneSetsPath}/web/status`, { status });
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'rollout', 'status', 'clone/web'], {
      env: { ...process.env, KUBECONFIG: plane.kubeconfigPath },
    });
    let out = '';
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const first = new Promise<void>((resolve) => child.stdout.setEncoding('utf8').on('data', (text: string) => ((out += text), resolve())));
    await first;
    await patch(`${cloneSetsPath}/web/status`, { status: { updatedReplicas: 3, updatedReadyReplicas: 3 } });
    expect(await ended).toBe(0);
    expect(out).toBe(
      'Waiting for partitioned roll out to finish: 1 out of 3 new pods have been updated...\nCloneSet rolling update complete 3 pods at revision web-2...\n',
    );
  });

  it('exposes a CloneSet, and reads objects from stdin', async () => {
    expect(await kruise('expose clone/web')).toEqual({ code: 0, out: 'service/web exposed\n', err: '' });
    const input = '{"apiVersion":"apps.kruise.io/v1alpha1","kind":"CloneSet","metadata":{"name":"web"}}';
    expect(await kruise('rollout restart -f -', { input })).toMatchObject({ code: 0, out: 'cloneset.apps.kruise.io/web restarted\n' });
    expect(await kruise('get all')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\nclonesets\.apps\.kruise\.io:\nNAME +DESIRED.*\nweb +3/) as unknown,
    });
  });

  it('says what is not installed, not there, not known, and which right is missing', async () => {
    const powerless = plane.kubeconfigFor('powerless');
    const [absent, missing, flag, forbidden, noServer, noContext] = await Promise.all([
      kruise('rollout restart ads/x'),
      kruise('rollout status clone/none'),
      kruise('rollout status clone/web --nope'),
      kruise('rollout history clone/web', { kubeconfig: powerless }),
      kruise('rollout history clone/web --server=https://127.0.0.1:1 --request-timeout=1s'),
      kruise('rollout history clone/web --context=none'),
    ]);
    expect(absent).toEqual({ code: 1, out: '', err: 'error: the server doesn\'t have a resource type "ads"\n' });
    expect(missing).toEqual({ code: 1, out: '', err: 'Error from server (NotFound): clonesets.apps.kruise.io "none" not found\n' });
    expect(flag).toEqual({ code: 1, out: '', err: "error: unknown flag: --nope\nSee 'kubectl-kruise rollout status --help' for usage.\n" });
    expect(forbidden).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^Error from server \(Forbidden\): clonesets\.apps\.kruise\.io "web" is forbidden: User "powerless" cannot get resource "clonesets"/,
      ) as unknown,
    });
    expect(noServer).toMatchObject({ code: 1, err: expect.stringMatching(/^Unable to connect to the server: /) as unknown });
    expect(noContext).toMatchObject({ code: 1, err: expect.stringContaining('no context "none"') as unknown });
  });

  it('completes for kubectl, which asks kubectl_complete-kruise of the PATH', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plugin-path-'));
    const script = (name: string, entry: string): void =>
      writeFileSync(join(folder, name), `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${entry}' "$@"\n`, {
        mode: 0o755,
      });
    const complete = (...words: readonly string[]): string =>
      execFileSync(binaryPath('kubectl'), ['__complete', 'kruise', ...words], {
        encoding: 'utf8',
        env: { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}`, KUBECONFIG: plane.kubeconfigPath },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    try {
      script('kubectl-kruise', main);
      expect(complete('rollout', 'sta')).not.toContain('status');
      script('kubectl_complete-kruise', join(import.meta.dirname, 'kubectl-complete.ts'));
      expect(complete('rollout', 'sta')).toMatch(/^status\t/m);
      expect(complete('rollout', 'status', 'clone/w')).toMatch(/^clone\/web$/m);
      expect(complete('rollout', 'status', '--time')).toMatch(/^--timeout\t/m);
      expect(complete('nothing', 'at', 'all')).not.toMatch(/status|web/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('ends without a word when nothing reads its output any more', async () => {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', main, 'rollout', 'history', 'clone/web', '-o', 'json'],
      { env: { ...process.env, KUBECONFIG: plane.kubeconfigPath } },
    );
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.stdout.destroy();
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(141);
    expect(err).toBe('');
  });
});
