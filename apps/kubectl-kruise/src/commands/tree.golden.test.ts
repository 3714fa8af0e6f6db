/** What `tree` and `why` print, as transcripts. */
import { describe, expect, it } from '@jest/globals';
import { milliseconds } from '@kruise/objects';
import { eventually, goldenText } from '@kruise/testing';
import { ApiError } from '@kruise/kube';
import { FakeClock, type FakeApi } from '@kruise/kube/testing';
import { fakeApi, kruiseRun, seed, typeOf } from '../testing.ts';
import { Transcript } from '../transcript.testing.ts';

const golden = (name: string, text: string): void =>
  expect(text).toBe(goldenText(new URL(`./testdata/${name}.txt`, import.meta.url), text));

const app = { app: 'web' };
const main = (image: string): object => ({ name: 'main', image });

interface Cluster {
  readonly api: FakeApi;
  readonly uid: string;
  readonly addPod: (name: string, state?: object, more?: { readonly revision?: string; readonly conditions?: readonly object[] }) => void;
}

/** A CloneSet in the middle of an update, with a budget. */
function cluster(status: object = {}): Cluster {
  const api = fakeApi();
  const uid =
    seed(api, {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'CloneSet',
      metadata: { name: 'web', namespace: 'default', labels: app, generation: 2 },
      spec: {
        replicas: 3,
        selector: { matchLabels: app },
        template: { metadata: { labels: app }, spec: { containers: [main('nginx:2')] } },
      },
      status: {
        observedGeneration: 2,
        replicas: 3,
        readyReplicas: 2,
        availableReplicas: 2,
        updatedReplicas: 1,
        updateRevision: 'web-b',
        currentRevision: 'web-a',
        ...status,
      },
    }).metadata.uid ?? '';
  const ownerReferences = [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid, controller: true }];
  for (const [index, name] of ['web-a', 'web-b'].entries())
    seed(api, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name, namespace: 'default', labels: app, ownerReferences },
      revision: index + 1,
    });
  seed(api, {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: { matchLabels: app }, maxUnavailable: 1 },
    status: { currentAvailable: 2, desiredAvailable: 2, totalReplicas: 3, unavailableAllowed: 0 },
  });
  const addPod: Cluster['addPod'] = (name, state = { running: {} }, { revision = 'web-a', conditions = [] } = {}) => {
    const ready = 'running' in state;
    seed(api, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', labels: { ...app, 'controller-revision-hash': revision }, ownerReferences },
      spec: { nodeName: 'node-1', containers: [main('nginx:2')] },
      status: {
        phase: ready ? 'Running' : 'Pending',
        conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2020-01-01T00:00:00Z' }, ...conditions],
        containerStatuses: [{ name: 'main', image: 'nginx:2', ready, restartCount: 0, state }],
      },
    });
  };
  return { api, uid, addPod };
}

const pulling = { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "nginx:2": not found' } };

it('tree', async () => {
  const { api, addPod } = cluster();
  addPod('web-1');
  addPod('web-2');
  addPod('web-3', pulling, { revision: 'web-b' });
  const transcript = new Transcript(api);
  await transcript.run('tree clone/web');
  await transcript.run('tree clone web', { terminal: { columns: 40, rows: 24, color: false } });
  await transcript.run('tree pod/web-3 -o json');
  await transcript.run('tree clone/none');
  await transcript.run('tree clone');
  await transcript.run('tree clone/web -o yaml');
  await transcript.run('tree clone/web clone/other');
  golden('tree', transcript.text);
});

it('tree of a thousand Pods has at most 60 lines, and --all has all', async () => {
  const { api, addPod } = cluster();
  for (let index = 0; index < 1000; index++)
    addPod(`web-${index}`, index % 7 === 0 ? pulling : undefined, { revision: index % 3 === 0 ? 'web-b' : 'web-a' });
  const { out } = await kruiseRun(api, 'tree clone/web');
  golden('tree-thousand', out);
  expect((await kruiseRun(api, 'tree clone/web --all')).out.split('\n').length).toBeGreaterThan(2000);
});

describe('tree -w', () => {
  it('writes a line for each change into a pipe, without escape sequences, and ends with the object', async () => {
    const { api, addPod } = cluster();
    addPod('web-3', pulling, { revision: 'web-b' });
    const clock = new FakeClock();
    let out = '';
    const running = kruiseRun(api, 'tree clone/web -w', { clock, onOut: (text) => void (out = text) });
    await eventually(() => out.includes('ImagePullBackOff'));
    const first = out.length;
    addPod('web-4');
    await eventually(async () => {
      await clock.step(milliseconds(100));
      return out.length > first;
    });
    await api.delete(typeOf('CloneSet'), { namespace: 'default', name: 'web' });
    expect(await running).toMatchObject({ code: 1, err: 'error: object has been deleted\n' });
    expect(out.slice(first)).toMatch(/^\S+Z Revision web-a \/ Pod web-4: \+ Ready, 1\/1 ready, node-1$/m);
    expect(out).not.toContain('\u001B');
  });

  it('rewrites the changed lines of a terminal', async () => {
    const { api, addPod } = cluster();
    addPod('web-3', pulling, { revision: 'web-b' });
    const clock = new FakeClock();
    const stop = new AbortController();
    let out = '';
    const terminal = { columns: 60, rows: 30, color: true };
    const running = kruiseRun(api, 'tree clone/web -w', { clock, terminal, signal: stop.signal, onOut: (text) => void (out = text) });
    await eventually(() => out.includes('ImagePullBackOff'));
    const first = out.length;
    await api.patch(
      typeOf('Pod', ''),
      { namespace: 'default', name: 'web-3' },
      { metadata: { labels: { 'lifecycle.apps.kruise.io/state': 'Updating' } } },
      { type: 'merge' },
    );
    await eventually(async () => {
      await clock.step(milliseconds(100));
      return out.length > first;
    });
    stop.abort();
    expect((await running).code).toBe(130);
    expect(out.slice(first)).toMatch(
      /^\u001B\[\d+A\u001B\[2K│ .*Pod web-3.*\r\n\u001B\[\d+B$|^\u001B\[\d+A\u001B\[2K.*Pod web-3.*\r\n\u001B\[\d+B$/,
    );
  });
});

it('why', async () => {
  const { api, addPod } = cluster();
  addPod('web-1');
  addPod('web-2');
  addPod('web-3', pulling, { revision: 'web-b' });
  const transcript = new Transcript(api);
  await transcript.run('why clone/web');
  await transcript.run('why pod/web-3 -o json');
  await transcript.run('why pod/web-1');
  await transcript.run('why clone/none');
  await transcript.run('why clone');
  api.faults = {
    before: ({ verb, type }) => {
      if (verb === 'list' && type?.kind === 'Event')
        throw new ApiError('events is forbidden', { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });
    },
  };
  await transcript.run('why pod/web-1');
  golden('why', transcript.text);
});

it('why names a missing right once, however many reads need it', async () => {
  const { api, addPod } = cluster();
  addPod('web-1');
  for (const [name, nodeName] of [
    ['web-2', 'node-2'],
    ['web-3', 'node-3'],
  ] as const) {
    addPod(name, pulling, { revision: 'web-b' });
    await api.patch(typeOf('Pod', ''), { namespace: 'default', name }, { spec: { nodeName } }, { type: 'merge' });
  }
  api.faults = {
    before: ({ verb, type }) => {
      if (verb === 'list' && type?.kind === 'Node') throw new ApiError('no', { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });
    },
  };
  const { err } = await kruiseRun(api, 'why clone/web');
  expect(err).toBe('Warning: a cause may be hidden: you may not list nodes\n');
});
