/** Moves replicas from a Deployment to a CloneSet (spec/kubectl-kruise.md 9.1). */
import { isJsonObject, memberAt, numberAt, type JsonObject } from '@kruise/objects';
import { UserError } from '../failure.ts';
import { keptAnnotations } from '../objects/kept-annotations.ts';
import { type Untyped } from '../objects/untyped.ts';

const present = (members: JsonObject): JsonObject => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/**
 * The CloneSet that a Deployment becomes.
 *
 * @param apiVersion of the CloneSet: in v1alpha1 the settings of the update are beside its type
 * @param copy keeps the replicas; without it the CloneSet begins with none
 */
export function cloneSetFromDeployment(
  deployment: Untyped,
  to: { readonly apiVersion: string; readonly name: string; readonly copy: boolean },
): Untyped {
  const { metadata } = deployment;
  const spec = memberAt(deployment, 'spec');
  const of = (name: string): unknown => (isJsonObject(spec) ? spec[name] : undefined);
  const rollout = present({
    paused: of('paused') === true ? true : undefined,
    maxUnavailable: memberAt(deployment, 'spec', 'strategy', 'rollingUpdate', 'maxUnavailable'),
    maxSurge: memberAt(deployment, 'spec', 'strategy', 'rollingUpdate', 'maxSurge'),
  });
  const isOld = to.apiVersion.endsWith('/v1alpha1');
  const updateStrategy = isOld
    ? { type: 'ReCreate', ...rollout }
    : { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'ReCreate', ...rollout } };
  return {
    apiVersion: to.apiVersion,
    kind: 'CloneSet',
    metadata: present({
      name: to.name,
      namespace: metadata.namespace,
      labels: metadata.labels,
      annotations: keptAnnotations(deployment),
    }),
    spec: present({
      replicas: to.copy ? (of('replicas') ?? 1) : 0,
      selector: of('selector'),
      template: of('template'),
      revisionHistoryLimit: of('revisionHistoryLimit'),
      minReadySeconds: of('minReadySeconds'),
      progressDeadlineSeconds: isOld ? undefined : of('progressDeadlineSeconds'),
      updateStrategy,
    }),
  } as unknown as Untyped;
}

/**
 * On the CloneSet while replicas are moved: the replicas of both workloads together before the move. A run that is interrupted after it added
 * Pods to the CloneSet leaves them, and the next one takes as many from the Deployment first.
 */
export const migrationAnnotation = 'kubectl-kruise/migration-total';

/** One migration; the counts begin with the first look. */
export interface Migration {
  readonly total: number;
  readonly maxSurge: number;
  readonly srcMoved: number;
  readonly dstMoved: number;
  /** Replicas of both workloads together, before and after. */
  readonly sum: number;
}

const replicasOf = (object: Untyped): number => numberAt(object, 'spec', 'replicas') ?? 1;
const isObserved = (object: Untyped): boolean =>
  (numberAt(object, 'status', 'observedGeneration') ?? 0) === (object.metadata.generation ?? 0);

/** What an interrupted run added to the CloneSet and did not take from the Deployment. */
function surplusOf(src: Untyped, dst: Untyped): number {
  const before = dst.metadata.annotations?.[migrationAnnotation] ?? '';
  return /^\d{1,9}$/.test(before) ? Math.max(replicasOf(src) + replicasOf(dst) - Number(before), 0) : 0;
}

/** @param replicas of `--replicas`; -1 moves all */
export function startMigration(src: Untyped, dst: Untyped, how: { readonly replicas: number; readonly maxSurge: number }): Migration {
  const { replicas, maxSurge } = how;
  if (replicas === 0 || replicas < -1) throw new UserError(`invalid replicas ${replicas}`);
  if (maxSurge < 1) throw new UserError(`invalid max surge ${maxSurge}`);
  if (replicas > replicasOf(src))
    throw new UserError(`invalid replicas ${replicas}: Deployment ${JSON.stringify(src.metadata.name)} has ${replicasOf(src)}`);
  const total = replicas === -1 ? replicasOf(src) : replicas;
  const dstMoved = Math.min(surplusOf(src, dst), total);
  return { total, maxSurge, srcMoved: 0, dstMoved, sum: replicasOf(src) + replicasOf(dst) - dstMoved };
}

/** What to do next: one write at a time. */
export type MigrationStep =
  | { readonly kind: 'Done' }
  | { readonly kind: 'Wait' }
  | { readonly kind: 'ScaleOut'; readonly replicas: number; readonly next: Migration }
  | { readonly kind: 'ScaleIn'; readonly replicas: number; readonly next: Migration };

/** Pods are added to the CloneSet first, at most `maxSurge`; the Deployment loses as many only once those are available. */
export function planMigration(migration: Migration, src: Untyped, dst: Untyped): MigrationStep {
  const { total, maxSurge, srcMoved, dstMoved } = migration;
  if (srcMoved >= total && dstMoved >= total) return { kind: 'Done' };
  if (!isObserved(src) || !isObserved(dst)) return { kind: 'Wait' };
  const out = Math.min(maxSurge - (dstMoved - srcMoved), total - dstMoved);
  if (out > 0) return { kind: 'ScaleOut', replicas: replicasOf(dst) + out, next: { ...migration, dstMoved: dstMoved + out } };
  if (replicasOf(dst) !== (numberAt(dst, 'status', 'availableReplicas') ?? 0)) return { kind: 'Wait' };
  const into = Math.min(replicasOf(src), total - srcMoved, dstMoved - srcMoved);
  if (into <= 0) return { kind: 'Wait' };
  return { kind: 'ScaleIn', replicas: replicasOf(src) - into, next: { ...migration, srcMoved: srcMoved + into } };
}
