/** Jobs and Pods with ephemeral containers for the tests of this folder. */
import type { EphemeralContainer, EphemeralJob, EphemeralJobSpec } from '@kruise/api';
import { formatTime, instant, type ContainerStatus, type Pod } from '@kruise/objects';
import { aPod, epoch, type PodShape } from '@kruise/testing';
import { marked } from './template.ts';

export const at = (seconds: number) => instant(epoch + seconds * 1000);
export const timeAt = (seconds: number): string => formatTime(at(seconds));

export const debug: EphemeralContainer = {
  name: 'debug',
  image: 'busybox:1.35',
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePolicy: 'File',
};

export interface JobShape {
  readonly name?: string;
  readonly spec?: Partial<EphemeralJobSpec>;
  readonly containers?: unknown;
  readonly status?: EphemeralJob['status'];
  readonly terminating?: boolean;
  readonly finalized?: boolean;
}

export function aJob({
  name = 'job',
  spec = {},
  containers = [debug],
  status,
  terminating = false,
  finalized = true,
}: JobShape = {}): EphemeralJob {
  return {
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'EphemeralJob',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      resourceVersion: '1',
      generation: 1,
      ...(finalized ? { finalizers: ['apps.kruise.io/ephemeralcontainers-cleanup'] } : {}),
      ...(terminating ? { deletionTimestamp: timeAt(0) } : {}),
    },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { ephemeralContainers: containers as readonly EphemeralContainer[] },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

export type State = 'absent' | 'unreported' | 'waiting' | 'broken' | 'running' | 'succeeded' | 'failed';

function stateOf(state: State): ContainerStatus['state'] | undefined {
  switch (state) {
    case 'waiting':
      return { waiting: { reason: 'ContainerCreating' } };
    case 'broken':
      return { waiting: { reason: 'RunContainerError' } };
    case 'running':
      return { running: { startedAt: timeAt(0) } };
    case 'succeeded':
      return { terminated: { exitCode: 0, finishedAt: timeAt(1) } };
    case 'failed':
      return { terminated: { exitCode: 1, finishedAt: timeAt(1) } };
    case 'absent':
    case 'unreported':
      return undefined;
  }
}

export function reported(names: readonly string[], state: State): readonly ContainerStatus[] {
  const seen = stateOf(state);
  return seen === undefined ? [] : names.map((name) => ({ name, image: '', imageID: '', ready: false, restartCount: 0, state: seen }));
}

/** A Pod `app=web` in which the containers of `job` are that far. */
export function aTarget(name: string, state: State = 'absent', job: EphemeralJob = aJob(), shape: PodShape = {}): Pod {
  const pod = aPod({ name, labels: { app: 'web' }, ...shape });
  const { ephemeralContainers } = job.spec.template;
  if (state === 'absent') return pod;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      ephemeralContainers: ephemeralContainers.map((one) => marked(one, job)),
    },
    status: {
      ...pod.status,
      ephemeralContainerStatuses: reported(
        ephemeralContainers.map((one) => one.name),
        state,
      ),
    },
  };
}
