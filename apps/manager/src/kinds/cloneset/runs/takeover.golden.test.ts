/**
 * A manager that starts on a cluster where another implementation ran takes its CloneSets over unchanged: it updates, recreates or relabels no
 * Pod, creates no revision, and continues a rollout that was in progress.
 */
import { describe, expect, it } from '@jest/globals';
import { annotations, labels, type CloneSetStatus } from '@kruise/api';
import { formatTime, instant, podCondition, type Instant, type Pod, type PodCondition } from '@kruise/objects';
import { formatRuntimeMeta, metadataEnvHash, plainHash, runtimeMetaOf } from '@kruise/pods';
import { recordedStages } from '@kruise/testing';
import { isAvailable, plan } from '@kruise/kinds/cloneset';
import { contextAt, observeRecording, recordingOf, timeOf } from './recorded.testing.ts';
import { Simulation } from './simulation.testing.ts';

const cases = recordedStages.flatMap((stage) => recordingOf(stage).cloneSets.map(({ metadata }) => ({ stage, name: metadata.name })));

/** A counter of 0 may be written or omitted. */
const semantic = (status: CloneSetStatus | undefined): object => ({ updatedAvailableReplicas: 0, ...status });

describe('taking a cluster over', () => {
  it('is tested with every recorded CloneSet', () => {
    expect(cases).toHaveLength(12);
  });

  it.each(cases)('leaves everything of $name alone and counts the same ($stage)', ({ stage, name }) => {
    const recording = recordingOf(stage);
    const seen = observeRecording(recording).get(name)!;
    expect(seen.pods.length).toBe(seen.cloneSet.spec.replicas);
    const { status, requeueAfter: _later, ...actions } = plan(seen, contextAt(timeOf(recording)));
    expect(actions).toEqual({ revisions: [], groundwork: [], preDownload: [], scale: [], update: [], notes: [], housekeeping: [] });
    expect(semantic(status)).toEqual(semantic(seen.cloneSet.status));
  });

  it.each(cases)('knows what to do about $name when its template changes ($stage)', ({ stage, name }) => {
    const recording = recordingOf(stage);
    const seen = observeRecording(recording).get(name)!;
    const { template } = seen.cloneSet.spec;
    const containers = (template.spec?.containers ?? []).map((container) => ({ ...container, image: 'other:1' }));
    const cloneSet = {
      ...seen.cloneSet,
      spec: { ...seen.cloneSet.spec, template: { ...template, spec: { ...template.spec, containers } } },
    };
    const next = plan({ ...seen, cloneSet }, contextAt(timeOf(recording)));
    expect(next.revisions.map(({ kind }) => kind)).toEqual(['CreateRevision']);
  });
});

describe('a template with members that the other implementation does not know', () => {
  type Seen = ReturnType<typeof observeRecording> extends ReadonlyMap<string, infer T> ? T : never;

  /** The recorded CloneSet with such members, as an API server stores them. */
  function withOddMembers(seen: Seen, more: object = {}): Seen {
    const { metadata, spec, ...rest } = seen.cloneSet.spec.template;
    const containers = (spec?.containers ?? []).map((container) => ({ ...container, odd: { a: [] } }));
    const template = { ...rest, metadata: { ...metadata, odd: 1 }, spec: { ...spec, containers, hostnameOverride: 'x', ...more } };
    return { ...seen, cloneSet: { ...seen.cloneSet, spec: { ...seen.cloneSet.spec, template } } };
  }
  const scaled = ({ cloneSet, ...seen }: Seen): Seen => {
    const { metadata, spec } = cloneSet;
    const replicas = (spec.replicas ?? 1) + 1;
    return {
      ...seen,
      cloneSet: { ...cloneSet, metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 }, spec: { ...spec, replicas } },
    };
  };

  it.each(cases)('is taken over with the revision of $name, which then is its own ($stage)', ({ stage, name }) => {
    const recording = recordingOf(stage);
    const seen = withOddMembers(observeRecording(recording).get(name)!);
    const context = contextAt(timeOf(recording));
    const [noted] = plan(seen, context).revisions;
    if (noted?.kind !== 'BumpRevision') throw new Error(`${String(noted?.kind)} instead of a note`);
    const last = seen.revisions.at(-1)!;
    expect(noted.revision).toEqual({
      ...last,
      metadata: { ...last.metadata, annotations: expect.objectContaining(last.metadata.annotations!) },
    });
    expect(last.metadata.name).toBe(seen.cloneSet.status?.updateRevision);

    const after = { ...seen, revisions: seen.revisions.with(-1, noted.revision) };
    const { status, requeueAfter: _later, ...actions } = plan(after, context);
    expect(actions).toEqual({ revisions: [], groundwork: [], preDownload: [], scale: [], update: [], notes: [], housekeeping: [] });
    expect(semantic(status)).toEqual(semantic(seen.cloneSet.status));

    const outwards = plan(scaled(after), context);
    expect([outwards.revisions, outwards.update, outwards.scale.map(({ kind }) => kind)]).toEqual([[], [], ['CreatePod']]);
    const changed = plan(scaled({ ...after, ...withOddMembers(after, { hostnameOverride: 'y' }) }), context);
    expect(changed.revisions.map(({ kind }) => kind)).toEqual(['CreateRevision']);
  });
});

