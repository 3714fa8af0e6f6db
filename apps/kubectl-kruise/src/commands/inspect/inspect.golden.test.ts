/** What `diff`, `top` and `logs` print, as transcripts. */
import { describe, expect, it } from '@jest/globals';
import { milliseconds } from '@kruise/objects';
import { eventually, goldenText } from '@kruise/testing';
import { ApiError } from '@kruise/kube';
import { FakeClock, type FakeApi } from '@kruise/kube/testing';
import type { KubectlHow, KubectlResult } from '../../session.ts';
import { fakeApi, kruiseRun, seed, servedTypes, typeOf } from '../../testing.ts';
import { Transcript } from '../../transcript.testing.ts';

const golden = (name: string, text: string): void =>
  expect(text).toBe(goldenText(new URL(`./testdata/${name}.txt`, import.meta.url), text));

const labels = { app: 'web' };
const template = (image: string, more: object = {}, metadata: object = {}): object => ({
  metadata: { labels, ...metadata },
  spec: { containers: [{ name: 'main', image, ...more }] },
});

interface Seeded {
  readonly api: FakeApi;
  readonly addPod: (name: string, more?: { readonly revision?: string; readonly restarts?: number; readonly started?: boolean }) => void;
}

const policy = { rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible' } };

/** A CloneSet with three revisions, in the middle of an update. */
function cluster(updateStrategy: object = policy, status: object = {}): Seeded {
  const api = fakeApi();
  const { uid = '' } = seed(api, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: 'web', namespace: 'default', labels, generation: 2 },
    spec: { replicas: 3, selector: { matchLabels: labels }, updateStrategy },
    status: {
      observedGeneration: 2,
      replicas: 3,
      readyReplicas: 2,
      updatedReplicas: 1,
      updateRevision: 'web-c',
      currentRevision: 'web-b',
      ...status,
    },
  }).metadata;
  const ownerReferences = [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid, controller: true }];
  const templates = [
    template('nginx:1', { env: [{ name: 'LEVEL', value: 'debug' }] }),
    template('nginx:1'),
    template('nginx:2', {}, { annotations: { team: 'shop\u001B[31m' } }),
  ];
  for (const [index, one] of templates.entries())
    seed(api, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: `web-${'abc'[index] ?? ''}`, namespace: 'default', labels, ownerReferences },
      revision: index + 1,
      data: { spec: { template: { ...one, $patch: 'replace' } } },
    });
  const addPod: Seeded['addPod'] = (name, { revision = 'web-b', restarts = 0, started = true } = {}) => {
    seed(api, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', labels: { ...labels, 'controller-revision-hash': revision }, ownerReferences },
      spec: {
        containers: [
          { name: 'main', image: 'nginx' },
          { name: 'side', image: 'busybox' },
        ],
      },
      status: {
        phase: 'Running',
        containerStatuses: started ? [{ name: 'main', restartCount: restarts, containerID: 'containerd://1' }] : [],
      },
    });
  };
  return { api, addPod };
}

it('diff', async () => {
  const { api } = cluster();
  const transcript = new Transcript(api);
  await transcript.run('diff clone/web');
  await transcript.run('diff clone web 1 2');
  await transcript.run('diff clone/web 1', { terminal: { columns: 40, rows: 24, color: true } });
  await transcript.run('diff clone/web --revision web-a,b -o json');
  await transcript.run('diff clone/web update 3');
  await transcript.run('diff clone/web 9');
  await transcript.run('diff clone/web 1 2 3');
  await transcript.run('diff clone/none');
  await transcript.run('diff clone/web -o yaml');
  await transcript.run('diff sidecarset/x');
  await transcript.run('diff -f web.yaml --server-side -n other', { kubectl: () => ({ code: 1, stdout: '' }) });
  golden('diff', transcript.text);
});

const forbid =
  (verb: string, kind: string) =>
  (call: { readonly verb: string; readonly type?: { readonly kind: string } | undefined }): void => {
    if (call.verb === verb && call.type?.kind === kind)
      throw new ApiError(`${kind} is forbidden`, { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });
  };

