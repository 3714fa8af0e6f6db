/** The readiness gate and its first condition, with a real API server, a manager process and simulated kubelets. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneSets } from '@kruise/api';
import { namespaces, podCondition, pods, type Pod } from '@kruise/objects';
import type { ControlPlane } from '@kruise/testing';
import { CloneSetFixture, cloneSetOf } from '../../int-tests/fixtures/cloneset-fixture.testing.ts';
import { startInstalledPlane } from '../../int-tests/processes/installed-plane.testing.ts';
import { ManagerProcess } from '../../int-tests/processes/manager-process.testing.ts';

const image = 'registry.example/app:1';

const gatesOf = (pod: Pod): readonly string[] => (pod.spec.readinessGates ?? []).map(({ conditionType }) => conditionType);
const kruisePodReady = (pod: Pod): string | undefined => podCondition(pod, 'KruisePodReady')?.status;

const podOf = (name: string, gates: readonly string[], node: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'main', image }], readinessGates: gates.map((conditionType) => ({ conditionType })), ...node },
});

describe('KruisePodReady', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-manager-'));
  let plane: ControlPlane;
  let manager: ManagerProcess;
  let fixture: CloneSetFixture;

  beforeAll(async () => {
    plane = await startInstalledPlane();
    manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir });
    fixture = await CloneSetFixture.create(plane.kubeconfigPath, 'readiness');
    // The Pod webhook leaves such namespaces alone, so that Pods can be created while no manager runs.
    await fixture.client.create(namespaces, { metadata: { name: 'uncovered', labels: { 'control-plane': 'other' } } });
    for (const [name, gates] of [
      ['gated', ['KruisePodReady']],
      ['plain', []],
    ] as const) {
      const pod = podOf(name, gates);
      await fixture.client.create(pods, { ...pod, metadata: { ...pod.metadata, namespace: 'uncovered' } });
    }
    await manager.start();
  });
  afterAll(async () => {
    await manager.signal('SIGKILL');
    fixture.client.close();
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const read = (namespace: string, name: string): Promise<Pod> => fixture.client.get(pods, { namespace, name });

  /** @returns the Pod once it `holds` */
  async function untilPod(namespace: string, name: string, holds: (pod: Pod) => boolean): Promise<Pod> {
    const deadline = performance.now() + 180_000;
    for (;;) {
      const pod = await read(namespace, name);
      if (holds(pod)) return pod;
      if (performance.now() > deadline) throw new Error(`Pod ${name} did not get there: ${JSON.stringify(pod.status)}`);
      await sleep(25);
    }
  }

  it('is True for Pods that were created while no manager ran, and absent from those without the gate', async () => {
    const pod = await untilPod('uncovered', 'gated', (one) => kruisePodReady(one) !== undefined);
    expect(kruisePodReady(pod)).toBe('True');
    expect(kruisePodReady(await read('uncovered', 'plain'))).toBeUndefined();
  });

  it('is a gate of the Pods of a CloneSet, once, and lets them become available', async () => {
    await fixture.apply({ name: 'web', replicas: 2, image });
    await fixture.untilRolledOut('web');
    for (const pod of await fixture.pods('web')) {
      expect(gatesOf(pod).toSorted()).toEqual(['InPlaceUpdateReady', 'KruisePodReady']);
      expect(kruisePodReady(pod)).toBe('True');
    }
  });

  it('is True although the Pod cannot be scheduled', async () => {
    const cloneSet = cloneSetOf(fixture.namespace, { name: 'homeless', replicas: 1, image });
    const { template } = cloneSet.spec;
    const spec = { ...template.spec, nodeSelector: { nowhere: 'true' }, readinessGates: [{ conditionType: 'KruisePodReady' }] };
    await fixture.client.create(cloneSets, {
      ...cloneSet,
      spec: { ...cloneSet.spec, template: { ...template, spec } },
    } as unknown as typeof cloneSet);
    await fixture.until('homeless', ({ status }) => status?.replicas === 1);
    const name = (await fixture.pods('homeless'))[0]?.metadata.name ?? '';
    const pod = await untilPod(fixture.namespace, name, (one) => kruisePodReady(one) !== undefined);
    expect(pod.spec.nodeName).toBeUndefined();
    expect(gatesOf(pod).filter((gate) => gate === 'KruisePodReady')).toHaveLength(1);
  });

  it('is no gate of other Pods as long as the feature gate is off', async () => {
    const pod = podOf('bare', []);
    await fixture.client.create(pods, { ...pod, metadata: { ...pod.metadata, namespace: fixture.namespace } });
    expect(gatesOf(await read(fixture.namespace, 'bare'))).toEqual([]);
  });
});
