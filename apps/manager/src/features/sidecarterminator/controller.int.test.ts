/** Sidecars of Pods on nodes that the test plays itself, with a real API server, its admission of requests, and a manager process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { containerRecreateRequests, type ContainerRecreateRequest } from '@kruise/api';
import { nodes, podCondition, pods, type Pod } from '@kruise/objects';
import { minorUnderTest, type ControlPlane } from '@kruise/testing';
import { CloneSetFixture } from '../../int-tests/fixtures/cloneset-fixture.testing.ts';
import { startInstalledPlane } from '../../int-tests/processes/installed-plane.testing.ts';
import { ManagerProcess } from '../../int-tests/processes/manager-process.testing.ts';
import { aJobPod, byImage, byRequest, ended, failed, ignored, running, type Part } from '@kruise/kinds/sidecarterminator/testing';

describe('sidecars of Pods that run to completion', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-manager-'));
  let plane: ControlPlane;
  let manager: ManagerProcess;
  let fixture: CloneSetFixture;

  beforeAll(async () => {
    plane = await startInstalledPlane({ simulatedNodes: 0 });
    const flags = ['--feature-gates=SidecarTerminator=true'];
    manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir, flags });
    await manager.start();
    fixture = await CloneSetFixture.create(plane.kubeconfigPath, 'sidecars');
    await fixture.client.create(nodes, { metadata: { name: 'real' } });
    await fixture.client.create(nodes, { metadata: { name: 'virtual', labels: { type: 'virtual-kubelet' } } });
  });
  afterAll(async () => {
    await manager.signal('SIGKILL');
    fixture.client.close();
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const requestOf = async (pod: Pod): Promise<ContainerRecreateRequest | undefined> => {
    const { items } = await fixture.client.list(containerRecreateRequests, { namespace: fixture.namespace });
    return items.find(({ metadata }) => metadata.name === `sidecar-termination-${pod.metadata.uid}`);
  };
  const reasons = async (pod: Pod): Promise<readonly (string | undefined)[]> =>
    (await fixture.events(pod.metadata.name)).map(({ reason }) => reason);

  /** A Pod that has come that far on its node. */
  async function create(
    name: string,
    parts: readonly Part[],
    shape: { restartPolicy?: string; node?: string; phase?: 'Pending' | 'Running' } = {},
  ): Promise<Pod> {
    const { spec, status } = aJobPod(parts, { name, node: 'real', ...shape });
    const { readinessGates: _gates, ...podSpec } = spec;
    await fixture.client.create(pods, { metadata: { namespace: fixture.namespace, name }, spec: podSpec });
    return report(name, status);
  }
  const report = (name: string, status: Pod['status']): Promise<Pod> =>
    fixture.client.patch(pods, { namespace: fixture.namespace, name }, { status }, { type: 'merge', subresource: 'status' });

  const main: Part = { name: 'main', state: ended };
  const log: Part = { name: 'log', state: running, env: byRequest };

  it('are ended by a request that admission accepts and fills in', async () => {
    const pod = await create('normal', [main, log, { ...log, name: 'done', state: ended }]);
    await fixture.eventually(async () => (await requestOf(pod)) !== undefined, 'a request');
    expect(await requestOf(pod)).toMatchObject({
      metadata: { labels: { 'crr.apps.kruise.io/node-name': 'real', 'crr.apps.kruise.io/pod-uid': pod.metadata.uid } },
      spec: {
        containers: [{ name: 'log', statusContext: { containerID: 'containerd://log' } }],
        strategy: { forceRecreate: true, failurePolicy: 'Ignore' },
      },
    });
    await report('normal', { ...pod.status, message: 'changed' });
    await fixture.eventually(async () => (await reasons(pod)).includes('SidecarTerminator'), 'an event');
    expect((await fixture.events('normal')).map(({ count = 1 }) => count)).toEqual([1]);
  });

  it.each([
    { name: 'good', state: ended, phase: 'Succeeded' },
    { name: 'bad', state: failed, phase: 'Failed' },
  ])('whose exit code does not count: the Pod is $phase, and admission still accepts the request', async ({ name, state, phase }) => {
    const pod = await create(name, [
      { ...main, state },
      { ...log, env: ignored },
    ]);
    await fixture.eventually(async () => (await requestOf(pod)) !== undefined, 'a request');
    const seen = await fixture.pod(name);
    expect(seen.status?.phase).toBe(phase);
    expect(podCondition(seen, 'SidecarTerminated')).toMatchObject({ status: 'True', message: 'Terminated by Sidecar Terminator' });
  });

  it('on a virtual node get another image, in one write, and those without one are named', async () => {
    const pod = await create('virtual', [main, { name: 'agent', state: running, env: byImage }, log], { node: 'virtual' });
    await fixture.eventually(async () => (await fixture.pod('virtual')).spec.containers[1]?.image === 'exit:1', 'another image');
    const after = await fixture.pod('virtual');
    expect(after.spec.containers.map(({ image }) => image)).toEqual(['app:1', 'exit:1', 'app:1']);
    // Older API servers do not count the changes of a Pod.
    expect(after.metadata.generation).toBe(minorUnderTest() >= 34 ? 2 : undefined);
    await fixture.eventually(async () => (await reasons(pod)).length === 2, 'two events');
    expect((await reasons(pod)).toSorted()).toEqual(['SidecarTerminator', 'SidecarTerminatorUnsupported']);
    expect(await requestOf(pod)).toBeUndefined();
  });

  it('stay while they are not due: the Pod restarts its containers, or is only being started', async () => {
    const untouched = [
      await create('always', [main, log], { restartPolicy: 'Always' }),
      await create('pending', [main, log], { phase: 'Pending' }),
      await create('busy', [{ ...main, state: running }, log]),
      await create('retrying', [{ ...main, state: failed }, log], { restartPolicy: 'OnFailure' }),
    ];
    // What comes after them has been worked on.
    const last = await create('last', [main, log]);
    await fixture.eventually(async () => (await requestOf(last)) !== undefined, 'a request');
    for (const pod of untouched) expect(await requestOf(pod)).toBeUndefined();
  });
});