it('top', async () => {
  const { api, addPod } = cluster(policy, {
    conditions: [{ type: 'Blocked', status: 'True', reason: 'Paused', message: 'the update is paused' }],
  });
  addPod('web-1', { restarts: 2 });
  addPod('web-2', { restarts: 1 });
  seed(api, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: 'api', namespace: 'other', labels: { tier: 'back' }, generation: 1 },
    spec: { replicas: 1, selector: { matchLabels: { app: 'api' } } },
    status: { observedGeneration: 1, replicas: 1, readyReplicas: 1, updatedReplicas: 1 },
  });
  const measured = (name: string): void =>
    void seed(api, {
      apiVersion: 'metrics.k8s.io/v1beta1',
      kind: 'PodMetrics',
      metadata: { name, namespace: 'default' },
      containers: [{ name: 'main', usage: { cpu: '1500000n', memory: '3000Ki' } }],
    });
  for (const name of ['web-1', 'web-2', 'other']) measured(name);
  const transcript = new Transcript(api);
  await transcript.run('top clonesets');
  await transcript.run('top clone -A');
  await transcript.run('top clone -A', { terminal: { columns: 40, rows: 24, color: true } });
  await transcript.run('top clone -A -l tier=back', { terminal: { columns: 100, rows: 24, color: true } });
  await transcript.run('top clone web -o json');
  await transcript.run('top pods');
  await transcript.run('top clone', { types: servedTypes.filter(({ group }) => group !== 'metrics.k8s.io') });
  await transcript.run('top clone -n empty');
  await transcript.run('top clone,asts');
  await transcript.run('top');
  await transcript.run('top nothing');
  api.faults = { before: forbid('list', 'PodMetrics') };
  await transcript.run('top clone');
  api.faults = { before: forbid('list', 'Pod') };
  await transcript.run('top clone');
  api.faults = { before: forbid('list', 'CloneSet') };
  await transcript.run('top clone');
  golden('top', transcript.text);
});

