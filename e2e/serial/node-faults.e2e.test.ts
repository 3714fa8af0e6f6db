/** What a rollout makes of nodes that fail in the middle of it. */
import { dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { conditionTypes } from '@kruise/api';
import { ComponentSet } from '@kruise/testing';
import type { CloneSetWorld } from '../../apps/manager/src/int-tests/cloneset-world.testing.ts';
import { imageOf, inPlaceReady, restartsOf } from '../support/pod-facts.ts';
import { closeWorld, images, openWorld } from '../support/world.ts';

/** Exactly three Pods on each node, so that the loss of one takes three of the four that may be unavailable. */
const template = {
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [{ name: 'main', image: images.first }],
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'web' } },
      },
    ],
  },
};

describe('a node fails in the middle of a rollout', () => {
  let world: CloneSetWorld;
  const components = new ComponentSet(dirname(process.env['KRUISE_E2E_KUBECONFIG'] ?? ''));
  beforeAll(async () => {
    world = await openWorld('node-faults');
  });
  // A test that ended early leaves its node as it found it, for its next try and for the tests after it.
  afterEach(async () => {
    for (const name of ['kubelet-node1', 'kubelet-node2', 'kubelet-node3']) if (!components.isAlive(name)) await components.restart(name);
  });
  afterAll(() => closeWorld(world));

  it('kubelet and containerd restart, and every Pod is updated once, with no gate left closed', async () => {
    await world.apply({ name: 'web', replicas: 9, image: images.first, rollingUpdate: { maxUnavailable: 4 }, spec: { template } });
    await world.untilRolledOut('web');
    const before = await world.pods('web');
    await world.setImage('web', images.second);
    await world.untilUpdated('web', 1);
    await components.kill('kubelet-node1');
    // The three Pods of node1 may all have been among the first: the fourth slot is what goes on meanwhile.
    await world.untilUpdated('web', 5);
    await Promise.all([components.restart('kubelet-node1'), components.restart('containerd-node2', 1_000)]);
    await world.untilRolledOut('web');
    const after = await world.pods('web');
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
    expect(after.map(imageOf)).toEqual(Array.from({ length: 9 }, () => images.second));
    // A container that containerd was about to start when it went has failed once: the kubelet counts its next try.
    const tooMany = after.filter((pod) => (restartsOf(pod) ?? 0) > (pod.spec.nodeName === 'node2' ? 2 : 1));
    expect(tooMany.map(({ metadata }) => metadata.name)).toEqual([]);
    expect(after.filter((pod) => (restartsOf(pod) ?? 0) < 1)).toEqual([]);
    expect(after.map(inPlaceReady)).toEqual(Array.from({ length: 9 }, () => 'True'));
  });

  it('a node that is gone is named, and the rollout goes on when it is back', async () => {
    const before = await world.pods('web');
    const node = before[0]?.spec.nodeName ?? '';
    await components.kill(`kubelet-${node}`);
    await world.setImage('web', images.first);
    const stuck = await world.until(
      'web',
      ({ status }) => status?.conditions?.some(({ type, reason }) => type === conditionTypes.blocked && reason === 'NodeLost') === true,
    );
    const blocked = stuck.status?.conditions?.find(({ type }) => type === conditionTypes.blocked);
    expect(blocked?.message).toMatch(new RegExp(`^node ${node} of Pod web-.+ does not report any more$`));
    await components.restart(`kubelet-${node}`);
    const done = await world.untilRolledOut('web');
    expect(done.status?.conditions?.some(({ type }) => type === conditionTypes.blocked) ?? false).toBe(false);
    expect((await world.pods('web')).map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  });
});
