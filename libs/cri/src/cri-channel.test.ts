import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, open, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, succeeds } from '@kruise/testing';
import { CriChannel } from './cri-channel.ts';
import { CriError, type CriFailure } from './cri-error.ts';
import { criMethods, loadCriMethods } from './cri-methods.ts';
import { containerStatus } from './verbs/container-status.ts';
import { execSync } from './verbs/exec-sync.ts';
import { imageStatus } from './verbs/image-status.ts';
import { listContainers } from './verbs/list-containers.ts';
import { listImages } from './verbs/list-images.ts';
import { podSandboxStatus } from './verbs/pod-sandbox-status.ts';
import { pullImage } from './verbs/pull-image.ts';
import { stopContainer } from './verbs/stop-container.ts';
import { ScriptedFailure, ScriptedRuntime, type ScriptedContainer } from './testing.ts';
import { version } from './verbs/version.ts';

let folder: string;
let runtime: ScriptedRuntime;
let cri: CriChannel;
const methods = loadCriMethods();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cri-'));
  runtime = new ScriptedRuntime({ socket: join(folder, 'run.sock') });
  await runtime.start();
  cri = new CriChannel(runtime.socket, methods);
});
afterEach(async () => {
  cri.close();
  await runtime.stop();
  rmSync(folder, { recursive: true, force: true });
});

const container = (id: string, more: Partial<ScriptedContainer> = {}): ScriptedContainer => ({
  id,
  podSandboxId: 's1',
  metadata: { name: 'web', attempt: 0 },
  imageRef: 'sha256:1',
  state: 'CONTAINER_RUNNING',
  createdAt: '1763731200123456789',
  labels: { 'io.kubernetes.pod.uid': 'u1' },
  annotations: { 'io.kubernetes.container.hash': 'e3239d9d' },
  ...more,
});

async function failureOf(call: Promise<unknown>): Promise<CriFailure> {
  try {
    await call;
  } catch (error) {
    if (error instanceof CriError) return error.failure;
    throw error;
  }
  throw new Error('the call succeeded');
}

/** Makes every thread of the pool wait for a writer of a FIFO until the returned function runs. */
function occupyThreadPool(): () => Promise<void> {
  const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);
  const paths = Array.from({ length: threads }, (_, thread) => join(folder, `fifo-${thread}`));
  execFileSync('mkfifo', paths);
  const opened = paths.map(
    (path) => new Promise<void>((resolve) => open(path, 'r', (_error, descriptor) => (closeSync(descriptor), resolve()))),
  );
  return async () => {
    const writers = paths.map((path) => openSync(path, constants.O_RDWR | constants.O_NONBLOCK));
    await Promise.all(opened);
    for (const writer of writers) closeSync(writer);
  };
}

it('a call needs no thread of the pool, which name look-ups may occupy', async () => {
  runtime.on('ExecSync', () => ({ exitCode: 0 }));
  const free = occupyThreadPool();
  // The threads must be released, also when a call waits for one.
  const blocked = setTimeout(() => void free(), 4000);
  try {
    await Promise.all([version(cri), execSync(cri, { containerId: 'c1', command: ['true'], timeoutSeconds: 1 })]);
    expect(process.getActiveResourcesInfo().filter((resource) => resource.startsWith('FSReq'))).not.toEqual([]);
  } finally {
    clearTimeout(blocked);
    await free();
  }
});

