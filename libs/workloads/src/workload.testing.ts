/** Workloads, revisions and Pods in the middle of something, for the tests of this project. */
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

/** An hour after the Pods got ready. */
export const now = instant(epoch + 3_600_000);

/** Of Pods and jobs. */
export const owner: OwnerReference = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: 'u1', controller: true };

/** A revision of the workload `web` with this template. */
export const revisionOf = (
  template: PodTemplateSpec,
  number: number,
  annotations: Readonly<Record<string, string>> = {},
): ControllerRevision => newRevision({ namespace: 'default', parent: 'web', owner, template, annotations }, number, 0).revision;

/** A revision whose Pods run this image. */
export const revisionWith = (image: string, number: number): ControllerRevision =>
  revisionOf({ metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } }, number);

/** The revision that Pods are of, and the one that they are brought to. */
export const old = revisionWith('app:1', 1);
export const next = revisionWith('app:2', 2);

/** One that updates in place to {@link next} without hooks or grace, unless `more` says otherwise. */
export const aWorkload = (more: Partial<Workload> = {}): Workload => ({
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

/** What a test says of a Pod of the workload. */
export interface MemberShape extends PodShape {
  /** {@link old} unless said otherwise. */
  readonly of?: ControllerRevision;
  /** '' for a Pod without the label. */
  readonly state?: string;
  /** Of the condition InPlaceUpdateReady; 'absent' for none. */
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

/** Every condition but InPlaceUpdateReady, and that with the status. */
export function conditionsOf(pod: Pod, status: 'True' | 'False' | 'absent'): readonly PodCondition[] {
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'InPlaceUpdateReady');
  return status === 'absent' ? others : [{ type: 'InPlaceUpdateReady', status }, ...others];
}

/** A Pod as the workload makes it: available and at rest, unless the shape says otherwise. */
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
