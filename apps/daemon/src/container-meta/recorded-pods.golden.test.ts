/** Checks that what the original daemon wrote equals what this one would write, and is left unchanged. */
import { describe, expect, it } from '@jest/globals';
import { annotations } from '@kruise/api';
import type { ScriptedContainer } from '@kruise/cri/testing';
import { metadataEnvHashOf, metadataEnvs, runtimeMetaOf } from '@kruise/pods';
import type { Pod } from '@kruise/objects';
import { recordedObjects, recordedStages } from '@kruise/testing';
import { newestOfEach, parseContainerId } from '../containers/observe-containers.ts';
import { aContainer } from '../testing.ts';
import { planMeta, planReport, withEnvHashes, withoutEnvHash, type Containers } from './plan-meta.ts';
import { planRestarts } from './plan-restart.ts';
import { requestsOfPod } from './plan-triggers.ts';

const recorded = recordedStages
  .flatMap((stage) => recordedObjects<Pod>(stage, 'pods').map((pod) => ({ stage, pod, name: `${stage}/${pod.metadata.name}` })))
  .filter(({ pod }) => runtimeMetaOf(pod) !== undefined);

const isRunning = (pod: Pod, name: string): boolean =>
  pod.status?.containerStatuses?.some((status) => status.name === name && status.state?.running !== undefined) === true;

/** Returns the runtime when the meta was written: what the kubelet wrote on the containers, reconstructed from the meta. */
function containersOf(pod: Pod): Containers {
  const containers = (runtimeMetaOf(pod) ?? []).map((meta): ScriptedContainer => {
    const spec = pod.spec.containers.find(({ name }) => name === meta.name) ?? { name: meta.name };
    return aContainer({
      pod,
      spec,
      id: parseContainerId(meta.containerID)?.id ?? '',
      state: isRunning(pod, meta.name) ? 'CONTAINER_RUNNING' : 'CONTAINER_EXITED',
      annotations: {
        'io.kubernetes.container.hash': meta.plainHash.toString(16),
        'io.kubernetes.container.restartCount': String(meta.restartCount),
      },
    });
  });
  return newestOfEach({ name: 'containerd' }, containers);
}

function withoutMeta(pod: Pod): Pod {
  const { [annotations.runtimeContainersMeta]: _, ...rest } = pod.metadata.annotations ?? {};
  return { ...pod, metadata: { ...pod.metadata, annotations: rest } };
}

describe('recorded Pods', () => {
  it('exist', () => {
    expect(recorded.length).toBeGreaterThanOrEqual(4);
  });

  it.each(recorded)('$name: the same text is written', ({ pod }) => {
    const bare = withoutMeta(pod);
    const containers = containersOf(pod);
    const drafted = planMeta(bare, containers);
    const known = new Map((runtimeMetaOf(pod) ?? []).map(({ name, metadataEnvHash }) => [name, metadataEnvHash]));
    const hashes = new Map(
      withoutEnvHash(drafted, containers).map(({ name }) => {
        const container = pod.spec.containers.find((declared) => declared.name === name);
        // The values of a container with such variables are those of its start; without any the hash is always the same.
        const isConstant = container !== undefined && metadataEnvs(container).length === 0;
        return [name, isConstant ? metadataEnvHashOf(container, () => '') : (known.get(name) ?? 0)];
      }),
    );
    const patch = planReport(bare, withEnvHashes(drafted, hashes))?.patch as Pod;
    expect(patch.metadata.annotations?.[annotations.runtimeContainersMeta]).toBe(
      pod.metadata.annotations?.[annotations.runtimeContainersMeta],
    );
  });

  it.each(recorded)('$name: nothing is written when they are adopted', ({ pod }) => {
    expect(planReport(pod, planMeta(pod, containersOf(pod)))).toBeUndefined();
  });

  it.each(recorded.filter(({ stage }) => stage !== '2-updating'))('$name: nothing is restarted', ({ pod }) => {
    expect(planRestarts(pod, planMeta(pod, containersOf(pod)), containersOf(pod))).toEqual([]);
  });

  it('a container whose variable was just changed by an in-place update is restarted, its neighbour is not', () => {
    const updating = recorded.filter(({ pod }) =>
      pod.status?.conditions?.some(({ type, status }) => type === 'InPlaceUpdateReady' && status === 'False'),
    );
    expect(updating.length).toBeGreaterThan(0);
    for (const { pod } of updating)
      expect(planRestarts(pod, planMeta(pod, containersOf(pod)), containersOf(pod))).toMatchObject([{ name: 'main' }]);
  });

  it.each(recorded.filter(({ stage, pod }) => stage === '3-updated' && pod.status?.phase === 'Running'))(
    '$name: a settled Pod is not even examined',
    ({ pod }) => {
      expect(requestsOfPod({ kind: 'Added', object: pod, initial: true }, true)).toEqual([]);
    },
  );
});