describe('top -w', () => {
  const setReady = async (api: FakeApi, readyReplicas: number): Promise<void> =>
    void (await api.patch(
      typeOf('CloneSet'),
      { namespace: 'default', name: 'web' },
      { status: { readyReplicas } },
      { type: 'merge', subresource: 'status' },
    ));

  it('writes the lines that changed into a pipe', async () => {
    const { api } = cluster();
    const [clock, stop] = [new FakeClock(), new AbortController()];
    let out = '';
    const running = kruiseRun(api, 'top clone -w', { clock, signal: stop.signal, onOut: (text) => void (out = text) });
    await eventually(() => out.includes('2/3'));
    const first = out.length;
    await setReady(api, 3);
    await eventually(async () => {
      await clock.step(milliseconds(100));
      return out.length > first;
    });
    stop.abort();
    expect((await running).code).toBe(130);
    expect(out.slice(first)).toMatch(/^web +3\/3 +1\/3 +0 .*Progressing\n$/);
  });

  it('rewrites the changed lines of a terminal, and measures again', async () => {
    const { api, addPod } = cluster();
    addPod('web-1');
    const [clock, stop] = [new FakeClock(), new AbortController()];
    let out = '';
    const terminal = { columns: 100, rows: 24, color: false };
    const running = kruiseRun(api, 'top clone -w', { clock, terminal, signal: stop.signal, onOut: (text) => void (out = text) });
    await eventually(() => out.includes('2/3'));
    const first = out.length;
    seed(api, {
      apiVersion: 'metrics.k8s.io/v1beta1',
      kind: 'PodMetrics',
      metadata: { name: 'web-1', namespace: 'default' },
      containers: [{ name: 'main', usage: { cpu: '7m', memory: '1Mi' } }],
    });
    await eventually(async () => {
      await clock.step(milliseconds(5000));
      return out.length > first;
    });
    stop.abort();
    await running;
    expect(out.slice(first)).toMatch(/^\u001B\[1A\u001B\[2Kweb +2\/3 +1\/3 +0 +7m +1Mi +Progressing\r\n$/);
  });
});

const twoLines = (args: readonly string[]): KubectlResult => ({ code: 0, stdout: `${args[1] ?? ''} begins\nends\n` });

it('logs', async () => {
  const { api, addPod } = cluster();
  addPod('web-1');
  addPod('web-2', { revision: 'web-c' });
  addPod('web-3', { started: false });
  const transcript = new Transcript(api);
  await transcript.run('logs clone/web', { kubectl: twoLines });
  await transcript.run('logs clone/web --revision update --tail 2 --since 5m --timestamps', { kubectl: twoLines });
  await transcript.run('logs clone/web --revision current --prefix=false', { kubectl: twoLines });
  await transcript.run('logs web-1 -c main -f', { kubectl: twoLines });
  await transcript.run('logs clone/web -c none', { kubectl: twoLines });
  await transcript.run('logs clone/web --revision 7', { kubectl: twoLines });
  await transcript.run('logs clone/web -f --max-log-requests=1', { kubectl: twoLines });
  await transcript.run('logs clone/web --max-log-requests=0', { kubectl: twoLines });
  await transcript.run('logs clone/web', { kubectl: () => ({ code: 1, stdout: '' }) });
  await transcript.run('logs pod/web-3', { kubectl: twoLines });
  await transcript.run('logs clone/none');
  await transcript.run('logs clone');
  await transcript.run('logs sidecarset/x');
  api.faults = { before: forbid('list', 'Pod') };
  await transcript.run('logs clone/web');
  golden('logs', transcript.text);
});

describe('logs -f', () => {
  /** kubectl that prints one line, and runs until its signal. */
  const following = (ended: string[]) => async (args: readonly string[], _input: string | undefined, how: KubectlHow) => {
    how.onLine?.(`from ${args[1] ?? ''}`);
    await new Promise((resolve) => how.signal?.addEventListener('abort', resolve));
    ended.push(args[1] ?? '');
    return { code: 130, stdout: '' };
  };

  it('joins new Pods of the revision and restarted containers, and ends every kubectl with Ctrl-C', async () => {
    const { api, addPod } = cluster();
    addPod('web-1', { revision: 'web-c' });
    addPod('web-2');
    const [stop, ended] = [new AbortController(), [] as string[]];
    let out = '';
    const running = kruiseRun(api, 'logs clone/web -f --revision update --tail 1', {
      signal: stop.signal,
      onOut: (text) => void (out = text),
      kubectl: following(ended),
    });
    await eventually(() => out.includes('from web-1'));
    addPod('web-3');
    addPod('web-4', { revision: 'web-c' });
    await eventually(() => out.includes('from web-4'));
    stop.abort();
    const { code, kubectl, err } = await running;
    expect({ code, err, out }).toEqual({ code: 130, err: '', out: '[pod/web-1/main] from web-1\n[pod/web-4/main] from web-4\n' });
    expect(kubectl.map((words) => words.includes('--tail=1'))).toEqual([true, false]);
    expect(ended).toEqual(['web-1', 'web-4']);
  });

  it('reads more logs than --max-log-requests when others end', async () => {
    const { api, addPod } = cluster();
    addPod('web-1');
    const stop = new AbortController();
    const [first, second] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    let out = '';
    const running = kruiseRun(api, 'logs clone/web -f --max-log-requests 1', {
      signal: stop.signal,
      onOut: (text) => void (out = text),
      kubectl: async (args, _input, how) => {
        how.onLine?.('reads');
        await (args[1] === 'web-1' ? first : second).promise;
        return { code: 0, stdout: '' };
      },
    });
    await eventually(() => out.includes('web-1'));
    addPod('web-2');
    addPod('web-3');
    first.resolve(undefined);
    await eventually(() => out.includes('web-2'));
    stop.abort();
    second.resolve(undefined);
    expect((await running).err).toContain('more logs are read when others end; --max-log-requests is 1');
    expect(out).not.toContain('web-3');
  });

  it('ends when the workload is deleted', async () => {
    const { api, addPod } = cluster();
    addPod('web-1');
    let out = '';
    const running = kruiseRun(api, 'logs clone/web -f', { onOut: (text) => void (out = text), kubectl: twoLines });
    await eventually(() => out.includes('ends'));
    await api.delete(typeOf('CloneSet'), { namespace: 'default', name: 'web' });
    expect(await running).toMatchObject({ code: 1, err: 'error: object has been deleted\n' });
  });

  it('ends when kubectl cannot be run', async () => {
    const { api, addPod } = cluster();
    addPod('web-1');
    const kubectl = (): never => {
      throw new Error('kubectl is not in the PATH');
    };
    expect(await kruiseRun(api, 'logs clone/web -f', { kubectl })).toMatchObject({ code: 1, err: 'error: kubectl is not in the PATH\n' });
  });
});
