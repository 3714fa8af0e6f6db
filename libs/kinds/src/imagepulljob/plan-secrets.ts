/**
 * Copies of pull secrets for the node agents, which may read none but those of their own namespace: one copy of a secret, shared by all jobs
 * that name it, gone with the last of them. Pure.
 * @see spec/image-pulling.md 5.5.1
 */
import { imagePullJobAnnotations, secretCopyName, type ImagePullJob } from '@kruise/api';
import {
  isTerminating,
  compareUtf8,
  deepEqual,
  formatKey,
  keyOf,
  milliseconds,
  parseTime,
  seconds,
  type Instant,
  type KubeObject,
  type Milliseconds,
  type ObjectKey,
  type Secret,
} from '@kruise/objects';
import { isPullSecret, typeOfSecret, type Unfit } from '../images/pull-secrets.ts';
import type { PullSecretReference } from './snapshot.ts';

/** How long the copies of a job stay after its end, so that the next job of a series takes them over instead of copying again. */
const lingering = seconds(5);

/** Value of the annotation that marks a shared copy. */
const sharedMode = 'batch';

export interface WantedSecret {
  readonly key: ObjectKey;
  /** Undefined when there is none. */
  readonly source: Secret | undefined;
  /** Why nodes do not get it; its contents are absent then. */
  readonly unfit: Unfit | undefined;
}

export type SecretAction =
  /** Under a name that follows from the source; `secretCopyName` of a higher attempt when another object has it. */
  | { readonly kind: 'CreateCopy'; readonly source: Secret; readonly because: string }
  /** On the version seen: a job that joins at the same moment must make it conflict. */
  | { readonly kind: 'UpdateCopy'; readonly copy: Secret; readonly because: string }
  | { readonly kind: 'DeleteCopy'; readonly copy: Secret; readonly because: string };

/** A secret that is not given to nodes. */
export interface RefusedSecret {
  readonly key: ObjectKey;
  readonly why: Unfit;
}

export interface SecretsPlan {
  readonly actions: readonly SecretAction[];
  /** Wanted, but never copied. */
  readonly refused: readonly RefusedSecret[];
  /** Copies as they will be once the actions are done, in the order of the job's list; those to create are not among them. */
  readonly copies: readonly Secret[];
}

const annotationOf = ({ metadata }: KubeObject, name: string): string | undefined => metadata.annotations?.[name];

/** The jobs that use a copy, as `<namespace>/<name>`. */
export const usersOf = (copy: KubeObject): readonly string[] =>
  (annotationOf(copy, imagePullJobAnnotations.pullSecretReferences) ?? '').split(',').filter((user) => user !== '');

/** Searches the text: thousands of jobs may use a copy, and each pass of each of them looks at all copies. */
const isUsedBy = (copy: KubeObject, user: string): boolean =>
  `,${annotationOf(copy, imagePullJobAnnotations.pullSecretReferences) ?? ''},`.includes(`,${user},`);

export const sourceKeyOf = (copy: KubeObject): string | undefined => annotationOf(copy, imagePullJobAnnotations.pullSecretSourceKey);

/** Whether a copy can hold what the source holds: the type of a Secret cannot be changed, only that of another one under its name. */
export const isOfSameType = (copy: Secret, source: Secret): boolean => typeOfSecret(copy) === typeOfSecret(source);

const withUsers = (copy: Secret, users: readonly string[]): Secret => ({
  ...copy,
  metadata: {
    ...copy.metadata,
    annotations: { ...copy.metadata.annotations, [imagePullJobAnnotations.pullSecretReferences]: users.join(',') },
  },
});

/** The copy with the job at its place among its users, which are in order. */
function joinedBy(copy: Secret, user: string): Secret {
  if (isUsedBy(copy, user)) return copy;
  const users = usersOf(copy);
  const place = users.findIndex((other) => compareUtf8(other, user) > 0);
  return withUsers(copy, users.toSpliced(place === -1 ? users.length : place, 0, user));
}

/** The first copy of a source, as it is created: without its labels and annotations, of which `last-applied-configuration` holds the data as well. */
export function newCopy(source: Secret, user: string, namespace: string, attempt = 0): Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: secretCopyName(keyOf(source), attempt),
      namespace,
      annotations: {
        [imagePullJobAnnotations.pullSecretSourceKey]: formatKey(keyOf(source)),
        [imagePullJobAnnotations.pullSecretReferences]: user,
        [imagePullJobAnnotations.pullSecretMode]: sharedMode,
      },
    },
    ...(source.type === undefined ? {} : { type: source.type }),
    ...(source.data === undefined ? {} : { data: { ...source.data } }),
  };
}

/** What a NodeImage says of a copy. */
export function referenceTo(copy: Secret): PullSecretReference {
  const mode = annotationOf(copy, imagePullJobAnnotations.pullSecretMode);
  return { namespace: copy.metadata.namespace ?? '', name: copy.metadata.name, ...(mode === undefined ? {} : { mode }) };
}

