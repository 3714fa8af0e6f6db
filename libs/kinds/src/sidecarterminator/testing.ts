/** Pods that run to completion, with sidecars, for the tests of this folder. */
import type { ContainerRecreateRequest } from '@kruise/api';
import { formatTime, instant, type Container, type ContainerStatus, type EnvVar, type Pod } from '@kruise/objects';
import { aPod, epoch, type PodShape } from '@kruise/testing';
import { newRequest } from './request.ts';

export type State =
  | { readonly kind: 'running'; readonly since?: number }
  | { readonly kind: 'ended'; readonly exitCode?: number; readonly at?: number }
  /** About to be started (again); without an id when it never ran. */
  | { readonly kind: 'waiting'; readonly ranBefore?: boolean }
  | { readonly kind: 'unknown' };

export const running: State = { kind: 'running' };
export const ended: State = { kind: 'ended' };
export const failed: State = { kind: 'ended', exitCode: 1 };
export const starting: State = { kind: 'waiting' };

export interface Part {
  readonly name: string;
  readonly state: State;
  readonly env?: Readonly<Record<string, string>>;
  readonly image?: string;
}

export const byRequest = { KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT: 'true' } as const;
export const ignored = { ...byRequest, KRUISE_TERMINATE_SIDECAR_IGNORE_EXIT_CODE: 'true' } as const;
export const byImage = { KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT_WITH_IMAGE: 'exit:1' } as const;

const at = (seconds: number): string => formatTime(instant(epoch + seconds * 1000));

function stateOf(state: State): Pick<ContainerStatus, 'state' | 'lastState'> {
  switch (state.kind) {
    case 'running':
      return { state: { running: { startedAt: at(state.since ?? 0) } } };
    case 'ended':
      return { state: { terminated: { exitCode: state.exitCode ?? 0, finishedAt: at(state.at ?? 0) } } };
    case 'waiting':
      return {
        state: { waiting: { reason: 'ContainerCreating' } },
        ...(state.ranBefore === true ? { lastState: { terminated: { exitCode: 143 } } } : {}),
      };
    case 'unknown':
      return {};
  }
}

const hasId = (state: State): boolean => state.kind !== 'unknown' && (state.kind !== 'waiting' || state.ranBefore === true);

const statusOf = ({ name, state, image = 'app:1' }: Part): readonly ContainerStatus[] =>
  state.kind === 'unknown'
    ? []
    : [
        {
          name,
          image,
          imageID: '',
          ready: state.kind === 'running',
          restartCount: 0,
          ...(hasId(state) ? { containerID: `containerd://${name}` } : {}),
          ...stateOf(state),
        },
      ];

const containerOf = ({ name, env, image = 'app:1' }: Part): Container => ({
  name,
  image,
  ...(env === undefined ? {} : { env: Object.entries(env).map(([key, value]): EnvVar => ({ name: key, value })) }),
});

export function aJobPod(parts: readonly Part[], shape: PodShape & { readonly restartPolicy?: string } = {}): Pod {
  const pod = aPod({ name: 'job', ...shape });
  return {
    ...pod,
    spec: { ...pod.spec, restartPolicy: shape.restartPolicy ?? 'Never', containers: parts.map(containerOf) },
    status: { ...pod.status, containerStatuses: parts.flatMap(statusOf) },
  };
}

/** The request of `pod`, made `madeAt` seconds after the epoch. */
export function aRequest(
  pod: Pod,
  containers: readonly string[],
  {
    madeAt = 0,
    repeats = 0,
    status,
    ...metadata
  }: { madeAt?: number; repeats?: number; status?: ContainerRecreateRequest['status']; deletionTimestamp?: string } = {},
): ContainerRecreateRequest {
  const request = newRequest(pod, containers, repeats);
  return {
    ...request,
    metadata: { ...request.metadata, uid: 'request-uid', creationTimestamp: at(madeAt), ...metadata },
    ...(status === undefined ? {} : { status }),
  };
}
