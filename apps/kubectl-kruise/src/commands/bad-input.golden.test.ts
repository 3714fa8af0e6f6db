/** What every command says and answers when the cluster fails it: the exit code and stderr. */
import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import { FakeClock, type FakeApi, type FakeCall } from '@kruise/kube/testing';
import { milliseconds } from '@kruise/objects';
import { eventually, goldenText } from '@kruise/testing';
import type { Command } from '../cli/command.ts';
import { displayWidth } from '../print/display-width.ts';
import { pipeClosed } from '../run-program.ts';
import { fakeApi, kruiseRun, seed, servedTypes, typeOf, type RunOptions, type RunResult } from '../testing.ts';
import { rootCommand } from './table.ts';

/** A line for every command that uses a cluster. */
const lines: Readonly<Record<string, string>> = {
  'create job': 'create job one --from=acj/cron',
  'create broadcastJob': 'create bcj one --from=acj/cron',
  'create ContainerRecreateRequest': 'create crr restart --pod=web-1',
  expose: 'expose clone/web --port=80 --name=other',
  exec: 'exec clone/web -- date',
  tree: 'tree clone/web',
  why: 'why clone/web',
  plan: 'plan -f -',
  top: 'top clonesets',
  logs: 'logs clone/web',
  check: 'check',
  'rollout history': 'rollout history clone/web',
  'rollout pause': 'rollout pause clone/web',
  'rollout restart': 'rollout restart clone/web',
  'rollout resume': 'rollout resume clone/paused',
  'rollout status': 'rollout status clone/web',
  'rollout undo': 'rollout undo clone/web',
  'rollout approve': 'rollout approve rollout/web',
  'set image': 'set image clone/web main=nginx:2',
  'set env': 'set env clone/web A=1',
  'set resources': 'set resources clone/web --limits=cpu=1',
  'set selector': 'set selector service/web app=other',
  'set serviceaccount': 'set serviceaccount clone/web robot',
  'set subject': 'set subject rolebinding/web --user=a',
  migrate: 'migrate CloneSet --from Deployment -n default --src-name web --dst-name web --create',
  adopt: 'adopt clone/web --yes',
  scaledown: 'scaledown web --pods web-1',
  diff: 'diff clone/web',
  'get all': 'get all',
  'describe rollout': 'describe rollout web',
  version: 'version',
};

/** What `plan` reads from stdin. */
const changed = JSON.stringify({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'CloneSet',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'nginx:2' }] } },
  },
});

/** The paths of the commands that run code of their own and use a cluster. */
const ownCommands = (command: Command, path = ''): readonly string[] =>
  (command.commands ?? []).flatMap((one) => {
    const isOwn = one.load !== undefined && one.passThrough !== true && one.offline !== true && one.kubectl === undefined;
    return [...(isOwn ? [`${path}${one.name}`] : []), ...ownCommands(one, `${path}${one.name} `)];
  });

it('has a line for every command that uses a cluster', () => {
  expect(Object.keys(lines).toSorted()).toEqual(ownCommands(rootCommand).toSorted());
});

const labels = { app: 'web' };

function cluster(): FakeApi {
  const api = fakeApi();
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx' }] } };
  const workload = (kind: string, apiVersion: string, name: string, spec: object = {}): string =>
    seed(api, {
      apiVersion,
      kind,
      metadata: { name, namespace: 'default', labels, generation: 1 },
      spec: { replicas: 1, selector: { matchLabels: labels }, template, ...spec },
      status: { observedGeneration: 1, replicas: 1, readyReplicas: 0, updatedReplicas: 1 },
    }).metadata.uid ?? '';
  const uid = workload('CloneSet', 'apps.kruise.io/v1beta1', 'web');
  workload('CloneSet', 'apps.kruise.io/v1beta1', 'paused', { updateStrategy: { rollingUpdate: { paused: true } } });
  workload('Deployment', 'apps/v1', 'web');
  const ownerReferences = [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid, controller: true }];
  const metadata = (name: string): object => ({ name, namespace: 'default', labels });
  for (const number of [1, 2])
    seed(api, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { ...metadata(`web-${number}`), ownerReferences },
      revision: number,
      data: { spec: { template: { ...template, metadata: { labels, annotations: { number: String(number) } } } } },
    });
  seed(api, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata('web-1'), ownerReferences },
    spec: { containers: [{ name: 'main', image: 'nginx' }] },
    status: { phase: 'Running', containerStatuses: [{ name: 'main', containerID: 'containerd://1', restartCount: 0 }] },
  });
  seed(api, { apiVersion: 'v1', kind: 'Service', metadata: metadata('web'), spec: { selector: labels } });
  seed(api, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: metadata('web'), subjects: [] });
  seed(api, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'AdvancedCronJob',
    metadata: metadata('cron'),
    spec: { schedule: '@daily', template: { jobTemplate: { spec: { template } }, broadcastJobTemplate: { spec: { template } } } },
  });
  seed(api, {
    apiVersion: 'rollouts.kruise.io/v1beta1',
    kind: 'Rollout',
    metadata: metadata('web'),
    spec: { workloadRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' } },
    status: { canaryStatus: { currentStepState: 'StepPaused' } },
  });
  return api;
}