const usable = (copies: readonly Secret[]): readonly Secret[] =>
  copies.filter((copy) => !isTerminating(copy)).toSorted((a, b) => compareUtf8(a.metadata.name, b.metadata.name));

function release(copy: Secret, user: string, because: string): SecretAction {
  const left = usersOf(copy).filter((other) => other !== user);
  return left.length === 0 ? { kind: 'DeleteCopy', copy, because } : { kind: 'UpdateCopy', copy: withUsers(copy, left), because };
}

/**
 * Releases the copies of a job that is finished, being deleted, or deleted.
 *
 * @param user the job as `<namespace>/<name>`; @param copies those of the agents' namespace, any order
 */
export const planRelease = (user: string, copies: readonly Secret[], because: string): readonly SecretAction[] =>
  usable(copies)
    .filter((copy) => isUsedBy(copy, user))
    .map((copy) => release(copy, user, because));

/**
 * How much longer the copies of a job stay its own: for a while after its end, not once it is deleted.
 *
 * @param job undefined if it is deleted; @param copies those of the agents' namespace
 * @returns undefined if the copies no longer stay; a completion time in the future comes from a wrong clock
 */
export function lingersFor(job: ImagePullJob | undefined, copies: readonly Secret[], now: Instant): Milliseconds | undefined {
  const ended = job?.metadata.deletionTimestamp === undefined ? parseTime(job?.status?.completionTime) : undefined;
  if (job === undefined || ended === undefined || Math.abs(now - ended) >= lingering) return undefined;
  const user = formatKey(keyOf(job));
  return usable(copies).some((copy) => isUsedBy(copy, user)) ? milliseconds(ended + lingering - now) : undefined;
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const ownAnnotations: readonly string[] = Object.values(imagePullJobAnnotations);

/** A copy of an earlier version carries what its source says of itself, which may be the data of an earlier day. */
function withoutForeign(copy: Secret): Secret {
  if (annotationOf(copy, lastApplied) === undefined) return copy;
  const { labels: _labels, annotations = {}, ...metadata } = copy.metadata;
  const own = Object.fromEntries(Object.entries(annotations).filter(([name]) => ownAnnotations.includes(name)));
  return { ...copy, metadata: { ...metadata, annotations: own } };
}

function claim(copy: Secret, source: Secret, user: string): { readonly copy: Secret; readonly actions: readonly SecretAction[] } {
  const joined = joinedBy(copy, user);
  const current = deepEqual(joined.data ?? {}, source.data ?? {}) ? joined : { ...joined, data: { ...source.data } };
  const claimed = withoutForeign(current);
  if (claimed === copy) return { copy, actions: [] };
  const why = current === copy ? 'it carries annotations of its source' : 'its source changed';
  const because = joined === copy ? why : 'the job uses it';
  return { copy: claimed, actions: [{ kind: 'UpdateCopy', copy: claimed, because }] };
}

/** What a running job needs. @param copies those of the agents' namespace, any order */
export function planSecrets(user: string, wanted: readonly WantedSecret[], copies: readonly Secret[]): SecretsPlan {
  const candidates = usable(copies);
  const actions: SecretAction[] = [];
  const chosen: Secret[] = [];
  const refused = wanted.flatMap(({ key, unfit }) => (unfit === undefined ? [] : { key, why: unfit }));
  for (const { key, source, unfit } of wanted) {
    if (unfit !== undefined) continue;
    const text = formatKey(key);
    const fits = (copy: Secret): boolean => (source === undefined ? isPullSecret(copy) : isOfSameType(copy, source));
    const fitting = candidates.filter((copy) => sourceKeyOf(copy) === text && fits(copy));
    const held = fitting.find((copy) => isUsedBy(copy, user)) ?? fitting[0];
    if (source === undefined) {
      // What the job uses already stays as it is.
      if (held !== undefined && isUsedBy(held, user)) chosen.push(held);
    } else if (held === undefined) actions.push({ kind: 'CreateCopy', source, because: 'there is no copy of it' });
    else {
      const claimed = claim(held, source, user);
      actions.push(...claimed.actions);
      chosen.push(claimed.copy);
    }
  }
  const kept = new Set(chosen.map(({ metadata }) => metadata.name));
  const released = candidates.filter((copy) => isUsedBy(copy, user) && !kept.has(copy.metadata.name));
  const releases = released.map((copy) => release(copy, user, 'the job does not want it'));
  return { actions: [...releases, ...actions], refused, copies: chosen };
}

/** The secrets that a job names, each once. */
export const wantedSecretsOf = ({ metadata, spec }: ImagePullJob): readonly ObjectKey[] =>
  [...new Set(spec.pullSecrets ?? [])].filter((name) => name !== '').map((name) => ({ namespace: metadata.namespace ?? '', name }));
