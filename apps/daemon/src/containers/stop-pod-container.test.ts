import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CriChannel, isCriFailure } from '@kruise/cri';
import { containerdShape, crioShape, criDockerdShape, ScriptedFailure, ScriptedRuntime } from '@kruise/cri/testing';
import type { EventRecorder } from '@kruise/kube';
import { FakeClock } from '@kruise/kube/testing';
import { seconds } from '@kruise/objects';
import type { CriRuntime } from '../runtime/runtimes.ts';
import { eventually } from '@kruise/testing';
import { aNodePod, runContainer } from '../testing.ts';
import { PreStopRuns } from './pre-stop-runs.ts';
import { stopPodContainer } from './stop-pod-container.ts';

let folder: string;
let scripted: ScriptedRuntime;
let runtime: CriRuntime;
let clock: FakeClock;
let preStops: PreStopRuns;
let reported: { readonly type: string; readonly reason: string; readonly message: string; readonly fieldPath: unknown }[];
let server: Server | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stop-'));
  scripted = new ScriptedRuntime({ socket: join(folder, 'run.sock') });
  await scripted.start();
  runtime = { name: 'containerd', version: '1', socket: scripted.socket, connection: new CriChannel(scripted.socket) };
  clock = new FakeClock();
  preStops = new PreStopRuns(clock);
  reported = [];
});
afterEach(async () => {
  runtime.connection.close();
  await scripted.stop();
  server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const pod = aNodePod();
const events: EventRecorder = {
  event: (target, type, reason, message) =>
    void reported.push({ type, reason, message, fieldPath: 'fieldPath' in target ? target.fieldPath : undefined }),
};

function stop(annotations: Readonly<Record<string, string>> = {}, signal = new AbortController().signal): Promise<void> {
  const container = runContainer(scripted, pod, { annotations });
  return stopPodContainer(
    { pod, container, message: 'Stopping containerID containerd://app-1 by a test' },
    { runtime, clock, events, preStops },
    signal,
  );
}

const hook = (handler: object, graceSeconds = 30): Record<string, string> => ({
  'io.kubernetes.container.preStopHandler': JSON.stringify(handler),
  'io.kubernetes.pod.terminationGracePeriod': String(graceSeconds),
});

describe('stopping a container', () => {
  it('records an event on the Pod and uses the grace period of the Pod', async () => {
    await stop();
    expect(scripted.callsOf('StopContainer')).toEqual([{ containerId: 'app-1', timeout: '30' }]);
    expect(reported).toEqual([
      { type: 'Normal', reason: 'Killing', message: 'Stopping containerID containerd://app by a test', fieldPath: 'spec.containers{app}' },
    ]);
  });

  it('succeeds when it no longer exists, and fails when the runtime cannot', async () => {
    scripted.on('StopContainer', () => {
      throw new ScriptedFailure(5, 'not found');
    });
    await stop();
    scripted.on('StopContainer', () => {
      throw new ScriptedFailure(13, 'no');
    });
    const failure: unknown = await stop().catch((error: unknown) => error);
    expect(isCriFailure(failure, 'Refused')).toBe(true);
  });

  it.each([containerdShape, crioShape, criDockerdShape])('succeeds with $name for one that no longer exists', async (shape) => {
    const other = new ScriptedRuntime({ socket: join(folder, 'other.sock'), shape });
    await other.start();
    const connection = new CriChannel(other.socket);
    try {
      const container = runContainer(scripted, pod);
      const tools = { runtime: { ...runtime, connection }, clock, events, preStops };
      await stopPodContainer({ pod, container, message: '' }, tools, new AbortController().signal);
      expect(other.callsOf('StopContainer')).toHaveLength(1);
    } finally {
      connection.close();
      await other.stop();
    }
  });

  it('runs the command of the hook first', async () => {
    await stop(hook({ exec: { command: ['bye'] } }));
    expect(scripted.calls.map(({ method }) => method)).toEqual(['ExecSync', 'StopContainer']);
    expect(scripted.callsOf('ExecSync')).toEqual([{ containerId: 'app-1', cmd: ['bye'], timeout: '0' }]);
  });

  it('abandons a hook that takes longer than the grace period: 3 s later it stops with 2 s', async () => {
    let given = false;
    scripted.on('ExecSync', (_request, signal) => {
      given = true;
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({})));
    });
    const stopped = stop(hook({ exec: { command: ['sleep', '8'] } }, 3));
    await eventually(() => given);
    await clock.step(seconds(3));
    await stopped;
    expect(scripted.callsOf('StopContainer')).toEqual([{ containerId: 'app-1', timeout: '2' }]);
    expect(reported.map(({ reason }) => reason)).toEqual(['Killing']);
  });

  it('lets an abandoned command continue, until the container is stopped', async () => {
    const reported: string[] = [];
    scripted.on('ExecSync', (_request, signal) => {
      reported.push('begun');
      return new Promise((resolve) => signal.addEventListener('abort', () => (reported.push('cancelled'), resolve({}))));
    });
    let end: (() => void) | undefined;
    scripted.on('StopContainer', () => new Promise((resolve) => (end = () => (reported.push('stopped'), resolve({})))));
    const stopped = stop(hook({ exec: { command: ['sleep', '8'] } }, 3));
    await eventually(() => reported.length === 1);
    await clock.step(seconds(3));
    await eventually(() => end !== undefined);
    await clock.step(seconds(2));
    expect(reported).toEqual(['begun']);
    end?.();
    await stopped;
    await eventually(() => reported.length === 3);
    expect(reported).toEqual(['begun', 'stopped', 'cancelled']);
  });

  it('runs the hook of an instance once, however often the runtime is lost before it has ended', async () => {
    const away = (): never => {
      throw new ScriptedFailure(14, 'the runtime is restarted');
    };
    scripted.on('StopContainer', away);
    const stopped = stop(hook({ sleep: { seconds: 4 } }, 10)).catch((error: unknown) => error);
    await clock.step(seconds(4));
    expect(isCriFailure(await stopped, 'Unavailable')).toBe(true);
    expect(isCriFailure(await stop(hook({ sleep: { seconds: 4 } }, 10)).catch((error: unknown) => error), 'Unavailable')).toBe(true);
    scripted.on('StopContainer', () => ({}));
    await stop(hook({ sleep: { seconds: 4 } }, 10));
    expect(scripted.callsOf('StopContainer')).toEqual(Array(3).fill({ containerId: 'app-1', timeout: '6' }));
    expect(preStops.spentOn('containerd://app-1')).toBeUndefined();
  });

  it('does not repeat a command during which the runtime was lost, and runs a request that was not made', async () => {
    const away = (): never => {
      throw new ScriptedFailure(14, 'the runtime is restarted');
    };
    scripted.on('ExecSync', away);
    scripted.on('StopContainer', away);
    await stop(hook({ exec: { command: ['bye'] } })).catch(() => undefined);
    scripted.on('StopContainer', () => ({}));
    await stop(hook({ exec: { command: ['bye'] } }));
    expect(scripted.callsOf('ExecSync')).toHaveLength(1);
    scripted.on('PodSandboxStatus', away);
    const failure: unknown = await stop(hook({ httpGet: { port: 1 } })).catch((error: unknown) => error);
    expect([isCriFailure(failure, 'Unavailable'), preStops.spentOn('containerd://app-1')]).toEqual([true, undefined]);
  });

  it('subtracts the time of the hook from the grace period', async () => {
    const stopped = stop(hook({ sleep: { seconds: 4 } }, 10));
    await clock.step(seconds(4));
    await stopped;
    expect(scripted.callsOf('StopContainer')).toEqual([{ containerId: 'app-1', timeout: '6' }]);
  });

  it('reports a hook that failed, and still stops', async () => {
    scripted.on('ExecSync', () => ({ stdout: Buffer.from('out'), stderr: Buffer.from('err'), exitCode: 3 }));
    await stop(hook({ exec: { command: ['a', 'b'] } }));
    expect(reported[1]).toMatchObject({
      type: 'Warning',
      reason: 'FailedPreStopHook',
      message: 'PreStop hook of container app failed: command "a b" ended with code 3: outerr',
    });
    expect(scripted.callsOf('StopContainer')).toHaveLength(1);
  });

  it.each(['http', 'https'])('sends the request to the Pod itself over %s, whatever it answers', async (scheme) => {
    const paths: unknown[] = [];
    const listening = createServer((request, response) => {
      paths.push([request.method, request.url, request.headers['x-why']]);
      response.writeHead(500).end();
    });
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const { port } = listening.address() as AddressInfo;
    await stop(hook({ httpGet: { path: '/bye', port, scheme: scheme.toUpperCase(), httpHeaders: [{ name: 'x-why', value: 'stop' }] } }));
    expect(paths).toEqual([['GET', '/bye', 'stop']]);
    expect(reported.map(({ reason }) => reason)).toEqual(['Killing']);
  });

  it('reads nothing of an endless answer, and closes the connection', async () => {
    let isClosed = false;
    const listening = createServer((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more).on('close', () => (isClosed = true));
      more();
    });
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const { port } = listening.address() as AddressInfo;
    await stop(hook({ httpGet: { port } }));
    await eventually(() => isClosed);
    expect([reported.map(({ reason }) => reason), scripted.callsOf('StopContainer').length]).toEqual([['Killing'], 1]);
  });

  it('treats a switch to another protocol as an answer', async () => {
    const listening = createServer();
    listening.on('connection', (socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'));
    });
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const { port } = listening.address() as AddressInfo;
    await stop(hook({ httpGet: { port } }));
    expect([reported.map(({ reason }) => reason), scripted.callsOf('StopContainer').length]).toEqual([['Killing'], 1]);
  });

  it('does not stop anything when the daemon is stopped during the hook', async () => {
    const abort = new AbortController();
    scripted.on('ExecSync', (_request, signal) => {
      setImmediate(() => abort.abort());
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({})));
    });
    await expect(stop(hook({ exec: { command: ['a'] } }), abort.signal)).rejects.toThrow();
    expect(scripted.callsOf('StopContainer')).toEqual([]);
  });
});
