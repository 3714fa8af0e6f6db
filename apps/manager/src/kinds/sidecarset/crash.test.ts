/**
 * The controller is killed at every single write of a cold and of a hot rollout, once before the server took the write and once after, and
 * another process goes on: the end must be that of an undisturbed run, with nothing restarted twice.
 */
import { describe, expect, it } from '@jest/globals';
import type { SidecarContainer } from '@kruise/api';
import { controllerRevisions, isPodReady } from '@kruise/objects';
import type { LifeOptions } from '../one-controller.testing.ts';
import { aHotSidecar, aSidecar, aSidecarSet } from './testing.ts';
import { imagesOf, World } from './world.testing.ts';

interface End {
  readonly writes: number;
  readonly pods: readonly unknown[];
  readonly status: unknown;
  readonly revisions: readonly unknown[];
}

/** What must be equal; times and numbers of versions may differ. */
async function rollout(containersOf: (image: string) => readonly SidecarContainer[], death?: LifeOptions['death']): Promise<End> {
  const world = new World(aSidecarSet({ containers: containersOf('side:1') }), 2, death === undefined ? {} : { death });
  const first = world.life;
  await world.run(2);
  world.change({ containers: containersOf('side:2') });
  await world.run(16);
  const { collisionCount: _count, ...status } = world.sidecarSet.status ?? { collisionCount: 0 };
  const end = {
    writes: first.writes,
    pods: world.pods.map((pod) => ({
      images: imagesOf(pod),
      ready: isPodReady(pod),
      restarts: pod.status?.containerStatuses?.map(({ name, restartCount }) => [name, restartCount]),
      upgradable: pod.status?.conditions
        ?.filter(({ type }) => type === 'SidecarSetUpgradable')
        .map(({ status: value, message }) => [value, message]),
      working: pod.metadata.annotations?.['kruise.io/sidecarset-working-hotupgrade-container'],
    })),
    status,
    revisions: world.api.peekAll(controllerRevisions, 'kruise-system').map(({ metadata, revision }) => [metadata.name, revision]),
  };
  await world.life.stop();
  return end;
}

describe('a manager that is killed', () => {
  it.each([
    ['a cold update', (image: string) => [aSidecar('side', image)]],
    ['a hot upgrade', (image: string) => [aHotSidecar('side', image)]],
  ])(
    'at any write of %s ends where an undisturbed one does',
    async (_name, containersOf) => {
      const { writes, ...undisturbed } = await rollout(containersOf);
      expect(writes).toBeGreaterThanOrEqual(8);
      expect(undisturbed.status).toMatchObject({ matchedPods: 2, updatedPods: 2, readyPods: 2, updatedReadyPods: 2 });
      for (let at = 1; at <= writes; at++) {
        for (const when of ['before', 'after'] as const) {
          const { writes: _writes, ...end } = await rollout(containersOf, { at, when });
          expect(end).toEqual(undisturbed);
        }
      }
    },
    120_000,
  );
});
