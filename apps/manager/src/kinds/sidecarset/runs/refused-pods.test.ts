/** A Pod whose update is refused delays no other Pod, in any step and with any cause of the refusal. */
import { describe, expect, it } from '@jest/globals';
import { sidecarSets } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import type { FakeCall } from '@kruise/kube/testing';
import { controllerRevisions, isPodReady, pods, type Pod } from '@kruise/objects';
import type { UpdateAnswer } from '@kruise/workloads';
import { aHotSidecar, aSidecar, aSidecarSet, emptyImage } from '@kruise/kinds/sidecarset/testing';
import { SidecarSetCluster, imagesOf } from '../cluster.testing.ts';

const denied = new ApiError('admission webhook "no.example.com" denied the request: no', { kind: 'Forbidden' }, { code: 403 });

/** Refuses every change of the Pod itself; its status may be written. */
const refusing =
  (name: string, isRefusing: () => boolean = () => true) =>
  ({ verb, key, subresource }: FakeCall): void => {
    if (isRefusing() && verb === 'patch' && key.name === name && subresource === '') throw denied;
  };

/** Ready, and nothing that was written to it is about to restart a container. */
const isServing = (pod: Pod): boolean =>
  isPodReady(pod) &&
  pod.spec.containers.every(({ name, image }) => pod.status?.containerStatuses?.some((one) => one.name === name && one.image === image));

const firstImages = (cluster: SidecarSetCluster): readonly (string | undefined)[] => cluster.pods.map((pod) => imagesOf(pod)[0]);
const reasons = (cluster: SidecarSetCluster): readonly string[] =>
  cluster.manager.events.filter(({ type }) => type === 'Warning').map(({ reason }) => reason);

describe('a Pod whose update is refused', () => {
  it('is skipped with maxUnavailable 1, and reported once for each generation', async () => {
    const cluster = new SidecarSetCluster(aSidecarSet(), 4, { before: refusing('pod-1') });
    await cluster.run(1);
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.run(30);
    expect(firstImages(cluster)).toEqual(['side:1', 'side:2', 'side:2', 'side:2']);
    expect(cluster.manager.events.filter(({ type }) => type === 'Warning')).toEqual([
      {
        about: 'set',
        type: 'Warning',
        reason: 'FailedUpdatePodInPlace',
        message: `Pod default/pod-1 was not updated: ${denied.message}`,
      },
    ]);
    cluster.change({ containers: [aSidecar('side', 'side:3')] });
    await cluster.run(30);
    expect(firstImages(cluster)).toEqual(['side:1', 'side:3', 'side:3', 'side:3']);
    expect(reasons(cluster)).toEqual(['FailedUpdatePodInPlace', 'FailedUpdatePodInPlace']);
    await cluster.manager.stop();
  });

  it('is updated as the last one when it may be', async () => {
    let isRefusing = true;
    const cluster = new SidecarSetCluster(aSidecarSet(), 3, { before: refusing('pod-2', () => isRefusing) });
    await cluster.run(1);
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.run(15);
    isRefusing = false;
    await cluster.run(60);
    expect(firstImages(cluster)).toEqual(['side:2', 'side:2', 'side:2']);
    await cluster.manager.stop();
  });

  it('by a budget does not keep Pods of other budgets', async () => {
    const mayUpdate = ({ metadata }: Pod): Promise<UpdateAnswer> =>
      Promise.resolve(metadata.name === 'pod-1' ? { kind: 'Refused', why: 'nothing is left' } : { kind: 'Allowed' });
    const cluster = new SidecarSetCluster(aSidecarSet(), 3, {
      gates: { PodUnavailableBudgetUpdateGate: true },
      guards: [{ updateGuard: () => ({ mayUpdate }) }],
    });
    await cluster.run(1);
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.run(20);
    expect(firstImages(cluster)).toEqual(['side:1', 'side:2', 'side:2']);
    expect(reasons(cluster)).toEqual(['BudgetRefuses']);
    await cluster.manager.stop();
  });
});

