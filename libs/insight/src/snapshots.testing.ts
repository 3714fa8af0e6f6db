/** Objects as the API server holds them, for tests of the models. */
import { instant } from '@kruise/objects';
import type { AnyObject, Snapshot } from './seen.ts';

/** One hour after {@link created}. */
const now = instant(Date.parse('2026-01-01T01:00:00Z'));
export const created = '2026-01-01T00:00:00Z';
/** Ten seconds before {@link now}. */
export const recently = '2026-01-01T00:59:50Z';

interface Shape {
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owner?: AnyObject;
  readonly metadata?: object;
  readonly [member: string]: unknown;
}

/** Returns an object of `apiVersion/Kind`; its uid is its name unless one is given. */
export function object(type: string, name: string, { uid, labels, annotations, owner, metadata, ...rest }: Shape = {}): AnyObject {
  const slash = type.lastIndexOf('/');
  const reference = owner && {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
  };
  return {
    apiVersion: type.slice(0, slash),
    kind: type.slice(slash + 1),
    metadata: {
      name,
      namespace: 'shop',
      uid: uid ?? `uid-${name}`,
      generation: 1,
      creationTimestamp: created,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(reference && { ownerReferences: [reference] }),
      ...metadata,
    },
    ...rest,
  } as unknown as AnyObject;
}

const app = { app: 'web' };

/** Returns a complete CloneSet with 2 Pods wanted. */
export const cloneSet = (spec: object = {}, status: object = {}): AnyObject =>
  object('apps.kruise.io/v1beta1/CloneSet', 'web', {
    spec: { replicas: 2, selector: { matchLabels: app }, ...spec },
    status: {
      observedGeneration: 1,
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      updatedReplicas: 2,
      updatedReadyReplicas: 2,
      updateRevision: 'web-b',
      currentRevision: 'web-b',
      ...status,
    },
  });

/** Returns a revision of the owner. */
export const revision = (owner: AnyObject, name: string, number: number): AnyObject =>
  object('apps/v1/ControllerRevision', name, { owner, revision: number, labels: app });

/** What differs from a ready Pod with the container `main`. */
export interface PodShape extends Shape {
  readonly revision?: string;
  readonly spec?: object;
  readonly status?: object;
  readonly main?: object;
}

/** Returns a Pod of the owner that is ready. */
export function pod(
  name: string,
  owner: AnyObject | undefined,
  { revision: at = 'web-b', spec, status, main, labels, ...rest }: PodShape = {},
): AnyObject {
  const running = {
    name: 'main',
    image: 'nginx:2',
    imageID: '',
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt: created } },
  };
  const isReady = ((main as { readonly ready?: boolean } | undefined)?.ready ?? true) ? 'True' : 'False';
  return object('v1/Pod', name, {
    ...rest,
    ...(owner && { owner }),
    labels: { ...app, 'controller-revision-hash': at, ...labels },
    spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'nginx:2' }], ...spec },
    status: {
      phase: 'Running',
      conditions: [
        { type: 'PodScheduled', status: 'True', lastTransitionTime: created },
        { type: 'ContainersReady', status: isReady, lastTransitionTime: created },
        { type: 'Ready', status: isReady, lastTransitionTime: created },
      ],
      containerStatuses: [{ ...running, ...main }],
      ...status,
    },
  });
}

/** Returns a status of a container that waits. */
export const waiting = (reason: string, message?: string): object => ({
  ready: false,
  started: false,
  state: { waiting: { reason, ...(message === undefined ? {} : { message }) } },
});

export const snapshot = (root: AnyObject, ...objects: readonly AnyObject[]): Snapshot => ({ root, objects, now });