/** The node's part of an in-place update: restarts the containers whose environment no longer agrees with the Pod, and reports. */
function nodeStep(pod: Pod, now: Instant): Pod {
  const metas = runtimeMetaOf(pod) ?? [];
  const stale = new Set(
    pod.spec.containers
      .filter(
        (container) => metas.find(({ name }) => name === container.name)?.metadataEnvHash !== metadataEnvHash(container, pod.metadata),
      )
      .map(({ name }) => name),
  );
  const restarted = (name: string): string => `containerd://${pod.metadata.name}-${name}-${now}`;
  const reported = pod.spec.containers.map((container) => {
    const meta = metas.find(({ name }) => name === container.name)!;
    return stale.has(container.name)
      ? {
          ...meta,
          containerID: restarted(container.name),
          restartCount: meta.restartCount + 1,
          plainHash: plainHash(container),
          metadataEnvHash: metadataEnvHash(container, pod.metadata),
        }
      : meta;
  });
  const statuses = (pod.status?.containerStatuses ?? []).map((status) =>
    stale.has(status.name)
      ? {
          ...status,
          containerID: restarted(status.name),
          restartCount: status.restartCount + 1,
          state: { running: { startedAt: formatTime(now) } },
        }
      : status,
  );
  const isReady = podCondition(pod, 'InPlaceUpdateReady')?.status === 'True';
  const conditions = (pod.status?.conditions ?? []).map((condition): PodCondition => {
    const status = isReady ? 'True' : 'False';
    return condition.type !== 'Ready' || condition.status === status
      ? condition
      : { type: 'Ready', status, lastTransitionTime: formatTime(now) };
  });
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      annotations: { ...pod.metadata.annotations, [annotations.runtimeContainersMeta]: formatRuntimeMeta(reported) },
    },
    status: { ...pod.status, conditions, containerStatuses: statuses },
  };
}

describe('a rollout under way', () => {
  it('continues one Pod at a time and leaves finished Pods unchanged', () => {
    const recording = recordingOf('2-updating');
    const seen = observeRecording(recording).get('web')!;
    const { gates } = contextAt(timeOf(recording));
    const simulation = new Simulation(seen.cloneSet, { gates });
    simulation.pods = seen.pods;
    simulation.revisions = seen.revisions;
    simulation.now = timeOf(recording);
    const begun = seen.pods.find(({ metadata }) => metadata.labels?.[labels.lifecycleState] === 'Updating')!;
    const started: string[] = [];
    for (let step = 0; step < 40; step++) {
      for (const action of simulation.pass().update) if (action.kind === 'UpdatePodInPlace') started.push(action.pod.metadata.name);
      const unavailable = simulation.pods.filter((pod) => !isAvailable(simulation.cloneSet, pod, simulation.context));
      expect(unavailable.length).toBeLessThanOrEqual(1);
      simulation.now = instant(simulation.now + 1000);
      simulation.pods = simulation.pods.map((pod) => nodeStep(pod, simulation.now));
    }
    expect(started.sort()).toEqual(['web-g7xb4', 'web-hqn8n']);
    expect(started).not.toContain(begun.metadata.name);
    const uids = (list: readonly Pod[]): readonly unknown[] => list.map(({ metadata }) => metadata.uid);
    expect(uids(simulation.pods)).toEqual(uids(seen.pods));
    expect(simulation.revisions).toEqual(seen.revisions);
    expect(simulation.pods.map(({ metadata }) => [metadata.annotations?.['cfg'], metadata.labels?.[labels.lifecycleState]])).toEqual(
      Array.from({ length: 3 }, () => ['v2', 'Normal']),
    );
    // `main` takes the annotation as an environment variable, `log` does not.
    const restarts = (pod: Pod): unknown => pod.status?.containerStatuses?.map(({ name, restartCount }) => [name, restartCount]);
    for (const pod of simulation.pods)
      expect(restarts(pod)).toEqual([
        ['log', 0],
        ['main', 1],
      ]);
    expect(simulation.cloneSet.status).toMatchObject({ updatedAvailableReplicas: 3, currentRevision: 'web-8f8b8c7bf' });
  });
});
