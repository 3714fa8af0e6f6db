/** What users see of the Pod webhook while no manager runs at all. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sidecarSets } from '@kruise/api';
import { isPodReady, mutatingWebhookConfigurations, type KubeObject, type Pod, pods } from '@kruise/objects';
import type { CloneSetWorld } from '../../apps/manager/src/int-tests/cloneset-world.testing.ts';
import { kubectl } from '../support/programs.ts';
import { closeWorld, images, openWorld } from '../support/world.ts';

interface Webhook {
  readonly name: string;
}
interface Configuration extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}

const system = 'kruise-system';
const configurationKey = { namespace: '', name: 'kruise-mutating-webhook-configuration' };
const meshName = 'failsafe-mesh';

describe('the Pod webhook without a manager', () => {
  let world: CloneSetWorld;

  const podOf = (name: string, labels: Readonly<Record<string, string>>): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: world.namespace, name, labels },
    spec: { containers: [{ name: 'main', image: images.first }], terminationGracePeriodSeconds: 0 },
  });
  const create = (name: string, labels: Readonly<Record<string, string>> = {}): Promise<Pod> =>
    world.client.create(pods, podOf(name, labels));
  const refusalOf = (name: string, labels: Readonly<Record<string, string>>): Promise<string | undefined> =>
    create(name, labels).then(
      () => undefined,
      (error: unknown) => String(error),
    );

  const managers = async (): Promise<readonly Pod[]> =>
    (await world.client.list(pods, { namespace: system, labelSelector: 'control-plane=controller-manager' })).items;
  async function scale(replicas: number): Promise<void> {
    await kubectl('scale', 'deployment', 'kruise-controller-manager', '-n', system, `--replicas=${replicas}`);
    const isThere = async (): Promise<boolean> => {
      const all = await managers();
      return all.length === replicas && all.every(isPodReady);
    };
    await world.eventually(isThere, `${replicas} managers`);
  }
  const configuration = (): Promise<Configuration> => world.client.get<Configuration>(mutatingWebhookConfigurations, configurationKey);
  const partsOf = async (reason: string): Promise<readonly string[]> =>
    ((await configuration()).webhooks ?? []).map(({ name }) => name).filter((name) => name.startsWith(reason));

  beforeAll(async () => {
    world = await openWorld('failsafe');
  });
  afterAll(async () => {
    if ((await managers()).length === 0) await scale(2);
    await world.client.delete(sidecarSets, { namespace: '', name: meshName }).catch(() => undefined);
    await closeWorld(world);
  });

  it('is asked for what a new SidecarSet needs at once', async () => {
    const mesh = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'SidecarSet',
      metadata: { name: meshName },
      spec: {
        selector: { matchLabels: { mesh: 'yes' } },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': world.namespace } },
        containers: [{ name: 'mesh', image: images.second }],
      },
    };
    await world.client.create(sidecarSets, mesh);
    const pod = await create('with-mesh', { mesh: 'yes' });
    expect(pod.spec.containers.map(({ name }) => name).toSorted()).toEqual(['main', 'mesh']);
    expect(await partsOf('sidecarset')).not.toEqual([]);
  });

  it('lets Pods pass that nobody needs, and tells why it refuses the others', async () => {
    await scale(0);
    await create('unrelated');
    await create('other-label', { mesh: 'no' });
    expect(await refusalOf('refused', { mesh: 'yes' })).toMatch(/failed calling webhook "sidecarset(-ns\d+)?\.mpod\.kb\.io"/);
  });

  it('injects again after a manager has come back, and needs no more Pods once the SidecarSet is gone', async () => {
    await scale(2);
    const pod = await create('with-mesh-again', { mesh: 'yes' });
    expect(pod.spec.containers.map(({ name }) => name).toSorted()).toEqual(['main', 'mesh']);
    const needed = async (): Promise<string> => JSON.stringify((await configuration()).webhooks ?? []);
    expect(await needed()).toContain('"mesh\\"');
    await world.client.delete(sidecarSets, { namespace: '', name: meshName });
    await world.eventually(async () => !(await needed()).includes('"mesh\\"'), 'the webhook is narrow again');
    expect((await configuration()).metadata.annotations?.['template']).not.toContain('needed.kruise.io');
  });
});
