/**
 * The test kills the controller at every single write of a cold and of a hot rollout, in each way to die, and starts another process:
 * the result must equal that of an undisturbed run, and nothing is restarted twice.
 */
import { describe, expect, it } from '@jest/globals';
import type { SidecarContainer } from '@kruise/api';
import { deathsAtEveryStep, deathTimes, type Death } from '@kruise/kube/testing';
import { controllerRevisions, isPodReady } from '@kruise/objects';
import type { ControllerProcess } from '../../../module/controller-process.testing.ts';
import { aHotSidecar, aSidecar, aSidecarSet } from '@kruise/kinds/sidecarset/testing';
import { imagesOf, SidecarSetCluster } from '../cluster.testing.ts';

interface End {
  readonly pods: readonly unknown[];
  readonly status: unknown;
  readonly revisions: readonly unknown[];
}

/** What must be equal; times and numbers of versions may differ. */
async function rollout(
  containersOf: (image: string) => readonly SidecarContainer[],
  death?: Death,
): Promise<{ readonly first: ControllerProcess; readonly end: End }> {
  const cluster = new SidecarSetCluster(aSidecarSet({ containers: containersOf('side:1') }), 2, { death });
  const first = cluster.manager;
  await cluster.run(2);
  cluster.change({ containers: containersOf('side:2') });
  await cluster.run(16);
  const { collisionCount: _count, ...status } = cluster.sidecarSet.status ?? { collisionCount: 0 };
  const end = {
    pods: cluster.pods.map((pod) => ({
      images: imagesOf(pod),
      ready: isPodReady(pod),
      restarts: pod.status?.containerStatuses?.map(({ name, restartCount }) => [name, restartCount]),
      upgradable: pod.status?.conditions
        ?.filter(({ type }) => type === 'SidecarSetUpgradable')
        .map(({ status: value, message }) => [value, message]),
      working: pod.metadata.annotations?.['kruise.io/sidecarset-working-hotupgrade-container'],
    })),
    status,
    revisions: cluster.api.peekAll(controllerRevisions, 'kruise-system').map(({ metadata, revision }) => [metadata.name, revision]),
  };
  await cluster.manager.stop();
  return { first, end };
}

describe('a manager that is killed', () => {
  const updates = [
    { update: 'a cold update', containersOf: (image: string) => [aSidecar('side', image)] },
    { update: 'a hot upgrade', containersOf: (image: string) => [aHotSidecar('side', image)] },
  ];

  it.each(updates.flatMap((one) => deathTimes.map((when) => ({ ...one, when }))))(
    'at any write of $update ($when) ends where an undisturbed one does',
    async ({ containersOf, when }) => {
      const undisturbed = await rollout(containersOf);
      const { writes } = undisturbed.first;
      expect(writes).toBeGreaterThanOrEqual(8);
      expect(undisturbed.end.status).toMatchObject({ matchedPods: 2, updatedPods: 2, readyPods: 2, updatedReadyPods: 2 });
      const deaths = await deathsAtEveryStep(when, async (death) => {
        const { first, end } = await rollout(containersOf, death);
        expect({ death, end }).toEqual({ death, end: undisturbed.end });
        return first;
      });
      expect(deaths).toBe(writes);
    },
    120_000,
  );
});
