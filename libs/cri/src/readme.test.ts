import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopContainersOf } from './readme.testing.ts';
import { ScriptedFailure, ScriptedRuntime } from './testing.ts';

describe('the example of the README', () => {
  let folder: string;
  let runtime: ScriptedRuntime;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cri-readme-'));
    runtime = new ScriptedRuntime({ socket: join(folder, 'run.sock') });
    await runtime.start();
    for (const [id, uid, state] of [
      ['a', 'u1', 'CONTAINER_RUNNING'],
      ['b', 'u1', 'CONTAINER_EXITED'],
      ['c', 'u2', 'CONTAINER_RUNNING'],
    ] as const) {
      const labels = { 'io.kubernetes.pod.uid': uid };
      runtime.containers.set(id, { id, podSandboxId: 's', metadata: null, imageRef: '', state, createdAt: '1', labels, annotations: {} });
    }
  });
  afterEach(async () => {
    await runtime.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const stop = (): Promise<number> => stopContainersOf(runtime.socket, 'u1', 3, new AbortController().signal);

  it('stops the running containers of the Pod, with its grace period, and nothing else', async () => {
    expect(await stop()).toBe(1);
    expect(runtime.callsOf('StopContainer')).toMatchObject([{ containerId: 'a', timeout: '3' }]);
    expect([...runtime.containers.values()].map(({ state }) => state)).toEqual([
      'CONTAINER_EXITED',
      'CONTAINER_EXITED',
      'CONTAINER_RUNNING',
    ]);
  });

  it('treats a removed container as stopped, and no other failure', async () => {
    const failWith = (code: number): void =>
      runtime.on('StopContainer', () => {
        throw new ScriptedFailure(code, 'scripted');
      });
    failWith(5);
    expect(await stop()).toBe(1);
    failWith(13);
    await expect(stop()).rejects.toMatchObject({ failure: { kind: 'Refused', code: 13 } });
  });
});
