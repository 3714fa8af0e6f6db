/** What the `create` commands make (spec/kubectl-kruise.md 7). */
import { isJsonObject, memberAt, objectsAt, stringAt, type JsonObject } from '@kruise/objects';
import { UserError } from '../failure.ts';
import { type Untyped } from '../objects/untyped.ts';

/** A job of either kind. */
export type JobKind = 'Job' | 'BroadcastJob';

/** Where a new object is. */
export interface Place {
  readonly apiVersion: string;
  readonly name: string;
  readonly namespace: string;
}

/** @throws UserError unless exactly one of `--image` and `--from` is given, and a command only with an image */
export function checkJobSource({
  image,
  from,
  command,
}: {
  readonly image: string;
  readonly from: string;
  readonly command: readonly string[];
}): void {
  if ((image === '') === (from === '')) throw new UserError('either --image or --from must be specified');
  if (from !== '' && command.length > 0) throw new UserError('cannot specify --from and command');
}

/** A job that runs one image once. */
export const jobOfImage = (
  kind: JobKind,
  { apiVersion, name, namespace }: Place,
  run: { readonly image: string; readonly command: readonly string[] },
): Untyped => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
  spec: {
    template: {
      spec: {
        containers: [{ name, image: run.image, ...(run.command.length === 0 ? {} : { command: run.command }) }],
        restartPolicy: 'Never',
      },
    },
  },
});

const templateMember: Readonly<Record<JobKind, string>> = { Job: 'jobTemplate', BroadcastJob: 'broadcastJobTemplate' };

function templateIn(source: Untyped, kind: JobKind): JsonObject {
  if (source.kind === 'CronJob') {
    const template = memberAt(source, 'spec', 'jobTemplate');
    if (kind === 'Job' && isJsonObject(template)) return template;
    throw new UserError('from must be an AdvancedCronJob');
  }
  const templates = memberAt(source, 'spec', 'template');
  const template = memberAt(templates, templateMember[kind]);
  if (isJsonObject(template)) return template;
  const found = isJsonObject(templates) ? (Object.keys(templates)[0] ?? 'none') : 'none';
  throw new UserError(`from must be a ${kind === 'Job' ? 'job' : 'broadcast job'} template, but got ${found}`);
}

/** A job from the template of a CronJob or AdvancedCronJob, which it belongs to without being controlled by it. */
export function jobFromCron(kind: JobKind, { apiVersion, name, namespace }: Place, source: Untyped): Untyped {
  const template = templateIn(source, kind);
  const own = memberAt(template, 'metadata', 'annotations');
  const labels = memberAt(template, 'metadata', 'labels');
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      annotations: { 'cronjob.kubernetes.io/instantiate': 'manual', ...(isJsonObject(own) ? own : {}) },
      ...(isJsonObject(labels) ? { labels } : {}),
      ownerReferences: [{ apiVersion: source.apiVersion, kind: source.kind, name: source.metadata.name, uid: source.metadata.uid }],
    },
    spec: template['spec'],
  } as unknown as Untyped;
}

/** What the flags of `create ContainerRecreateRequest` say; undefined for what is not given. */
export interface RecreateOptions {
  readonly containers: readonly string[];
  readonly unreadyGracePeriodSeconds: number;
  readonly minStartedSeconds: number;
  readonly terminationGracePeriodSeconds: number | undefined;
  readonly failurePolicy: string;
  readonly orderedRecreate: boolean;
  readonly forceRecreate: boolean;
  readonly ttlSecondsAfterFinished: number;
  readonly activeDeadlineSeconds: number;
}

/**
 * A request for the named containers, or all of the Pod. What admission copies from the Pod (`preStop`, `ports`) is omitted: it refuses requests
 * that bring it along.
 */
export function recreateRequest({ apiVersion, name, namespace }: Place, pod: Untyped, options: RecreateOptions): Untyped {
  const all = objectsAt(pod, 'spec', 'containers').map((container) => stringAt(container, 'name') ?? '');
  const wanted = options.containers.map((text) => text.trim()).filter((text) => text !== '');
  if (wanted.some((container) => !all.includes(container))) throw new UserError('has container not exist');
  const { failurePolicy, orderedRecreate, forceRecreate, unreadyGracePeriodSeconds, minStartedSeconds, terminationGracePeriodSeconds } =
    options;
  return {
    apiVersion,
    kind: 'ContainerRecreateRequest',
    metadata: { name, namespace },
    spec: {
      podName: pod.metadata.name,
      containers: (wanted.length === 0 ? all : wanted).map((container) => ({ name: container })),
      strategy: {
        failurePolicy,
        orderedRecreate,
        ...(forceRecreate ? { forceRecreate } : {}),
        unreadyGracePeriodSeconds,
        minStartedSeconds,
        ...(terminationGracePeriodSeconds === undefined ? {} : { terminationGracePeriodSeconds }),
      },
      activeDeadlineSeconds: options.activeDeadlineSeconds,
      ttlSecondsAfterFinished: options.ttlSecondsAfterFinished,
    },
  };
}
