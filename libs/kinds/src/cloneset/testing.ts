/** CloneSets and snapshots for the tests of this folder. */
import { cloneSetLabels, defaultGates, labels, type CloneSet, type Gates } from '@kruise/api';
import { labelMatcherOrNothing, type ControllerRevision, type Pod } from '@kruise/objects';
import { newRevision } from '@kruise/pods';
import { aPod, epoch, type PodShape } from '@kruise/testing';
import { mountsOf, noneRefused } from '@kruise/workloads';
import { ownerReferenceTo } from './pods/new-pod.ts';
import type { Context, Snapshot } from './snapshot/snapshot.ts';

type RollingUpdate = NonNullable<NonNullable<CloneSet['spec']['updateStrategy']>['rollingUpdate']>;

export interface CloneSetShape {
  readonly replicas?: number;
  readonly image?: string;
  readonly rollingUpdate?: RollingUpdate;
  readonly type?: 'RollingUpdate' | 'OnDelete';
  readonly spec?: Partial<CloneSet['spec']>;
  readonly status?: CloneSet['status'];
}

export function aCloneSet({
  replicas = 5,
  image = 'app:1',
  rollingUpdate = {},
  type = 'RollingUpdate',
  spec = {},
  status,
}: CloneSetShape = {}): CloneSet {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: 'sample', namespace: 'default', uid: 'set-uid', generation: 1, resourceVersion: '1' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'sample' } },
      template: { metadata: { labels: { app: 'sample' } }, spec: { containers: [{ name: 'main', image }] } },
      updateStrategy: {
        type,
        ...(type === 'OnDelete'
          ? {}
          : {
              rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', partition: 0, maxUnavailable: '20%', maxSurge: 0, ...rollingUpdate },
            }),
      },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** The revision of `cloneSet` with another image. */
export const aRevision = (cloneSet: CloneSet, image: string, number: number): ControllerRevision =>
  newRevision(
    {
      namespace: 'default',
      parent: cloneSet.metadata.name,
      owner: ownerReferenceTo(cloneSet),
      template: { ...cloneSet.spec.template, spec: { ...cloneSet.spec.template.spec, containers: [{ name: 'main', image }] } },
      annotations: { 'kruise.io/cloneset-volumeclaimtemplate-hash': '' },
    },
    number,
    0,
  ).revision;

let lastId = 0;

/** A Pod of `cloneSet` at `revision`, ready and Normal unless `shape` says otherwise. */
export function aMember(cloneSet: CloneSet, revision: ControllerRevision, shape: PodShape = {}): Pod {
  const id = `id${String(++lastId).padStart(3, '0')}`;
  const carried = {
    app: 'sample',
    [labels.controllerRevisionHash]: revision.metadata.name,
    [labels.podTemplateHash]: 'hash',
    [cloneSetLabels.instanceId]: id,
  };
  return aPod({ name: `sample-${id}`, owner: ownerReferenceTo(cloneSet), ...shape, labels: { ...carried, ...shape.labels } });
}

export const aContext = (gates: Partial<Gates> = {}, now = epoch + 3_600_000): Context => ({
  now: now as Context['now'],
  gates: { ...defaultGates, ...gates },
  excludePreparingDelete: false,
  resources: 'Ignored',
});

export const aSnapshot = (cloneSet: CloneSet, pods: readonly Pod[], revisions: readonly ControllerRevision[]): Snapshot => ({
  cloneSet,
  pods,
  revisions,
  claims: [],
  selector: labelMatcherOrNothing(cloneSet.spec.selector),
  heldRevisions: new Map(),
  nodes: new Map(),
  takenNames: new Set(),
  mounts: mountsOf(pods),
  refused: noneRefused,
});

/** What marks an object as the CloneSet's own. */
export const ownerReference = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'CloneSet',
  name: 'sample',
  uid: 'set-uid',
  controller: true,
  blockOwnerDeletion: true,
};