describe('the verbs', () => {
  it('report the name and version of the runtime', async () => {
    expect(await version(cri)).toEqual({ version: '0.1.0', runtimeName: 'containerd', runtimeVersion: '1.0.0', runtimeApiVersion: 'v1' });
    expect(runtime.callsOf('Version')).toEqual([{ version: '0.1.0' }]);
  });

  it('keep nanoseconds to the last digit', async () => {
    runtime.containers.set('a', container('a'));
    expect((await listContainers(cri, {}))[0]?.createdAt).toBe('1763731200123456789');
    expect((await containerStatus(cri, 'a')).status).toMatchObject({
      createdAt: '1763731200123456789',
      startedAt: '0',
      state: 'CONTAINER_RUNNING',
    });
  });

  it('select containers by id, sandbox and label', async () => {
    for (const id of ['a', 'b']) runtime.containers.set(id, container(id, { podSandboxId: `s-${id}`, labels: { of: id } }));
    const ids = async (filter: object): Promise<string[]> => (await listContainers(cri, filter)).map(({ id }) => id);
    expect(await ids({ id: 'a' })).toEqual(['a']);
    expect(await ids({ podSandboxId: 's-b' })).toEqual(['b']);
    expect(await ids({ labelSelector: { of: 'b' } })).toEqual(['b']);
    expect(await ids({})).toEqual(['a', 'b']);
  });

  it('request the verbose status only on demand', async () => {
    runtime.containers.set('a', container('a', { env: { A: '1' } }));
    expect((await containerStatus(cri, 'a')).info).toEqual({});
    expect((await containerStatus(cri, 'a', { verbose: true })).info).toEqual({ info: '{"config":{"envs":[{"key":"A","value":"1"}]}}' });
  });

  it('run a command and return its bytes and exit code', async () => {
    runtime.on('ExecSync', () => ({ stdout: Buffer.from([0xff, 0x00]), stderr: Buffer.from('bad'), exitCode: 7 }));
    const result = await execSync(cri, { containerId: 'a', command: ['env'], timeoutSeconds: 3 });
    expect([...result.stdout]).toEqual([0xff, 0x00]);
    expect([result.stderr.toString(), result.exitCode]).toEqual(['bad', 7]);
    expect(runtime.callsOf('ExecSync')).toEqual([{ containerId: 'a', cmd: ['env'], timeout: '3' }]);
  });

  it('stop a container with its grace period', async () => {
    runtime.containers.set('a', container('a'));
    await stopContainer(cri, 'a', 30);
    expect(runtime.callsOf('StopContainer')).toEqual([{ containerId: 'a', timeout: '30' }]);
    expect(runtime.containers.get('a')?.state).toBe('CONTAINER_EXITED');
  });

  it('find an image and pull it', async () => {
    expect(await imageStatus(cri, 'nginx:1')).toBeUndefined();
    const sandbox = { labels: { a: 'b' }, annotations: {} };
    const id = await pullImage(cri, { imageRef: 'nginx:1', auth: { username: 'u', password: 'p' }, sandbox });
    expect(await imageStatus(cri, 'nginx:1')).toMatchObject({ id, repoTags: ['docker.io/library/nginx:1'] });
    expect(runtime.callsOf('PullImage')).toMatchObject([
      { image: { image: 'nginx:1' }, auth: { username: 'u', password: 'p' }, sandboxConfig: { labels: { a: 'b' } } },
    ]);
    await pullImage(cri, { imageRef: 'nginx:2', sandbox });
    expect(runtime.callsOf('PullImage')[1]).toMatchObject({ auth: null });
  });

  it('read sandboxes, images and the image file system', async () => {
    runtime.sandboxes.set('s1', { id: 's1', name: 'p', namespace: 'n', uid: 'u', ip: '10.0.0.7' });
    expect(await podSandboxStatus(cri, 's1')).toMatchObject({
      metadata: { name: 'p', namespace: 'n', uid: 'u' },
      network: { ip: '10.0.0.7' },
    });
    runtime.on('ListImages', () => ({ images: [{ id: 'i', repoTags: ['a:1'], size: '9007199254740993' }] }));
    expect((await listImages(cri))[0]).toMatchObject({ id: 'i', repoTags: ['a:1'], repoDigests: [], size: '9007199254740993' });
  });

  it('accept messages up to 16 MiB and refuse larger ones', async () => {
    const info = (mebibytes: number) => () => ({ status: container('a'), info: { info: 'x'.repeat(mebibytes * 1024 * 1024) } });
    runtime.on('ContainerStatus', info(15));
    expect((await containerStatus(cri, 'a', { verbose: true })).info['info']).toHaveLength(15 * 1024 * 1024);
    runtime.on('ContainerStatus', info(17));
    expect(await failureOf(containerStatus(cri, 'a', { verbose: true }))).toEqual({ kind: 'Refused', code: 8 });
  });
});