describe('what is refused', () => {
  it('is tried a few times a minute, however often Pods change and budgets are asked', async () => {
    let refused = 0;
    const mayUpdate = ({ metadata }: Pod): Promise<UpdateAnswer> =>
      Promise.resolve(metadata.name === 'pod-1' ? { kind: 'Refused', why: 'nothing is left' } : { kind: 'Allowed' });
    const cluster = new SidecarSetCluster(aSidecarSet({ strategy: { maxUnavailable: 3 } }), 3, {
      gates: { PodUnavailableBudgetUpdateGate: true },
      guards: [{ updateGuard: () => ({ mayUpdate }) }],
      before: (call) => {
        if (call.verb !== 'patch' || call.type !== pods) return;
        refused++;
        throw denied;
      },
    });
    await cluster.run(1);
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    for (let second = 0; second < 60; second++) {
      const { metadata, ...pod } = cluster.pod('pod-3');
      cluster.api.seed(pods, { ...pod, metadata: { ...metadata, annotations: { ...metadata.annotations, second: String(second) } } });
      await cluster.run(1);
    }
    expect(refused).toBeGreaterThanOrEqual(2);
    expect(refused).toBeLessThanOrEqual(2 * 7);
    await cluster.manager.stop();
  });

  it('for the revision of a version is reported, and tried again within a minute', async () => {
    let isRefusing = false;
    const cluster = new SidecarSetCluster(aSidecarSet(), 2, {
      before: ({ verb, type }) => {
        if (isRefusing && verb === 'create' && type === controllerRevisions) throw denied;
      },
    });
    await cluster.run(1);
    isRefusing = true;
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.run(300);
    expect(cluster.manager.events).toEqual([
      {
        about: 'set',
        type: 'Warning',
        reason: 'FailedRevisionProvision',
        message: `No Pod is updated, because the ControllerRevision of this version was not written: ${denied.message}`,
      },
    ]);
    isRefusing = false;
    await cluster.run(70);
    expect(firstImages(cluster)).toEqual(['side:2', 'side:2']);
    await cluster.manager.stop();
  });

  it('is reported when budgets cannot be asked', async () => {
    const mayUpdate = (): Promise<UpdateAnswer> => Promise.reject(new Error('no answer'));
    const cluster = new SidecarSetCluster(aSidecarSet(), 2, {
      gates: { PodUnavailableBudgetUpdateGate: true },
      guards: [{ updateGuard: () => ({ mayUpdate }) }],
    });
    await cluster.run(1);
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.run(20);
    const message = 'Budgets cannot be asked, so that no Pod is updated now: no answer';
    expect(cluster.manager.events).toEqual([{ about: 'set', type: 'Warning', reason: 'BudgetRefuses', message }]);
    await cluster.manager.stop();
  });

  it('for the status keeps no Pod from its update', async () => {
    let isRefusing = true;
    const cluster = new SidecarSetCluster(aSidecarSet(), 2, {
      before: ({ type, subresource }) => {
        if (isRefusing && type === sidecarSets && subresource === 'status') throw denied;
      },
    });
    await cluster.run(1);
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.run(30);
    expect(firstImages(cluster)).toEqual(['side:2', 'side:2']);
    isRefusing = false;
    await cluster.run(70);
    expect(cluster.sidecarSet.status).toMatchObject({ updatedReadyPods: 2, observedGeneration: 2 });
    await cluster.manager.stop();
  });
});

describe('a Pod whose hot upgrade may not be ended', () => {
  it('keeps maxUnavailable when the end of several is allowed at last', async () => {
    let isRefusing = false;
    const cluster = new SidecarSetCluster(aSidecarSet({ containers: [aHotSidecar('mesh', 'mesh:1')] }), 5, {
      before: ({ verb, type, subresource, body }) => {
        if (
          isRefusing &&
          verb === 'patch' &&
          type === pods &&
          subresource === '' &&
          JSON.stringify(body).includes(`"image":"${emptyImage}"`)
        )
          throw denied;
      },
    });
    let fewest = 5;
    const look = (): void => void (fewest = Math.min(fewest, cluster.pods.filter(isServing).length));
    await cluster.run(1);
    isRefusing = true;
    cluster.change({ containers: [aHotSidecar('mesh', 'mesh:2')] });
    await cluster.run(150);
    expect(cluster.pods.map((pod) => imagesOf(pod).slice(0, 2).toSorted())).toEqual(cluster.pods.map(() => ['mesh:1', 'mesh:2']));
    cluster.api.onWrite(look);
    isRefusing = false;
    await cluster.run(150);
    expect(cluster.pods.map((pod) => imagesOf(pod).slice(0, 2).toSorted())).toEqual(
      cluster.pods.map(() => [emptyImage, 'mesh:2'].toSorted()),
    );
    expect(fewest).toBe(4);
    await cluster.manager.stop();
  });

  it('keeps no other Pod from its update, to this version or the next', async () => {
    let isRefusing = false;
    const cluster = new SidecarSetCluster(aSidecarSet({ containers: [aHotSidecar('mesh', 'mesh:1')] }), 3, {
      before: refusing('pod-1', () => isRefusing),
    });
    await cluster.run(1);
    cluster.change({ containers: [aHotSidecar('mesh', 'mesh:2')] });
    for (let round = 0; round < 20 && !imagesOf(cluster.pod('pod-1')).includes('mesh:2'); round++) await cluster.run(1);
    isRefusing = true;
    await cluster.run(40);
    expect(cluster.pods.map((pod) => imagesOf(pod).slice(0, 2).toSorted())).toEqual([
      ['mesh:1', 'mesh:2'],
      [emptyImage, 'mesh:2'].toSorted(),
      [emptyImage, 'mesh:2'].toSorted(),
    ]);
    cluster.change({ containers: [aHotSidecar('mesh', 'mesh:3')] });
    await cluster.run(40);
    expect(cluster.pods.slice(1).map((pod) => imagesOf(pod).includes('mesh:3'))).toEqual([true, true]);
    isRefusing = false;
    await cluster.run(100);
    expect(cluster.pods.map((pod) => imagesOf(pod).slice(0, 2).toSorted())).toEqual(
      cluster.pods.map(() => [emptyImage, 'mesh:3'].toSorted()),
    );
    await cluster.manager.stop();
  });
});
