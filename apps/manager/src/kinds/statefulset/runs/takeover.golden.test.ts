/**
 * A manager that starts on a cluster where another implementation ran takes its StatefulSets over as they are: no Pod is updated, recreated or
 * relabelled, no claim and no revision touched, and nothing is written.
 */
import { describe, expect, it } from '@jest/globals';
import { defaultGates, parseGates, statefulSets, type Gates, type StatefulSet, type StatefulSetStatus } from '@kruise/api';
import { storeOf } from '@kruise/kube/testing';
import {
  controllerOf,
  controllerRevisions,
  instant,
  labelMatcherOrNothing,
  nodes,
  persistentVolumeClaims,
  pods,
  storageClasses,
  type ControllerRevision,
  type Instant,
  type KubeObject,
  type PersistentVolumeClaim,
  type Pod,
} from '@kruise/objects';
import { resourceWritingFor } from '@kruise/pods';
import { recordedObjects, recordedStages, type RecordedStage } from '@kruise/testing';
import { byController, noneRefused } from '@kruise/workloads';
import { observe, orphansByParent, type Stores } from '../observe.ts';
import { plan, type Snapshot, isStatusChanged } from '@kruise/kinds/statefulset';

const isOurs = (object: KubeObject): boolean => {
  const owner = controllerOf(object);
  return owner?.kind === 'StatefulSet' && owner.apiVersion.startsWith('apps.kruise.io/');
};

const controlled = { [byController.name]: byController.valuesOf };

function storesOf(stage: RecordedStage): Stores {
  const own = <T extends KubeObject>(name: string): readonly T[] => recordedObjects<T>(stage, name).filter(isOurs);
  return {
    sets: storeOf(statefulSets, recordedObjects<StatefulSet>(stage, 'statefulsets.v1beta1')),
    pods: storeOf(pods, own<Pod>('pods'), { ...controlled, [orphansByParent.name]: orphansByParent.valuesOf }),
    claims: storeOf(persistentVolumeClaims, recordedObjects<PersistentVolumeClaim>(stage, 'pvcs')),
    revisions: storeOf(controllerRevisions, own<ControllerRevision>('controllerrevisions'), controlled),
    nodes: storeOf(nodes, []),
    classes: storeOf(storageClasses, []),
  };
}

/** A second after the youngest time that the recording holds. */
function timeOf(stores: Stores): Instant {
  const held = [stores.sets.list(), stores.pods.list(), stores.claims.list()];
  const times = JSON.stringify(held).match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g) ?? [];
  return instant(Math.max(...times.map((time) => Date.parse(time))) + 1000);
}

function allGates(): Gates {
  const parsed = parseGates('AllAlpha=true,AllBeta=true,EnableExternalCerts=false,TemplateNoDefaults=false');
  if (parsed.kind !== 'Parsed') throw new Error(parsed.message);
  return parsed.gates;
}

const others = { refused: noneRefused, resources: resourceWritingFor(true, 'v1.34.4') };

const cases = recordedStages.flatMap((stage) =>
  storesOf(stage)
    .sets.list({ sorted: true })
    .map(({ metadata }) => ({ stage, name: metadata.name })),
);

interface Recorded {
  readonly seen: Snapshot;
  readonly now: Instant;
}

function recorded(stage: RecordedStage, name: string): Recorded {
  const stores = storesOf(stage);
  const set = stores.sets.list().find(({ metadata }) => metadata.name === name);
  if (set === undefined) throw new Error(`there is no ${name}`);
  return { seen: observe(stores, set, labelMatcherOrNothing(set.spec.selector)), now: timeOf(stores) };
}

const settled = {
  revisions: [],
  groundwork: [],
  preDownload: [],
  upkeep: [],
  slots: [],
  claimOwners: [],
  deletions: [],
  update: [],
  failures: {},
  housekeeping: [],
};

describe('taking a cluster over', () => {
  it('is tested with a recorded StatefulSet in every stage', () => {
    expect(cases.length).toBeGreaterThanOrEqual(recordedStages.length);
  });

  it.each(
    cases.flatMap((one) => [
      { ...one, gates: 'all', of: allGates() },
      { ...one, gates: 'default', of: defaultGates },
    ]),
  )('leaves everything of $name alone and counts the same ($stage, $gates gates)', ({ stage, name, of }) => {
    const { seen, now } = recorded(stage, name);
    expect(seen.pods.length).toBe(seen.set.spec.replicas);
    const { status, requeueAfter: _later, ...actions } = plan(seen, { now, gates: of, ...others });
    expect(actions).toEqual(settled);
    // The object was recorded before its Pods, in the middle of an update.
    expect(isStatusChanged(seen.set, status)).toBe(stage === '2-updating');
  });

  it.each(cases)('continues with $name when its image changes, with the existing claims ($stage)', ({ stage, name }) => {
    const { seen, now } = recorded(stage, name);
    const { template } = seen.set.spec;
    const containers = (template.spec?.containers ?? []).map((container) => ({ ...container, image: 'other:1' }));
    const generation = (seen.set.metadata.generation ?? 0) + 1;
    const set: StatefulSet = {
      ...seen.set,
      metadata: { ...seen.set.metadata, generation },
      spec: { ...seen.set.spec, template: { ...template, spec: { ...template.spec, containers } } },
    };
    const context = { now, gates: allGates(), ...others };
    const [made] = plan({ ...seen, set }, context).revisions;
    if (made?.kind !== 'CreateRevision') throw new Error(`${String(made?.kind)} instead of a revision`);
    const next = plan({ ...seen, set, revisions: [...seen.revisions, made.attempt.revision] }, context);
    const { status } = next;
    const counted: Pick<StatefulSetStatus, 'replicas' | 'updatedReplicas'> = status;
    expect([counted.replicas, counted.updatedReplicas]).toEqual([set.spec.replicas, 0]);
    expect([...next.slots, ...next.deletions]).toEqual([]);
    expect(new Set(next.update.map(({ kind }) => kind))).toEqual(new Set(['UpdatePodInPlace']));
  });
});
