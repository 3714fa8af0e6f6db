/**
 * A manager that starts on a cluster where another implementation ran takes its DaemonSets over unchanged: it updates, recreates or relabels no
 * Pod, changes no revision, and writes nothing.
 */
import { describe, expect, it } from '@jest/globals';
import { daemonSets, defaultGates, parseGates, type DaemonSet, type Gates } from '@kruise/api';
import { FakeClock, storeOf } from '@kruise/kube/testing';
import {
  controllerOf,
  controllerRevisions,
  instant,
  labelMatcherOrNothing,
  nodes,
  pods,
  type ControllerRevision,
  type Instant,
  type KubeObject,
  type Pod,
} from '@kruise/objects';
import { resourceWritingFor } from '@kruise/pods';
import { recordedObjects, recordedStages, type RecordedStage } from '@kruise/testing';
import { byController } from '@kruise/workloads';
import { FailedPods, plan, type Context, type Snapshot, isStatusChanged } from '@kruise/kinds/daemonset';
import { RefusedObjects } from '../../../workloads/refusals/refused-objects.ts';
import { DeletedPods } from '../deleted-pods.ts';
import { observe, type Known } from '../observe.ts';
import { aNode } from '@kruise/kinds/daemonset/testing';

const isOurs = (object: KubeObject): boolean => {
  const owner = controllerOf(object);
  return owner?.kind === 'DaemonSet' && owner.apiVersion.startsWith('apps.kruise.io/');
};

const controlled = { [byController.name]: byController.valuesOf };

function sourcesOf(stage: RecordedStage): Known {
  const own = <T extends KubeObject>(name: string): readonly T[] => recordedObjects<T>(stage, name).filter(isOurs);
  return {
    sets: storeOf(daemonSets, recordedObjects<DaemonSet>(stage, 'daemonsets.v1beta1')),
    pods: storeOf(pods, own<Pod>('pods'), controlled),
    revisions: storeOf(controllerRevisions, own<ControllerRevision>('controllerrevisions'), controlled),
    nodes: storeOf(
      nodes,
      ['node1', 'node2', 'node3'].map((name) => aNode(name)),
    ),
    failedPods: new FailedPods(),
    deletedPods: new DeletedPods(),
  };
}

/** A second after the youngest time that the recording holds. */
function timeOf(sources: Known): Instant {
  const times = JSON.stringify([sources.sets.list(), sources.pods.list()]).match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g) ?? [];
  return instant(Math.max(...times.map((time) => Date.parse(time))) + 1000);
}

function allGates(): Gates {
  const parsed = parseGates('AllAlpha=true,AllBeta=true,EnableExternalCerts=false,TemplateNoDefaults=false');
  if (parsed.kind !== 'Parsed') throw new Error(parsed.message);
  return parsed.gates;
}

interface Recorded {
  readonly seen: Snapshot;
  readonly now: Instant;
}

function recorded(stage: RecordedStage): Recorded {
  const sources = sourcesOf(stage);
  const [set] = sources.sets.list();
  if (set === undefined) throw new Error('nothing was recorded');
  const now = timeOf(sources);
  return {
    seen: observe(sources, set, { selector: labelMatcherOrNothing(set.spec.selector), refusals: new RefusedObjects(new FakeClock()), now }),
    now,
  };
}

const contextWith = (gates: Gates, now: Instant): Context => ({
  now,
  gates,
  resources: resourceWritingFor(true, 'v1.34.4'),
  placedByScheduler: true,
});

const settled = {
  revisions: [],
  groundwork: [],
  preDownload: [],
  creations: [],
  deletions: [],
  replacements: [],
  upkeep: [],
  update: [],
  failures: {},
  housekeeping: [],
};

const cases = recordedStages.flatMap((stage) => [
  { stage, gates: 'all', of: allGates() },
  { stage, gates: 'default', of: defaultGates },
]);

describe('taking a cluster over', () => {
  it.each(cases)('leaves everything alone and counts the same ($stage, $gates gates)', ({ stage, of }) => {
    const { seen, now } = recorded(stage);
    expect(seen.pods).toHaveLength(3);
    const { status, requeueAfter: _later, ...actions } = plan(seen, contextWith(of, now));
    expect(actions).toEqual(settled);
    expect(isStatusChanged(seen.set, status)).toBe(false);
  });

  it.each(recordedStages)('continues in place when the image changes (%s)', (stage) => {
    const { seen, now } = recorded(stage);
    const { template } = seen.set.spec;
    const containers = (template.spec?.containers ?? []).map((container) => ({ ...container, image: 'other:1' }));
    const generation = (seen.set.metadata.generation ?? 0) + 1;
    const set: DaemonSet = {
      ...seen.set,
      metadata: { ...seen.set.metadata, generation },
      spec: { ...seen.set.spec, template: { ...template, spec: { ...template.spec, containers } } },
    };
    const context = contextWith(allGates(), now);
    const [made] = plan({ ...seen, set }, context).revisions;
    if (made?.kind !== 'CreateRevision') throw new Error(`${String(made?.kind)} instead of a revision`);
    const { attempt } = made;
    expect(attempt.revision.metadata.name).toBe(`agent-${attempt.revision.metadata.labels?.['controller-revision-hash'] ?? ''}`);
    const next = plan({ ...seen, set, revisions: [...seen.revisions, attempt.revision] }, context);
    expect(next.status).toMatchObject({ desiredNumberScheduled: 3, updatedNumberScheduled: 0 });
    expect([...next.creations, ...next.deletions, ...next.replacements]).toEqual([]);
    expect(next.update.map(({ kind }) => kind)).toEqual(['UpdatePodInPlace', 'UpdatePodInPlace']);
  });
});