describe('a command', () => {
  const run = (options: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {}, keepBytes = 100) =>
    execSync(cri, { containerId: 'a', command: ['x'], timeoutSeconds: 0, keepBytes }, options);
  const hanging = (heard: () => void) => (_request: unknown, signal: AbortSignal) =>
    new Promise<object>((resolve) => {
      const end = (): void => (heard(), resolve({}));
      if (signal.aborted) end();
      else signal.addEventListener('abort', end);
    });

  it('that prints 15 MiB keeps its exit code, and only the beginning of its output', async () => {
    const stdout = Buffer.alloc(10 * 1024 * 1024, 'o');
    runtime.on('ExecSync', () => ({ stdout, stderr: Buffer.alloc(5 * 1024 * 1024, 'e'), exitCode: 3 }));
    const result = await run();
    expect([result.stdout.toString(), result.stderr.toString()]).toEqual(['o'.repeat(100), 'e'.repeat(100)]);
    expect([result.exitCode, result.isCut]).toEqual([3, true]);
    runtime.on('ExecSync', () => ({ stdout: Buffer.alloc(100), stderr: Buffer.alloc(0), exitCode: 0 }));
    expect(await run()).toMatchObject({ exitCode: 0, isCut: false });
  });

  it('costs little memory, however many print 15 MiB at the same time', async () => {
    const stdout = Buffer.alloc(15 * 1024 * 1024, 'o');
    runtime.on('ExecSync', () => ({ stdout, stderr: Buffer.alloc(0), exitCode: 0 }));
    const results = await Promise.all(Array.from({ length: 8 }, () => run()));
    expect(results.map(({ stdout: { length, buffer } }) => [length, buffer.byteLength <= 64 * 1024])).toEqual(
      Array.from({ length: 8 }, () => [100, true]),
    );
  });

  it('that prints more than a runtime may send has no result', async () => {
    runtime.on('ExecSync', () => ({ stdout: Buffer.alloc(17 * 1024 * 1024), stderr: Buffer.alloc(0), exitCode: 0 }));
    expect(await failureOf(run())).toEqual({ kind: 'InvalidAnswer' });
  });

  it('whose caller aborts is ended by the runtime', async () => {
    const abort = new AbortController();
    const heard = new Promise<void>((resolve) => {
      runtime.on('ExecSync', (request, signal) => {
        setImmediate(() => abort.abort());
        return hanging(resolve)(request, signal);
      });
    });
    expect(await failureOf(run({ signal: abort.signal }))).toEqual({ kind: 'Aborted' });
    await heard;
    expect(await failureOf(run({ signal: abort.signal }))).toEqual({ kind: 'Aborted' });
  });

  it('that takes too long is ended by the runtime', async () => {
    let begun = false;
    const heard = new Promise<void>((resolve) => {
      runtime.on('ExecSync', (request, signal) => {
        begun = true;
        return hanging(resolve)(request, signal);
      });
    });
    // On a busy machine the time may pass before the call arrives: it is then repeated with more.
    for (let timeoutMs = 50; !begun; timeoutMs *= 2) expect(await failureOf(run({ timeoutMs }))).toEqual({ kind: 'DeadlineExceeded' });
    await heard;
  });

  it('may take longer than a timer can', async () => {
    runtime.on('ExecSync', () => ({ exitCode: 0 }));
    expect(await run({ timeoutMs: 2 ** 40 })).toMatchObject({ exitCode: 0 });
  });

  it.each<[number, CriFailure]>([
    [5, { kind: 'NotFound' }],
    [4, { kind: 'DeadlineExceeded' }],
    [1, { kind: 'Unavailable' }],
    [13, { kind: 'Refused', code: 13 }],
  ])('that the runtime refuses with code %d fails with its message', async (code, failure) => {
    runtime.on('ExecSync', () => {
      throw new ScriptedFailure(code, 'no, 100 % not: é');
    });
    expect(await failureOf(run())).toEqual(failure);
    await expect(run()).rejects.toThrow('ExecSync: no, 100 % not: é');
  });

  it('fails when the runtime stops meanwhile, and runs when it has restarted', async () => {
    runtime.on('ExecSync', () => {
      void runtime.stop();
      return new Promise(() => undefined);
    });
    expect(await failureOf(run())).toEqual({ kind: 'Unavailable' });
    expect(await failureOf(run())).toEqual({ kind: 'Unavailable' });
    runtime.on('ExecSync', () => ({ exitCode: 0 }));
    await runtime.start();
    expect(await run()).toMatchObject({ exitCode: 0 });
  });

  it('fails when another server listens at the socket', async () => {
    await runtime.serveGarbage();
    expect(await failureOf(run({ timeoutMs: 3000 }))).toEqual({ kind: 'Unavailable' });
  });
});

