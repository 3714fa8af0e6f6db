/** Workloads, revisions and Pods in intermediate states, for the tests of this project. */
import { defaultGates, labels } from '@kruise/api';
import { instant, type ControllerRevision, type OwnerReference, type Pod, type PodCondition, type PodTemplateSpec } from '@kruise/objects';
import {
  cloneSetRevisions,
  formatUpdateSpec,
  formatUpdateState,
  newRevision,
  type InPlaceUpdateState,
  type UpdateSpec,
} from '@kruise/pods';
import { aPod, epoch, type PodShape } from '@kruise/testing';
import type { Workload } from './workload.ts';

/** An hour after the Pods became ready. */
export const now = instant(epoch + 3_600_000);

/** The owner of Pods and jobs. */
export const owner: OwnerReference = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: 'u1', controller: true };

/** Returns a revision of the workload `web` with this template. */
export const revisionOf = (
  template: PodTemplateSpec,
  number: number,
  annotations: Readonly<Record<string, string>> = {},
): ControllerRevision => newRevision({ namespace: 'default', parent: 'web', owner, template, annotations }, number, 0).revision;

/** Returns a revision whose Pods run this image. */
export const revisionWith = (image: string, number: number): ControllerRevision =>
  revisionOf({ metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } }, number);

/** The present revision of the Pods, and the one that they are updated to. */
export const old = revisionWith('app:1', 1);
export const next = revisionWith('app:2', 2);

/** Returns a workload that updates in place to {@link next} without hooks or grace period by default. */
export const aWorkload = (more: Partial<Workload> = {}): Workload => ({
  metadata: {},
  now,
  gates: defaultGates,
  adapter: cloneSetRevisions(false),
  resources: 'Ignored',
  minReadySeconds: 0,
  lifecycle: undefined,
  waitsForNode: true,
  podUpdatePolicy: 'InPlaceIfPossible',
  graceSeconds: 0,
  isOnDelete: false,
  updateRevision: next.metadata.name,
  revisions: [old, next],
  ...more,
});

/** The fields of a Pod of the workload that a test sets. */
export interface MemberShape extends PodShape {
  /** {@link old} by default. */
  readonly of?: ControllerRevision;
  /** '' for a Pod without the label. */
  readonly state?: string;
  /** Status of the condition InPlaceUpdateReady; 'absent' for none. */
  readonly inPlaceReady?: 'True' | 'False' | 'absent';
  readonly update?: Partial<InPlaceUpdateState>;
  readonly grace?: Partial<UpdateSpec>;
}

const underWay = ({ update, grace }: MemberShape): Readonly<Record<string, string>> => ({
  ...(update === undefined
    ? {}
    : {
        'apps.kruise.io/inplace-update-state': formatUpdateState({
          revision: next.metadata.name,
          updateTimestamp: '2026-01-01T00:59:50Z',
          lastContainerStatuses: null,
          ...update,
        }),
      }),
  ...(grace === undefined ? {} : { 'apps.kruise.io/inplace-update-grace': formatUpdateSpec({ revision: next.metadata.name, ...grace }) }),
});

/** Returns every condition except InPlaceUpdateReady, and that one with the status. */
function conditionsOf(pod: Pod, status: 'True' | 'False' | 'absent'): readonly PodCondition[] {
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'InPlaceUpdateReady');
  return status === 'absent' ? others : [{ type: 'InPlaceUpdateReady', status }, ...others];
}

/** Returns a Pod as the workload creates it: available and at rest by default. */
export function aMember(shape: MemberShape = {}): Pod {
  const { of = old, state = 'Normal', inPlaceReady = 'True', labels: more, annotations } = shape;
  const hash = of.metadata.name;
  const carried = {
    app: 'web',
    [labels.controllerRevisionHash]: hash,
    [labels.podTemplateHash]: hash.slice('web-'.length),
    [labels.lifecycleState]: state,
    ...more,
  };
  const pod = aPod({ ...shape, labels: carried, annotations: { ...underWay(shape), ...annotations } });
  return { ...pod, status: { ...pod.status, conditions: conditionsOf(pod, inPlaceReady) } };
}