const unreachable = (): never => {
  throw new ApiError('connect ECONNREFUSED 127.0.0.1:6443', { kind: 'Unreachable', cause: undefined });
};
const forbidden = ({ verb, type }: { readonly verb: string; readonly type?: { readonly plural: string } | undefined }): never => {
  const message = `${type?.plural ?? 'the path'} is forbidden: User "a" cannot ${verb} resource "${type?.plural ?? ''}"`;
  throw new ApiError(`${message}`, { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });
};

/** How a cluster fails. */
const faults: Readonly<Record<string, (api: FakeApi) => RunOptions>> = {
  'no cluster': (api) => {
    api.faults = { before: unreachable };
    return { discover: async () => unreachable() };
  },
  'no rights': (api) => {
    api.faults = { before: forbidden };
    return {};
  },
  'no CRDs': () => ({ types: servedTypes.filter(({ group }) => !group.endsWith('kruise.io')) }),
  'objects that vanish after the first read': (api) => {
    let calls = 0;
    api.faults = {
      before: ({ type, key }) => {
        if (calls++ > 0 && type !== undefined)
          throw new ApiError(`${type.plural} "${key.name}" not found`, { kind: 'NotFound' }, { code: 404, reason: 'NotFound' });
      },
    };
    return {};
  },
};

/** Time passes at every wait, so that commands that poll come to their end. */
class HastyClock extends FakeClock {
  override async sleep(...args: Parameters<FakeClock['sleep']>): Promise<void> {
    args[1]?.throwIfAborted();
    await this.step(args[0]);
  }
}

const ended = (result: RunResult): string => `${result.err.replaceAll(/^(?!$)/gm, '! ')}exit ${result.code}\n`;

describe.each(Object.entries(faults))('with %s', (name, inject) => {
  it('every command says what is wrong', async () => {
    let text = '';
    for (const [, line] of Object.entries(lines)) {
      const api = cluster();
      const options = inject(api);
      const result = await kruiseRun(api, line, { clock: new HastyClock(), stdin: changed, ...options });
      text += `$ kubectl-kruise ${line}\n${ended(result)}\n`;
      expect(`${line}: ${result.err}`).not.toMatch(/undefined|TypeError|Cannot read|is not a function|\bat .*\.ts/);
      if (result.code === 0) expect(result.err).not.toMatch(/^error/m);
      else if (result.out === '') expect(result.err).not.toBe('');
    }
    expect(text).toBe(goldenText(new URL(`./testdata/bad-input-${name.replaceAll(' ', '-')}.txt`, import.meta.url), text));
  });
});

it.each(Object.values(lines))('%s fails without a configuration of a cluster', async (line) => {
  const code = ['why', 'check', 'diff'].includes(line.split(' ')[0] ?? '') ? 2 : 1;
  expect(await kruiseRun(cluster(), line, { unreachable: true, stdin: changed })).toMatchObject({
    code,
    out: '',
    err: 'error: no cluster\n',
  });
});

it.each(['why clone/web --no', 'check --no', 'diff --no'])('%s is no verdict', async (line) => {
  expect((await kruiseRun(cluster(), line)).code).toBe(2);
});

/** Commands that print nothing themselves, or not before what they do is done. */
const silent = new Set(['exec', 'migrate', 'get all']);

describe('output into a closed pipe', () => {
  it.each(Object.entries(lines).filter(([name]) => !silent.has(name)))('ends %s without a message', async (_name, line) => {
    const aborted = new AbortController();
    const result = await kruiseRun(cluster(), line, {
      clock: new HastyClock(),
      signal: aborted.signal,
      stdin: changed,
      onOut: () => aborted.abort(pipeClosed),
      kubectl: () => ({ code: 0, stdout: 'a line\n' }),
    });
    expect({ hasOutput: result.out !== '', code: result.code, errors: /error/i.test(result.err) }).toEqual({
      hasOutput: true,
      code: 141,
      errors: false,
    });
  });
});

describe('Ctrl-C', () => {
  it.each(Object.values(lines))('ends %s with 130 and without a message', async (line) => {
    const stop = new AbortController();
    const api = cluster();
    api.faults = {
      before: () => {
        stop.abort();
        stop.signal.throwIfAborted();
      },
    };
    const result = await kruiseRun(api, line, { clock: new HastyClock(), stdin: changed, signal: stop.signal });
    expect(result).toMatchObject({ code: 130, err: '' });
  });
});

