/** Controller and workers against a scripted runtime over a real socket and a fake API server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { nodePodProbes, type ContainerProbe, type NodePodProbe } from '@kruise/api';
import { CriChannel } from '@kruise/cri';
import { ScriptedFailure, ScriptedRuntime } from '@kruise/cri/testing';
import { CachingClient, Informers, Trigger } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { pods, seconds } from '@kruise/objects';
import { aNodePod, runContainer } from '../testing.ts';
import { ProbeController } from './controller.ts';
import { ProbeWorkers } from './probe-workers.ts';

const key = { namespace: '', name: 'node1' };
const signal = new AbortController().signal;
const exec = (...command: readonly string[]): ContainerProbe => ({ exec: { command }, periodSeconds: 1 });

class World {
  readonly folder = mkdtempSync(join(tmpdir(), 'probes-'));
  readonly runtime = new ScriptedRuntime({ socket: join(this.folder, 'run.sock') });
  readonly api = new FakeApi();
  readonly clock = new FakeClock();
  readonly connection = new CriChannel(this.runtime.socket);
  readonly informers = new Informers({ client: this.api, clock: this.clock, logger: silentLogger() });
  readonly events: string[] = [];
  pod = aNodePod();
  readonly #pods = this.informers.informer(pods);
  readonly #lists = this.informers.informer(nodePodProbes);
  readonly #results = new Trigger();
  readonly workers = new ProbeWorkers({
    runtimes: {
      first: { name: 'containerd', version: '1', socket: this.runtime.socket, connection: this.connection },
      named: () => undefined,
      missed: () => undefined,
    },
    pods: this.#pods.store,
    clock: this.clock,
    logger: silentLogger(),
    random: () => 0,
    startedAt: this.clock.monotonic(),
    onResult: () => this.#results.enqueue(key),
  });
  readonly #controller = new ProbeController({
    nodeName: 'node1',
    lists: this.#lists,
    pods: this.#pods.store,
    workers: this.workers,
    results: this.#results,
    client: new CachingClient(this.api, this.informers),
    events: { event: (_target, type, reason, message) => void this.events.push(`${type} ${reason}: ${message}`) },
    clock: this.clock,
  });

  async begin(): Promise<void> {
    await this.runtime.start();
    this.pod = await this.api.create(pods, this.pod);
    this.#pods.store.observe(this.pod);
    await this.api.create(nodePodProbes, { metadata: { name: 'node1' }, spec: {} });
    this.runApp();
    await this.clock.step(seconds(5));
  }

  /** A (new) instance of the container. */
  runApp(id = 'app-1', createdAt = '1000'): void {
    runContainer(this.runtime, this.pod, { id, createdAt });
  }

  async list(probes: Readonly<Record<string, ContainerProbe>>): Promise<void> {
    const { name, namespace = '', uid = '' } = this.pod.metadata;
    const held = await this.api.get(nodePodProbes, key);
    const entries = Object.entries(probes).map(([probe, of]) => ({ name: `m#${probe}`, containerName: 'app', probe: of }));
    const spec = entries.length === 0 ? {} : { podProbes: [{ name, namespace, uid, IP: '', probes: entries }] };
    this.#lists.store.observe(await this.api.update(nodePodProbes, { ...held, spec }));
    await this.write();
  }

  async write(): Promise<void> {
    await this.#controller.reconcile(key, signal);
  }

  states(): readonly string[] {
    return this.workers.results.map(({ probe, state, message }) => `${probe}=${state} ${message}`.trim());
  }

  /** Lets time pass until the workers say so. */
  async until(...expected: readonly string[]): Promise<void> {
    const deadline = performance.now() + 5000;
    while (JSON.stringify(this.states()) !== JSON.stringify(expected)) {
      if (performance.now() > deadline) expect(this.states()).toEqual(expected);
      await this.clock.step(seconds(1));
      await sleep(2);
    }
  }

  async status(): Promise<readonly string[]> {
    await this.write();
    const { status }: NodePodProbe = await this.api.get(nodePodProbes, key);
    return (status?.podProbeStatuses ?? []).flatMap(({ name: pod, probeStates = [] }) =>
      probeStates.map(({ name, state }) => `${pod}/${name}=${state}`),
    );
  }

  async end(): Promise<void> {
    await this.workers.stop();
    this.connection.close();
    await this.runtime.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

let world: World;
beforeEach(async () => {
  world = new World();
  await world.begin();
});
afterEach(() => world.end());

const fail = (code: number, message: string): never => {
  throw new ScriptedFailure(code, message);
};
const answer = (exitCode: number, stdout: string, stderr = '') => ({ stdout: Buffer.from(stdout), stderr: Buffer.from(stderr), exitCode });

describe('probes of a node', () => {
  it('run, and their results are written once each, with one event a change', async () => {
    world.runtime.on('ExecSync', (request) =>
      (request as { cmd: string[] }).cmd[0] === 'good' ? answer(0, 'fine') : answer(1, '', 'broken'),
    );
    await world.list({ a: exec('good'), b: exec('bad') });
    await world.until('m#a=Succeeded fine', 'm#b=Failed broken');
    expect(await world.status()).toEqual(['web/m#a=Succeeded', 'web/m#b=Failed']);
    const writes = world.api.calls.length;
    await world.write();
    expect(world.api.calls).toHaveLength(writes);
    expect(world.events.filter((event) => !event.endsWith(': ')).sort()).toEqual([
      'Normal KruiseProbeFailed: broken',
      'Normal KruiseProbeSucceeded: fine',
    ]);
  });

  it('start again from Unknown with a new instance of the container', async () => {
    world.runtime.on('ExecSync', () => answer(0, 'fine'));
    await world.list({ a: exec('x') });
    await world.until('m#a=Succeeded fine');
    world.runtime.on('ExecSync', () => fail(2, 'not now'));
    world.runApp('app-2', '2000');
    await world.until('m#a=Unknown');
    world.runtime.on('ExecSync', () => answer(0, 'again'));
    await world.until('m#a=Succeeded again');
  });

  it('say that a container does not run', async () => {
    world.runtime.on('ExecSync', () => answer(0, 'fine'));
    await world.list({ a: exec('x') });
    await world.until('m#a=Succeeded fine');
    const held = world.runtime.containers.get('app-1')!;
    world.runtime.containers.set('app-1', { ...held, state: 'CONTAINER_EXITED' });
    await world.until('m#a=Failed Container(app) is Non-running');
  });

  it('keep their result when the runtime cannot tell, and fail in time', async () => {
    world.runtime.on('ExecSync', () => answer(0, 'fine'));
    await world.list({ a: exec('x') });
    await world.until('m#a=Succeeded fine');
    const ran = world.runtime.callsOf('ExecSync').length;
    world.runtime.on('ExecSync', () => fail(13, 'internal'));
    const deadline = performance.now() + 5000;
    while (world.runtime.callsOf('ExecSync').length < ran + 3 && performance.now() < deadline) {
      await world.clock.step(seconds(1));
      await sleep(2);
    }
    expect(world.states()).toEqual(['m#a=Succeeded fine']);
    world.runtime.on('ExecSync', () => fail(4, 'deadline'));
    await world.until('m#a=Failed command timed out: "x" timed out after 1s');
  });

  it('take another command over at once, and end when they are listed no more', async () => {
    world.runtime.on('ExecSync', () => answer(0, 'fine'));
    await world.list({ a: exec('x') });
    await world.until('m#a=Succeeded fine');
    world.runtime.on('ExecSync', () => fail(13, 'internal'));
    await world.list({ a: exec('y') });
    expect(world.states()).toEqual(['m#a=Unknown']);
    await world.list({});
    expect([world.states(), await world.status()]).toEqual([[], []]);
  });

  it('run in no Pod but those of this node', async () => {
    world.runtime.on('ExecSync', () => answer(0, 'fine'));
    const stranger = { ...world.pod, metadata: { ...world.pod.metadata, name: 'other', uid: 'stranger' } };
    runContainer(world.runtime, stranger, { id: 'other-1' });
    const held = await world.api.get(nodePodProbes, key);
    const entry = {
      name: 'other',
      namespace: 'default',
      uid: 'stranger',
      IP: '',
      probes: [{ name: 'm#a', containerName: 'app', probe: exec('x') }],
    };
    world.workers.sync({ ...held, spec: { podProbes: [entry] } });
    for (let second = 0; second < 10; second++) {
      await world.clock.step(seconds(1));
      await sleep(2);
    }
    expect(world.runtime.calls).toEqual([]);
  });
});
