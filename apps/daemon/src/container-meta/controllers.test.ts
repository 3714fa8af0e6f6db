/** Both controllers against a scripted runtime over a real socket and a fake API server. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ScriptedFailure } from '@kruise/cri/testing';
import { keyOf, pods, seconds } from '@kruise/objects';
import { metadataEnvHash, plainHash, runtimeMetaOf } from '@kruise/pods';
import { aNodePod, app, runContainer } from '../testing.ts';
import { key, signal, World } from './meta-world.testing.ts';
import { restartRequest } from './restarter.ts';

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

describe('container meta', () => {
  it('is reported with both hashes, once', async () => {
    const pod = await world.begin();
    expect(await world.controller.reconcile(key, signal)).toEqual({ kind: 'Settled' });
    expect(runtimeMetaOf(world.pod)).toEqual([
      {
        name: 'app',
        containerID: 'containerd://app-1',
        restartCount: 0,
        plainHash: plainHash(app),
        metadataEnvHash: metadataEnvHash(app, pod.metadata),
      },
    ]);
    await world.controller.reconcile(key, signal);
    expect(world.patches).toBe(1);
    expect(world.runtime.callsOf('ExecSync')).toEqual([]);
  });

  it('contains the values of the process, not those of the Pod', async () => {
    const pod = await world.begin();
    runContainer(world.runtime, pod, { env: { CFG: 'older' } });
    await world.controller.reconcile(key, signal);
    expect(runtimeMetaOf(world.pod)?.[0]?.metadataEnvHash).toBe(metadataEnvHash(app, { ...pod.metadata, annotations: { cfg: 'older' } }));
  });

  it('asks the container itself when the runtime does not report it', async () => {
    const pod = await world.begin();
    world.runtime.tellsEnvironment = false;
    await world.controller.reconcile(key, signal);
    expect(runtimeMetaOf(world.pod)?.[0]?.metadataEnvHash).toBe(metadataEnvHash(app, pod.metadata));
    expect(world.runtime.callsOf('ExecSync')).toEqual([{ containerId: 'app-1', cmd: ['env'], timeout: '3' }]);
  });

  it('runs nothing in a container whose sandbox is of another Pod', async () => {
    const pod = await world.begin();
    world.runtime.tellsEnvironment = false;
    const sandbox = `sandbox-${pod.metadata.uid}`;
    world.runtime.sandboxes.set(sandbox, { id: sandbox, name: 'web', namespace: 'default', uid: 'another' });
    expect(await world.controller.reconcile(key, signal)).toEqual({ kind: 'Requeue', after: seconds(3) });
    expect(world.runtime.callsOf('ExecSync')).toEqual([]);
  });

  it('is reported without the environment that cannot be read, which is retried', async () => {
    await world.begin();
    world.runtime.tellsEnvironment = false;
    world.runtime.on('ExecSync', () => ({ stdout: Buffer.alloc(0), stderr: Buffer.from('no env here'), exitCode: 127 }));
    expect(await world.controller.reconcile(key, signal)).toEqual({ kind: 'Requeue', after: seconds(3) });
    expect(runtimeMetaOf(world.pod)).toMatchObject([{ name: 'app', metadataEnvHash: 0 }]);
    world.runtime.on('ExecSync');
    expect(await world.controller.reconcile(key, signal)).toEqual({ kind: 'Settled' });
    expect(runtimeMetaOf(world.pod)?.[0]?.metadataEnvHash).not.toBe(0);
  });

  it('that cannot be read is retried with increasing pauses, and logged once for an instance', async () => {
    await world.begin();
    world.runtime.tellsEnvironment = false;
    world.runtime.on('ExecSync', () => ({ stdout: Buffer.alloc(0), stderr: Buffer.from('no env here'), exitCode: 127 }));
    const pauses = [];
    for (let pass = 0; pass < 4; pass++) pauses.push(await world.controller.reconcile(key, signal));
    expect(pauses).toEqual([3, 6, 12, 24].map((after) => ({ kind: 'Requeue', after: seconds(after) })));
    const warned = () => world.logger.lines.filter(({ level }) => level === 'warn').length;
    expect(warned()).toBe(1);
    runContainer(world.runtime, world.pod, { id: 'app-2', createdAt: '1763731200000000002' });
    expect(await world.controller.reconcile(key, signal)).toEqual({ kind: 'Requeue', after: seconds(3) });
    expect(warned()).toBe(2);
  });

  it('has no environment hash when the gate is off', async () => {
    world.switchGateOff();
    await world.begin({ inPlaceUpdateReady: 'False' });
    await world.controller.reconcile(key, signal);
    expect(runtimeMetaOf(world.pod)).toMatchObject([{ plainHash: plainHash(app), metadataEnvHash: 0 }]);
    expect([world.restarts, world.runtime.callsOf('ContainerStatus')]).toEqual([[], []]);
  });

  it('waits for a missing runtime, and has it searched', async () => {
    await world.begin();
    world.hasRuntime = false;
    expect(await world.controller.reconcile(key, signal)).toMatchObject({ kind: 'Retry' });
    world.hasRuntime = true;
    await world.runtime.stop();
    await expect(world.controller.reconcile(key, signal)).rejects.toThrow('there is no socket');
    expect(world.missed).toBe(2);
    await world.runtime.start();
    await world.controller.reconcile(key, signal);
    expect(world.patches).toBe(1);
  });

  it('is not written to a Pod that was recreated with its name', async () => {
    await world.begin();
    await world.api.delete(pods, key, { gracePeriodSeconds: 0 });
    expect(await world.controller.reconcile(key, signal)).toEqual({ kind: 'Settled' });
    await world.api.create(pods, aNodePod());
    await expect(world.controller.reconcile(key, signal)).rejects.toMatchObject({ failure: { kind: 'Conflict' } });
    expect((await world.api.get(pods, key)).metadata.annotations).not.toHaveProperty(['apps.kruise.io/runtime-containers-meta']);
  });

  it('does nothing for Pods that do not exist', async () => {
    expect(await world.controller.reconcile(key, signal)).toEqual({ kind: 'Settled' });
  });
});

describe('a restart', () => {
  const restart = async () => {
    const [request] = world.restarts.splice(0).map(restartRequest);
    if (request === undefined || !('key' in request)) throw new Error('no restart was asked for');
    expect(request.after).toBe(seconds(3));
    return world.restarter.reconcile(request.key, signal);
  };

  async function updated(): Promise<void> {
    await world.begin();
    await world.controller.reconcile(key, signal);
    await world.updateInPlace('two');
    await world.controller.reconcile(key, signal);
    expect(world.restarts).toMatchObject([{ name: 'app', containerID: 'containerd://app-1' }]);
  }

  it('stops the container once and reports it', async () => {
    await updated();
    expect(await restart()).toEqual({ kind: 'Settled' });
    expect(world.runtime.callsOf('StopContainer')).toEqual([{ containerId: 'app-1', timeout: '30' }]);
    expect(world.events).toEqual(['Killing: Stopping containerID containerd://app by container meta restarter']);
    await world.restarter.reconcile({ namespace: 'containerd', name: 'app-1' }, signal);
    expect(world.runtime.callsOf('StopContainer')).toHaveLength(1);
  });

  it('ends in a report that agrees with the Pod', async () => {
    await updated();
    await restart();
    runContainer(world.runtime, world.pod, { id: 'app-2', createdAt: '1763731200000000002', restartCount: 1, env: { CFG: 'two' } });
    await world.controller.reconcile(key, signal);
    expect(runtimeMetaOf(world.pod)).toMatchObject([
      { containerID: 'containerd://app-2', restartCount: 1, metadataEnvHash: metadataEnvHash(app, world.pod.metadata) },
    ]);
    expect(world.restarts).toEqual([]);
  });

  it('is not requested after a change by hand', async () => {
    await world.begin();
    await world.controller.reconcile(key, signal);
    await world.change((pod) => ({ ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, cfg: 'two' } } }));
    await world.controller.reconcile(key, signal);
    expect(world.restarts).toEqual([]);
  });

  it.each<[string, () => Promise<unknown> | void]>([
    [
      'the kubelet has made a newer instance',
      () => void runContainer(world.runtime, world.pod, { id: 'app-2', createdAt: '1763731200000000002' }),
    ],
    ['the container has ended', () => void runContainer(world.runtime, world.pod, { state: 'CONTAINER_EXITED' })],
    ['the container is gone', () => void world.runtime.containers.clear()],
    [
      'the update has ended',
      () => world.change((pod) => ({ ...pod, status: { ...pod.status, conditions: [{ type: 'InPlaceUpdateReady', status: 'True' }] } })),
    ],
    ['the values went back', () => world.updateInPlace('one')],
    [
      'the image changed as well',
      () => world.change((pod) => ({ ...pod, spec: { ...pod.spec, containers: [{ ...app, image: 'app:2' }] } })),
    ],
    ['the Pod is gone', () => world.informer.store.observeDeletion(key, world.pod.metadata.uid, '999999')],
    [
      'the container is in a sandbox of another Pod',
      () => {
        const id = `sandbox-${world.pod.metadata.uid}`;
        world.runtime.sandboxes.set(id, { id, name: 'web', namespace: 'default', uid: 'another' });
      },
    ],
  ])('is skipped when meanwhile %s', async (_name, happens) => {
    await updated();
    await happens();
    expect(await restart()).toEqual({ kind: 'Settled' });
    expect(world.runtime.callsOf('StopContainer')).toEqual([]);
  });

  it('is retried when the runtime fails', async () => {
    await updated();
    world.runtime.on('StopContainer', () => {
      throw new ScriptedFailure(14, 'restarting');
    });
    const asked = [...world.restarts];
    await expect(restart()).rejects.toThrow('StopContainer: restarting');
    world.runtime.on('StopContainer');
    world.restarts.push(...asked);
    expect(await restart()).toEqual({ kind: 'Settled' });
    expect(world.runtime.containers.get('app-1')?.state).toBe('CONTAINER_EXITED');
  });

  it('does not touch a container of a Pod that the API server does not know on this node', async () => {
    await world.begin();
    runContainer(world.runtime, aNodePod({ name: 'stranger' }), { id: 'strange-1' });
    expect(await world.restarter.reconcile({ namespace: 'containerd', name: 'strange-1' }, signal)).toEqual({ kind: 'Settled' });
    expect(world.runtime.callsOf('StopContainer')).toEqual([]);
    expect(keyOf(world.pod)).toEqual(key);
  });
});
