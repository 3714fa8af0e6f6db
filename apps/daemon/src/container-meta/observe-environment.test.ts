import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CountingChannel, isQuiet, ScriptedRuntime } from '@kruise/cri/testing';
import { agentLimits, type Pod } from '@kruise/objects';
import { eventually } from '@kruise/testing';
import type { CriRuntime } from '../runtime/runtimes.ts';
import { aNodePod, app, runContainer } from '../testing.ts';
import { observeEnvHash } from './observe-environment.ts';

let folder: string;
let scripted: ScriptedRuntime;
let connection: CountingChannel;
let runtime: CriRuntime;
/** Ends of the running commands, in the order in which they began. */
let ends: (() => void)[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'env-'));
  scripted = new ScriptedRuntime({ socket: join(folder, 'run.sock') });
  await scripted.start();
  scripted.tellsEnvironment = false;
  ends = [];
  scripted.on('ExecSync', () => new Promise((resolve) => ends.push(() => resolve({ exitCode: 0 }))));
  connection = new CountingChannel(scripted.socket);
  runtime = { name: 'containerd', version: '1', socket: scripted.socket, connection };
});
afterEach(async () => {
  connection.close();
  await scripted.stop();
  rmSync(folder, { recursive: true, force: true });
});

function aPodOf(namespace: string, name: string): Pod {
  const pod = aNodePod({ name, ids: { app: `containerd://${name}` } });
  return { ...pod, metadata: { ...pod.metadata, namespace } };
}

function read(pod: Pod, signal: AbortSignal): Promise<number> {
  const { name } = pod.metadata;
  const container = runContainer(scripted, pod, { id: name });
  return observeEnvHash(
    { runtime, pod, container: app },
    { name: 'app', containerID: `containerd://${name}`, isRunning: true, container },
    signal,
  );
}

const asked = (): readonly string[] => scripted.callsOf('ExecSync').map(({ containerId }: { containerId: string }) => containerId);

describe('commands that print their environment slowly', () => {
  it('run in 32 containers at a time, and those of one namespace do not delay another', async () => {
    const stop = new AbortController();
    const many = Array.from({ length: 60 }, (_, index) => read(aPodOf('greedy', `greedy-${index}`), stop.signal));
    const ended = Promise.allSettled(many);
    await eventually(() => ends.length === 32);
    const wanted = read(aPodOf('modest', 'wanted'), stop.signal);
    await eventually(() => scripted.callsOf('PodSandboxStatus').length === 61 && isQuiet(scripted, [connection]));
    expect(asked()).toHaveLength(32);
    for (const end of ends.splice(0, 2)) end();
    await eventually(() => asked().length === 34);
    expect(asked().slice(32)).toContain('wanted');
    for (const end of ends) end();
    await wanted;
    stop.abort(new Error('the test ends'));
    await ended;
  });
});

describe('the environment that a command prints', () => {
  const most = agentLimits.environmentBytes.value;
  const withEnvironment = (bytes: number): Promise<number> => {
    scripted.on('ExecSync', () => ({ exitCode: 0, stdout: Buffer.from(`A=${'x'.repeat(bytes - 2)}`) }));
    return read(aPodOf('shop', 'x'), new AbortController().signal);
  };

  it('is read up to the maximum size', async () => {
    await expect(withEnvironment(most)).resolves.toBeGreaterThan(0);
  });

  it('is not read at all beyond it', async () => {
    await expect(withEnvironment(most + 1)).rejects.toThrow(`env in container app printed more than ${most} bytes`);
  });
});
