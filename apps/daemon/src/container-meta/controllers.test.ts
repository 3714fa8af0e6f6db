/** Both controllers against a scripted runtime over a real socket and a fake API server. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ScriptedFailure } from '@kruise/cri/testing';
import { keyOf, pods, seconds } from '@kruise/objects';
import { metadataEnvHash, plainHash, runtimeMetaOf } from '@kruise/pods';
import { aNodePod, app, runContainer } from '../testing.ts';
import { key, signal, ContainerMetaFixture } from './fixture.testing.ts';
import { restartRequest } from './restarter.ts';

let fixture: ContainerMetaFixture;
beforeEach(() => {
  fixture = new ContainerMetaFixture();
});
afterEach(() => fixture.end());

describe('container meta', () => {
  it('is reported with both hashes, once', async () => {
    const pod = await fixture.begin();
    expect(await fixture.controller.reconcile(key, signal)).toEqual({ kind: 'Settled' });
    expect(runtimeMetaOf(fixture.pod)).toEqual([
      {
        name: 'app',
        containerID: 'containerd://app-1',
        restartCount: 0,
        plainHash: plainHash(app),
        metadataEnvHash: metadataEnvHash(app, pod.metadata),
      },
    ]);
    await fixture.controller.reconcile(key, signal);
    expect(fixture.patches).toBe(1);
    expect(fixture.runtime.callsOf('ExecSync')).toEqual([]);
  });

  it('contains the values of the process, not those of the Pod', async () => {
    const pod = await fixture.begin();
    runContainer(fixture.runtime, pod, { env: { CFG: 'older' } });
    await fixture.controller.reconcile(key, signal);
    expect(runtimeMetaOf(fixture.pod)?.[0]?.metadataEnvHash).toBe(metadataEnvHash(app, { ...pod.metadata, annotations: { cfg: 'older' } }));
  });

  it('asks the container itself when the runtime does not report it', async () => {
    const pod = await fixture.begin();
    fixture.runtime.tellsEnvironment = false;
    await fixture.controller.reconcile(key, signal);
    expect(runtimeMetaOf(fixture.pod)?.[0]?.metadataEnvHash).toBe(metadataEnvHash(app, pod.metadata));
    expect(fixture.runtime.callsOf('ExecSync')).toEqual([{ containerId: 'app-1', cmd: ['env'], timeout: '3' }]);
  });

  it('runs nothing in a container whose sandbox is of another Pod', async () => {
    const pod = await fixture.begin();
    fixture.runtime.tellsEnvironment = false;
    const sandbox = `sandbox-${pod.metadata.uid}`;
    fixture.runtime.sandboxes.set(sandbox, { id: sandbox, name: 'web', namespace: 'default', uid: 'another' });
    expect(await fixture.controller.reconcile(key, signal)).toEqual({ kind: 'Requeue', after: seconds(3) });
    expect(fixture.runtime.callsOf('ExecSync')).toEqual([]);
  });

  it('is reported without the environment that cannot be read, which is retried', async () => {
    await fixture.begin();
    fixture.runtime.tellsEnvironment = false;
    fixture.runtime.on('ExecSync', () => ({ stdout: Buffer.alloc(0), stderr: Buffer.from('no env here'), exitCode: 127 }));
    expect(await fixture.controller.reconcile(key, signal)).toEqual({ kind: 'Requeue', after: seconds(3) });
    expect(runtimeMetaOf(fixture.pod)).toMatchObject([{ name: 'app', metadataEnvHash: 0 }]);
    fixture.runtime.on('ExecSync');
    expect(await fixture.controller.reconcile(key, signal)).toEqual({ kind: 'Settled' });
    expect(runtimeMetaOf(fixture.pod)?.[0]?.metadataEnvHash).not.toBe(0);
  });

  it('that cannot be read is retried with increasing pauses, and logged once for an instance', async () => {
    await fixture.begin();
    fixture.runtime.tellsEnvironment = false;
    fixture.runtime.on('ExecSync', () => ({ stdout: Buffer.alloc(0), stderr: Buffer.from('no env here'), exitCode: 127 }));
    const pauses = [];
    for (let pass = 0; pass < 4; pass++) pauses.push(await fixture.controller.reconcile(key, signal));
    expect(pauses).toEqual([3, 6, 12, 24].map((after) => ({ kind: 'Requeue', after: seconds(after) })));
    const warned = () => fixture.logger.lines.filter(({ level }) => level === 'warn').length;
    expect(warned()).toBe(1);
    runContainer(fixture.runtime, fixture.pod, { id: 'app-2', createdAt: '1763731200000000002' });
    expect(await fixture.controller.reconcile(key, signal)).toEqual({ kind: 'Requeue', after: seconds(3) });
    expect(warned()).toBe(2);
  });

  it('has no environment hash when the gate is off', async () => {
    fixture.switchGateOff();
    await fixture.begin({ inPlaceUpdateReady: 'False' });
    await fixture.controller.reconcile(key, signal);
    expect(runtimeMetaOf(fixture.pod)).toMatchObject([{ plainHash: plainHash(app), metadataEnvHash: 0 }]);
    expect([fixture.restarts, fixture.runtime.callsOf('ContainerStatus')]).toEqual([[], []]);
  });

  it('waits for a missing runtime, and has it searched', async () => {
    await fixture.begin();
    fixture.hasRuntime = false;
    expect(await fixture.controller.reconcile(key, signal)).toMatchObject({ kind: 'Retry' });
    fixture.hasRuntime = true;
    await fixture.runtime.stop();
    await expect(fixture.controller.reconcile(key, signal)).rejects.toThrow('there is no socket');
    expect(fixture.missed).toBe(2);
    await fixture.runtime.start();
    await fixture.controller.reconcile(key, signal);
    expect(fixture.patches).toBe(1);
  });

  it('is not written to a Pod that was recreated with its name', async () => {
    await fixture.begin();
    await fixture.api.delete(pods, key, { gracePeriodSeconds: 0 });
    expect(await fixture.controller.reconcile(key, signal)).toEqual({ kind: 'Settled' });
    await fixture.api.create(pods, aNodePod());
    await expect(fixture.controller.reconcile(key, signal)).rejects.toMatchObject({ failure: { kind: 'Conflict' } });
    expect((await fixture.api.get(pods, key)).metadata.annotations).not.toHaveProperty(['apps.kruise.io/runtime-containers-meta']);
  });

  it('does nothing for Pods that do not exist', async () => {
    expect(await fixture.controller.reconcile(key, signal)).toEqual({ kind: 'Settled' });
  });
});

describe('a restart', () => {
  const restart = async () => {
    const [request] = fixture.restarts.splice(0).map(restartRequest);
    if (request === undefined || !('key' in request)) throw new Error('no restart was asked for');
    expect(request.after).toBe(seconds(3));
    return fixture.restarter.reconcile(request.key, signal);
  };

  async function updated(): Promise<void> {
    await fixture.begin();
    await fixture.controller.reconcile(key, signal);
    await fixture.updateInPlace('two');
    await fixture.controller.reconcile(key, signal);
    expect(fixture.restarts).toMatchObject([{ name: 'app', containerID: 'containerd://app-1' }]);
  }

  it('stops the container once and reports it', async () => {
    await updated();
    expect(await restart()).toEqual({ kind: 'Settled' });
    expect(fixture.runtime.callsOf('StopContainer')).toEqual([{ containerId: 'app-1', timeout: '30' }]);
    expect(fixture.events).toEqual(['Killing: Stopping containerID containerd://app by container meta restarter']);
    await fixture.restarter.reconcile({ namespace: 'containerd', name: 'app-1' }, signal);
    expect(fixture.runtime.callsOf('StopContainer')).toHaveLength(1);
  });

  it('ends in a report that agrees with the Pod', async () => {
    await updated();
    await restart();
    runContainer(fixture.runtime, fixture.pod, { id: 'app-2', createdAt: '1763731200000000002', restartCount: 1, env: { CFG: 'two' } });
    await fixture.controller.reconcile(key, signal);
    expect(runtimeMetaOf(fixture.pod)).toMatchObject([
      { containerID: 'containerd://app-2', restartCount: 1, metadataEnvHash: metadataEnvHash(app, fixture.pod.metadata) },
    ]);
    expect(fixture.restarts).toEqual([]);
  });

  it('is not requested after a change by hand', async () => {
    await fixture.begin();
    await fixture.controller.reconcile(key, signal);
    await fixture.change((pod) => ({ ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, cfg: 'two' } } }));
    await fixture.controller.reconcile(key, signal);
    expect(fixture.restarts).toEqual([]);
  });

  it.each<[string, () => Promise<unknown> | void]>([
    [
      'the kubelet has made a newer instance',
      () => void runContainer(fixture.runtime, fixture.pod, { id: 'app-2', createdAt: '1763731200000000002' }),
    ],
    ['the container has ended', () => void runContainer(fixture.runtime, fixture.pod, { state: 'CONTAINER_EXITED' })],
    ['the container is gone', () => void fixture.runtime.containers.clear()],
    [
      'the update has ended',
      () => fixture.change((pod) => ({ ...pod, status: { ...pod.status, conditions: [{ type: 'InPlaceUpdateReady', status: 'True' }] } })),
    ],
    ['the values went back', () => fixture.updateInPlace('one')],
    [
      'the image changed as well',
      () => fixture.change((pod) => ({ ...pod, spec: { ...pod.spec, containers: [{ ...app, image: 'app:2' }] } })),
    ],
    ['the Pod is gone', () => fixture.informer.store.observeDeletion(key, fixture.pod.metadata.uid, '999999')],
    [
      'the container is in a sandbox of another Pod',
      () => {
        const id = `sandbox-${fixture.pod.metadata.uid}`;
        fixture.runtime.sandboxes.set(id, { id, name: 'web', namespace: 'default', uid: 'another' });
      },
    ],
  ])('is skipped when meanwhile %s', async (_name, happens) => {
    await updated();
    await happens();
    expect(await restart()).toEqual({ kind: 'Settled' });
    expect(fixture.runtime.callsOf('StopContainer')).toEqual([]);
  });

  it('is retried when the runtime fails', async () => {
    await updated();
    fixture.runtime.on('StopContainer', () => {
      throw new ScriptedFailure(14, 'restarting');
    });
    const asked = [...fixture.restarts];
    await expect(restart()).rejects.toThrow('StopContainer: restarting');
    fixture.runtime.on('StopContainer');
    fixture.restarts.push(...asked);
    expect(await restart()).toEqual({ kind: 'Settled' });
    expect(fixture.runtime.containers.get('app-1')?.state).toBe('CONTAINER_EXITED');
  });

  it('does not touch a container of a Pod that the API server does not know on this node', async () => {
    await fixture.begin();
    runContainer(fixture.runtime, aNodePod({ name: 'stranger' }), { id: 'strange-1' });
    expect(await fixture.restarter.reconcile({ namespace: 'containerd', name: 'strange-1' }, signal)).toEqual({ kind: 'Settled' });
    expect(fixture.runtime.callsOf('StopContainer')).toEqual([]);
    expect(keyOf(fixture.pod)).toEqual(key);
  });
});
