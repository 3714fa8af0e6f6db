/** The part of the agent as it runs, with preStop hooks that wait: which Pods they delay. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { containerRecreateRequests, defaultGates } from '@kruise/api';
import { CountingChannel, ScriptedRuntime } from '@kruise/cri/testing';
import { CachingClient, ControllerRunner, Informers } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { seconds, type Container } from '@kruise/objects';
import { aRecreateRequest, eventually } from '@kruise/testing';
import { Registry } from 'prom-client';
import type { NodeDependencies } from '../node-part.ts';
import { aNodePod, node, runContainer } from '../testing.ts';
import { recreatePart } from './index.ts';
import { later } from './testing.ts';

let folder: string;
let runtime: ScriptedRuntime;
let connection: CountingChannel;
let api: FakeApi;
let clock: FakeClock;
let end: AbortController;
let running: Promise<unknown>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hooks-'));
  runtime = new ScriptedRuntime({ socket: join(folder, 'run.sock') });
  await runtime.start();
  runtime.on('ExecSync', (_request, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({}))));
  connection = new CountingChannel(runtime.socket);
  clock = new FakeClock(later(1));
  const logger = silentLogger();
  api = new FakeApi({ clock });
  const informers = new Informers({ client: api, clock, logger });
  const found = { name: 'containerd', version: '1', socket: runtime.socket, connection };
  const part = recreatePart({
    nodeName: node,
    gates: defaultGates,
    clock,
    logger,
    registry: new Registry(),
    informers,
    runtimes: { named: () => found, missed: () => undefined, trouble: undefined },
    clientFor: () => new CachingClient(api, informers),
    recorderFor: () => ({ event: () => undefined }),
  } as unknown as NodeDependencies);
  end = new AbortController();
  const runners = part?.controllers.map(({ definition }) => new ControllerRunner(definition, { clock, logger })) ?? [];
  running = Promise.all([informers.run(end.signal), ...runners.map((runner) => runner.run(end.signal))]);
});

afterEach(async () => {
  end.abort(new Error('the test ends'));
  await clock.settle();
  // The grace period of running passes.
  await clock.step(seconds(30));
  await running.catch(() => undefined);
  connection.close();
  await runtime.stop();
  rmSync(folder, { recursive: true, force: true });
});

const sleeping = { exec: { command: ['sleep', '3000'] } };

/** Returns a running Pod, and a request to recreate one of its containers. */
function recreate(podName: string, names: readonly string[], preStop?: object): void {
  const containers: readonly Container[] = names.map((name) => ({ name, image: 'app:1' }));
  const pod = aNodePod({ name: podName, containers });
  for (const spec of containers) {
    runContainer(runtime, pod, { id: `${podName}-${spec.name}`, spec });
    const { metadata, spec: asked } = aRecreateRequest({
      name: `${podName}-${spec.name}`,
      podName,
      containers: { [spec.name]: `containerd://${podName}-${spec.name}` },
      strategy: { terminationGracePeriodSeconds: 3600 },
    });
    const { uid: _, resourceVersion: __, ...rest } = metadata;
    const [first] = asked.containers;
    api.seed(containerRecreateRequests, {
      ...aRecreateRequest(),
      metadata: rest,
      spec: { ...asked, containers: [{ ...first, name: spec.name, ...(preStop === undefined ? {} : { preStop }) }] },
    });
  }
}

const commands = (): readonly string[] => runtime.callsOf('ExecSync').map(({ containerId }: { containerId: string }) => containerId);
const stopped = (): readonly string[] => runtime.callsOf('StopContainer').map(({ containerId }: { containerId: string }) => containerId);
const names = (count: number, prefix: string): readonly string[] => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('hooks that sleep', () => {
  it('of 33 containers of one Pod delay only that Pod, which runs one of them at a time', async () => {
    recreate('greedy', names(33, 'c'), sleeping);
    await eventually(() => commands().length === 1);
    recreate('modest', ['app']);
    await eventually(() => stopped().length === 1);
    expect(stopped()).toEqual(['modest-app']);
    expect(commands()).toHaveLength(1);
  });

  it('of 100 Pods do not delay the next one, hook or not', async () => {
    for (const pod of names(100, 'greedy-')) recreate(pod, ['app'], sleeping);
    await eventually(() => commands().length === 100, 15_000);
    recreate('modest', ['app']);
    recreate('another', ['app'], sleeping);
    await eventually(() => stopped().length === 1 && commands().length === 101, 15_000);
    expect([stopped(), commands().at(-1)]).toEqual([['modest-app'], 'another-app']);
  });
});