describe('a terminal of 40 columns', () => {
  it.each(['tree clone/web', 'top clonesets', 'top clonesets -A', 'top pods'])('holds every line of %s', async (line) => {
    const terminal = { columns: 40, rows: 24, color: false };
    const { out } = await kruiseRun(cluster(), line, { terminal });
    expect(out.split('\n').length).toBeGreaterThan(2);
    expect(out.split('\n').filter((one) => displayWidth(one) > 40)).toEqual([]);
  });
});

const cloneSets = typeOf('CloneSet');
const web = { namespace: 'default', name: 'web' };

describe('a watch that expires', () => {
  const expired = (): never => {
    throw new ApiError('too old resource version', { kind: 'Gone' }, { code: 410, reason: 'Expired' });
  };

  it.each([
    { line: 'tree clone/web -w', code: 1, err: /object has been deleted/ },
    { line: 'logs clone/web -f', code: 1, err: /object has been deleted/ },
    { line: 'rollout status clone/web', code: 1, err: /object has been deleted/ },
    { line: 'describe rollout web -w', code: 1, err: /deleted/ },
  ])('does not hide from $line that the object is deleted', async ({ line, code, err }) => {
    const api = cluster();
    let isDone = false;
    api.faults = {
      before: async ({ verb, type }) => {
        if (verb !== 'watch' || isDone || !['CloneSet', 'Rollout'].includes(type?.kind ?? '')) return;
        isDone = true;
        for (const type of [cloneSets, typeOf('Rollout', 'rollouts.kruise.io')]) await api.delete(type, web);
        expired();
      },
    };
    const result = await kruiseRun(api, line, { clock: new HastyClock() });
    expect(result.code).toBe(code);
    expect(result.err).toMatch(err);
  });

  it.each(['tree clone/web -w', 'top clonesets -w', 'rollout status clone/web', 'describe rollout web -w'])(
    'does not hide a change from %s',
    async (line) => {
      const api = cluster();
      const stop = new AbortController();
      let [out, before, isDone] = ['', '', false];
      const status = { readyReplicas: 1, updatedReplicas: 1, updatedReadyReplicas: 1, availableReplicas: 1, phase: 'Healthy' };
      api.faults = {
        before: async ({ verb, type }) => {
          if (verb !== 'watch' || type?.group.endsWith('kruise.io') !== true || isDone) return;
          isDone = true;
          before = out;
          for (const one of [cloneSets, typeOf('Rollout', 'rollouts.kruise.io')])
            await api.patch(one, web, { status }, { type: 'merge', subresource: 'status' });
          expired();
        },
      };
      const clock = new FakeClock();
      const running = kruiseRun(api, line, { clock, signal: stop.signal, onOut: (text) => void (out = text) });
      await eventually(async () => {
        await clock.step(milliseconds(500));
        return before !== '' && out.length > before.length;
      });
      stop.abort();
      await running;
      expect(out.slice(before.length)).toMatch(/1\/1|rolling update complete|^.*Name: /);
    },
  );
});

describe('a watch that the user may not make', () => {
  const noWatch = (kind: string) => (call: FakeCall) => {
    if (call.verb === 'watch' && call.type?.kind === kind) forbidden(call);
  };

  it.each([
    { line: 'tree clone/web -w', err: 'error: you may not watch clonesets.apps.kruise.io in namespace default\n' },
    { line: 'logs clone/web -f', err: 'error: you may not watch clonesets.apps.kruise.io in namespace default\n' },
    {
      line: 'rollout status clone/web',
      err: 'Error from server (Forbidden): clonesets is forbidden: User "a" cannot watch resource "clonesets"\n',
    },
  ])('ends $line', async ({ line, err }) => {
    const api = cluster();
    api.faults = { before: noWatch('CloneSet') };
    expect(await kruiseRun(api, line)).toMatchObject({ code: 1, err });
  });

  it('is reported when it is of another kind than that of the object', async () => {
    const api = cluster();
    api.faults = { before: noWatch('Pod') };
    const stop = new AbortController();
    const clock = new FakeClock();
    let out = '';
    const running = kruiseRun(api, 'tree clone/web -w', { clock, signal: stop.signal, onOut: (text) => void (out = text) });
    await eventually(() => out.includes('web-1'));
    const first = out.length;
    await api.patch(cloneSets, web, { status: { readyReplicas: 1 } }, { type: 'merge', subresource: 'status' });
    await eventually(async () => {
      await clock.step(milliseconds(100));
      return out.length > first;
    });
    stop.abort();
    expect((await running).err).toBe('Warning: changes are not shown: you may not watch pods in namespace default\n');
  });
});
