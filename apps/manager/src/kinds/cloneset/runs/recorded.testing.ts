/** Recorded CloneSets and what belongs to them, as snapshots that the planner can look at. */
import { cloneSets, parseGates, type CloneSet, type Gates } from '@kruise/api';
import { storeOf } from '@kruise/kube/testing';
import {
  controllerOf,
  controllerRevisions,
  instant,
  labelMatcherOrNothing,
  nodes,
  persistentVolumeClaims,
  pods,
  type ControllerRevision,
  type Instant,
  type KubeObject,
  type PersistentVolumeClaim,
  type Pod,
} from '@kruise/objects';
import { resourceWritingFor } from '@kruise/pods';
import { recordedObjects, type RecordedStage } from '@kruise/testing';
import { byController, byOwner } from '@kruise/workloads';
import { observe, type Stores } from '../observe.ts';
import type { Context, Snapshot } from '@kruise/kinds/cloneset';

export interface Recording {
  readonly cloneSets: readonly CloneSet[];
  readonly pods: readonly Pod[];
  readonly revisions: readonly ControllerRevision[];
  readonly claims: readonly PersistentVolumeClaim[];
}

const isOfCloneSet = (object: KubeObject): boolean => controllerOf(object)?.kind === 'CloneSet';

export const recordingOf = (stage: RecordedStage): Recording => ({
  cloneSets: recordedObjects<CloneSet>(stage, 'clonesets.v1beta1'),
  pods: recordedObjects<Pod>(stage, 'pods').filter(isOfCloneSet),
  revisions: recordedObjects<ControllerRevision>(stage, 'controllerrevisions').filter(isOfCloneSet),
  claims: recordedObjects<PersistentVolumeClaim>(stage, 'pvcs').filter(isOfCloneSet),
});

function recordedGates(): Gates {
  const parsed = parseGates('AllAlpha=true,AllBeta=true,EnableExternalCerts=false,TemplateNoDefaults=false');
  if (parsed.kind !== 'Parsed') throw new Error(parsed.message);
  return parsed.gates;
}

/** A second after the youngest time that the recording holds. */
export function timeOf(recording: Recording): Instant {
  const times = JSON.stringify(recording).match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g) ?? [];
  return instant(Math.max(...times.map((time) => Date.parse(time))) + 1000);
}

export const contextAt = (now: Instant): Context => ({
  now,
  gates: recordedGates(),
  excludePreparingDelete: false,
  resources: resourceWritingFor(true, 'v1.34.4'),
});

/** Each recorded CloneSet as the controller observes it when it starts, by name. */
export function observeRecording(recording: Recording): ReadonlyMap<string, Snapshot> {
  const owned = { [byOwner.name]: byOwner.valuesOf };
  const stores: Stores = {
    cloneSets: storeOf(cloneSets, recording.cloneSets),
    pods: storeOf(pods, recording.pods, owned),
    claims: storeOf(persistentVolumeClaims, recording.claims, owned),
    revisions: storeOf(controllerRevisions, recording.revisions, { [byController.name]: byController.valuesOf }),
    nodes: storeOf(nodes, []),
  };
  return new Map(
    stores.cloneSets
      .list({ sorted: true })
      .map((cloneSet) => [cloneSet.metadata.name, observe(stores, cloneSet, labelMatcherOrNothing(cloneSet.spec.selector))]),
  );
}
