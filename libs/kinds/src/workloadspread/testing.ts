/** WorkloadSpreads and Pods for tests: valid defaults, and a test names only what it covers. */
import {
  annotations,
  workloadSpreadAnnotations,
  type WorkloadSpread,
  type WorkloadSpreadStatus,
  type WorkloadSpreadSubset,
  type WorkloadSpreadSubsetStatus,
} from '@kruise/api';
import { formatTime, type Instant, type Node, type OwnerReference, type Pod } from '@kruise/objects';
import { aPod, epoch, type PodShape } from '@kruise/testing';
import { formatMatched } from './subsets/matched.ts';

export type Subset = WorkloadSpreadSubset;
export type SubsetStatus = WorkloadSpreadSubsetStatus;

export const zone = 'example.com/zone';
export const inZone = (name: string) => ({ matchExpressions: [{ key: zone, operator: 'In' as const, values: [name] }] });

export const later = (ms: number): Instant => (epoch + ms) as Instant;
export const timeOf = (ms: number): string => formatTime(later(ms));

/** A subset of so many Pods; of any number when that is undefined. */
export const aSubset = (name: string, maxReplicas?: number | string, more: Partial<Subset> = {}): Subset => ({
  name,
  ...(maxReplicas === undefined ? {} : { maxReplicas }),
  ...more,
});

/** For the CloneSet `web`. */
export const aSpread = (
  subsets: readonly Subset[],
  over: Partial<WorkloadSpread['spec']> = {},
  status?: WorkloadSpreadStatus,
  metadata: Partial<WorkloadSpread['metadata']> = {},
): WorkloadSpread => ({
  metadata: { name: 'spread', namespace: 'default', uid: 'spread-uid', generation: 1, creationTimestamp: timeOf(1000), ...metadata },
  spec: { targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' }, subsets: [...subsets], ...over },
  ...(status === undefined ? {} : { status }),
});

const cloneSetOwner: OwnerReference = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'CloneSet',
  name: 'web',
  uid: 'web-uid',
  controller: true,
};

export interface SpreadPodShape extends PodShape {
  /** That the annotation names. */
  readonly subset?: string;
  readonly of?: string;
  readonly uidInSubset?: string;
  readonly cost?: number;
}

export const aSpreadPod = ({ subset, of = 'spread', uidInSubset, cost, ...shape }: SpreadPodShape = {}): Pod =>
  aPod({
    owner: cloneSetOwner,
    ...shape,
    annotations: {
      ...(subset === undefined
        ? {}
        : {
            [workloadSpreadAnnotations.matched]: formatMatched({
              name: of,
              subset,
              ...(uidInSubset === undefined ? {} : { uid: uidInSubset }),
            }),
          }),
      ...(cost === undefined ? {} : { [annotations.podDeletionCost]: String(cost) }),
      ...shape.annotations,
    },
  });

export const aNode = (
  name: string,
  labels: Readonly<Record<string, string>> = {},
  taints: NonNullable<Node['spec']>['taints'] = [],
): Node => ({
  metadata: { name, labels },
  spec: { taints },
});

/** Whose condition is said by the scheduler. */
export const unschedulable = (pod: Pod): Pod => ({
  ...pod,
  status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
});
