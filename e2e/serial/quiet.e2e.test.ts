/** A cluster in which nothing changes: what has every kind in use, and was updated and rolled back, is not written to any more. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CloneSetWorld } from '../../apps/manager/src/int-tests/cloneset-world.testing.ts';
import { auditEvents } from '../support/rights.ts';
import { sidecar, sidecarImages, SidecarWorld } from '../support/sidecar-world.ts';
import { closeWorld, images, openWorld } from '../support/world.ts';

const quietMs = 30_000;
const writes: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Who wrote what; leases are how the leader shows that it lives, and reviews of tokens are questions. */
const writesSoFar = (): readonly string[] =>
  auditEvents()
    .filter(({ verb, objectRef }) => writes.has(verb) && objectRef?.resource !== 'leases' && !objectRef?.resource?.endsWith('reviews'))
    .map(({ user, verb, requestURI }) => `${user.username}: ${verb} ${requestURI}`);

describe('a cluster at rest', () => {
  let world: CloneSetWorld;
  let sidecars: SidecarWorld;

  beforeAll(async () => {
    world = await openWorld('quiet');
    sidecars = new SidecarWorld(world);
    const make = (plural: string, version: string, kind: string, name: string, spec: object): Promise<unknown> =>
      world.client.raw(`/apis/apps.kruise.io/${version}/namespaces/quiet/${plural}`, {
        method: 'POST',
        body: { apiVersion: `apps.kruise.io/${version}`, kind, metadata: { name, namespace: 'quiet' }, spec },
      });
    const selector = { matchLabels: { app: 'web' } };
    await sidecars.create('web', [sidecar('side', sidecarImages.first)]);
    await make('podprobemarkers', 'v1alpha1', 'PodProbeMarker', 'marker', {
      selector,
      probes: [{ name: 'up', containerName: 'main', probe: { exec: { command: ['true'] } }, podConditionType: 'example.org/up' }],
    });
    await world.apply({ name: 'web', replicas: 3, image: images.first });
    await world.untilRolledOut('web');
    for (const image of [images.second, images.first]) {
      await world.setImage('web', image);
      await world.untilRolledOut('web');
    }
    const [pod] = await world.pods('web');
    await make('containerrecreaterequests', 'v1beta1', 'ContainerRecreateRequest', 'again', {
      podName: pod?.metadata.name,
      containers: [{ name: 'main' }],
    });
    await make('imagepulljobs', 'v1beta1', 'ImagePullJob', 'ahead', { image: images.second, completionPolicy: { type: 'Always' } });
    await make('ephemeraljobs', 'v1alpha1', 'EphemeralJob', 'look', {
      selector,
      template: {
        ephemeralContainers: [
          {
            name: 'look',
            image: sidecarImages.first,
            imagePullPolicy: 'IfNotPresent',
            terminationMessagePolicy: 'File',
            command: ['true'],
          },
        ],
      },
    });
  });
  afterAll(async () => {
    await sidecars.close();
    await closeWorld(world);
  });

  it(`is left alone: 30 s pass without a write by the manager or an agent`, async () => {
    const deadline = performance.now() + 10 * quietMs;
    let before = writesSoFar();
    for (;;) {
      await sleep(quietMs);
      const after = writesSoFar();
      if (after.length === before.length) return;
      if (performance.now() > deadline) expect(after.slice(before.length)).toEqual([]);
      before = after;
    }
  });
});