describe('failures', () => {
  it.each<[number, CriFailure]>([
    [5, { kind: 'NotFound' }],
    [14, { kind: 'Unavailable' }],
    [12, { kind: 'Unimplemented' }],
    [4, { kind: 'DeadlineExceeded' }],
    [2, { kind: 'Refused', code: 2 }],
  ])('of gRPC code %i are %j', async (code, failure) => {
    runtime.on('Version', () => {
      throw new ScriptedFailure(code, 'no');
    });
    expect(await failureOf(version(cri))).toEqual(failure);
    await expect(version(cri)).rejects.toThrow('Version: no');
  });

  it('are a deadline when the runtime is slow', async () => {
    runtime.on('Version', (_request, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({}))));
    expect(await failureOf(version(cri, { timeoutMs: 50 }))).toEqual({ kind: 'DeadlineExceeded' });
  });

  it('are an abort when the caller aborts, and the runtime is notified', async () => {
    const abort = new AbortController();
    const heard = new Promise<void>((resolve) => {
      runtime.on('Version', (_request, signal) => {
        setImmediate(() => abort.abort());
        return new Promise((answer) => signal.addEventListener('abort', () => (resolve(), answer({}))));
      });
    });
    expect(await failureOf(version(cri, { signal: abort.signal }))).toEqual({ kind: 'Aborted' });
    await heard;
    expect(await failureOf(version(cri, { signal: abort.signal }))).toEqual({ kind: 'Aborted' });
    expect(runtime.calls).toHaveLength(1);
  });

  it('are immediate when there is no socket', async () => {
    const none = new CriChannel(join(folder, 'none.sock'), methods);
    await expect(version(none)).rejects.toThrow(`there is no socket at ${join(folder, 'none.sock')}`);
    expect(await failureOf(version(none))).toEqual({ kind: 'Unavailable' });
  });

  it('occur when another server listens at the socket, and end when the runtime has restarted', async () => {
    await runtime.serveGarbage();
    expect(await failureOf(version(cri, { timeoutMs: 3000 }))).not.toEqual({ kind: 'Aborted' });
    await runtime.stop();
    await runtime.start();
    expect((await version(cri)).runtimeName).toBe('containerd');
  });

  it('occur for an answer that is no such message', async () => {
    const broken = {
      ...methods,
      Version: { ...methods.Version, responseDeserialize: () => methods.Version.responseDeserialize(Buffer.from([0x0a, 0xff])) },
    };
    const channel = new CriChannel(runtime.socket, broken);
    expect(await failureOf(version(channel))).toEqual({ kind: 'InvalidAnswer' });
    channel.close();
  });
});

describe('a socket that disappears and returns', () => {
  it('is dialled again after the runtime was stopped', async () => {
    await version(cri);
    await runtime.stop();
    expect(await failureOf(version(cri))).toEqual({ kind: 'Unavailable' });
    await runtime.start();
    expect((await version(cri)).runtimeName).toBe('containerd');
  });

  it('may be a named pipe, which is no file to check', async () => {
    const before = process.cwd();
    process.chdir(folder);
    const piped = new ScriptedRuntime({ socket: '\\\\.\\pipe\\containerd-containerd' });
    const channel = new CriChannel(piped.socket, methods);
    try {
      await expect(version(channel)).rejects.toMatchObject({ failure: { kind: 'Unavailable' } });
      await piped.start();
      // Between two attempts to connect the channel waits for some time.
      const isAnswered = (): Promise<boolean> => succeeds(version(channel));
      await eventually(isAnswered, 10_000);
      expect(await version(channel)).toMatchObject({ runtimeName: 'containerd' });
    } finally {
      channel.close();
      await piped.stop();
      process.chdir(before);
    }
  });

  it('is dialled again when another runtime has replaced it', async () => {
    await version(cri);
    await runtime.stop();
    const other = new ScriptedRuntime({ socket: runtime.socket, name: 'cri-o' });
    await other.start();
    expect((await version(cri)).runtimeName).toBe('cri-o');
    await other.stop();
  });

  it('fails the call that was running', async () => {
    runtime.on('Version', () => {
      void runtime.stop();
      return new Promise(() => undefined);
    });
    expect(await failureOf(version(cri))).toEqual({ kind: 'Unavailable' });
  });
});

describe('the methods', () => {
  it('are those of the proto file, and none that creates or removes anything', () => {
    const proto = readFileSync(join(dirname(fileURLToPath(import.meta.url)), '../../../protos/cri.proto'), 'utf8');
    const declared = [...proto.matchAll(/rpc (\w+)\(/g)].map((match) => match[1]);
    expect(Object.keys(criMethods).sort()).toEqual(declared.sort());
    expect(declared.filter((name) => /^(Create|Remove|Start|Run|Update)/.test(name ?? ''))).toEqual([]);
  });

  it('have the paths of CRI v1', () => {
    expect(methods.Version.path).toBe('/runtime.v1.RuntimeService/Version');
    expect(methods.ListImages.path).toBe('/runtime.v1.ImageService/ListImages');
  });

  it('are written with the field numbers of the interface', () => {
    const bytes = methods.StopContainer.requestSerialize({ containerId: 'ab', timeout: 300 });
    expect(bytes.toString('hex')).toBe('0a026162' + '10ac02');
    const listed = methods.ListContainers.requestSerialize({ filter: { labelSelector: { k: 'v' } } });
    expect(listed.toString('hex')).toBe('0a08' + '2206' + '0a016b' + '120176');
  });
});
