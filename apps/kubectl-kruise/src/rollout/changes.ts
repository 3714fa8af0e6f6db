/** What pause, resume, restart and approve write. */
import { isJsonObject, memberAt, numberAt, objectsAt, stringAt, type JsonObject } from '@kruise/objects';
import { UserError } from '../failure.ts';
import { mergePatchAt, withMember, type Untyped } from '../objects/untyped.ts';
import { pausedPath, templatePath, type WorkloadKind } from '../objects/workload-kind.ts';

/** A merge patch, to the object or a subresource of it. */
export interface Change {
  readonly patch: JsonObject;
  readonly subresource?: string;
}

/** @throws UserError for a kind that cannot be paused, and one that is already in the wanted state */
export function pauseChange(kind: WorkloadKind, object: Untyped, paused: boolean): Change {
  const path = pausedPath(kind, object.apiVersion ?? '');
  if (path === undefined) throw new UserError(paused ? 'pausing is not supported' : 'resuming is not supported');
  if ((memberAt(object, ...path) === true) === paused) throw new UserError(paused ? 'is already paused' : 'is not paused');
  return { patch: mergePatchAt(path, paused) };
}

const restartedEnv = 'RESTARTED_AT';

function withEnv(container: JsonObject, value: string): JsonObject {
  const env = objectsAt(container, 'env');
  const isThere = env.some(({ name }) => name === restartedEnv);
  const next = isThere
    ? env.map((one) => (one['name'] === restartedEnv ? { name: restartedEnv, value } : one))
    : [...env, { name: restartedEnv, value }];
  return { ...container, env: next };
}

const builtins: readonly WorkloadKind[] = ['Deployment', 'DaemonSet', 'StatefulSet'];
const restartable: readonly WorkloadKind[] = [...builtins, 'CloneSet', 'AdvancedStatefulSet', 'AdvancedDaemonSet', 'UnitedDeployment'];

/** A restart: the kinds of Kubernetes get an annotation by merge patch, those of Kruise an environment variable in every container. */
export type Restart = { readonly kind: 'Patch'; readonly patch: JsonObject } | { readonly kind: 'Update'; readonly object: Untyped };

/** @param now RFC 3339 */
export function restartChange(kind: WorkloadKind, object: Untyped, now: string): Restart {
  const template = restartable.includes(kind) ? templatePath(kind, object) : undefined;
  if (template === undefined) throw new UserError('restarting is not supported');
  if (kind === 'Deployment' && memberAt(object, 'spec', 'paused') === true)
    throw new UserError("can't restart paused deployment (run rollout resume first)");
  if (builtins.includes(kind))
    return { kind: 'Patch', patch: mergePatchAt([...template, 'metadata', 'annotations', 'kubectl.kubernetes.io/restartedAt'], now) };
  const path = [...template, 'spec', 'containers'];
  const containers = objectsAt(object, ...path).map((container) => withEnv(container, now));
  return { kind: 'Update', object: withMember(object, path, containers) as Untyped };
}

/** @throws UserError when there is nothing to approve */
export function approveChange(kind: WorkloadKind, object: Untyped): Change {
  if (kind !== 'Rollout') throw new UserError('approving is not supported');
  const member = ['canaryStatus', 'blueGreenStatus'].find((name) => isJsonObject(memberAt(object, 'status', name)));
  if (member === undefined) throw new UserError('no need to approve: not in canary or blue-green progress');
  if (stringAt(object, 'status', member, 'currentStepState') !== 'StepPaused') {
    const progress = member === 'canaryStatus' ? 'canary' : 'blue-green';
    throw new UserError(`does not allow to approve, because current ${progress} state is not 'StepPaused'`);
  }
  return { patch: mergePatchAt(['status', member, 'currentStepState'], 'StepReady'), subresource: 'status' };
}

interface Step {
  readonly index: number;
  readonly replicas: number;
  readonly hasTraffic: boolean;
}

/** Percent of 100, or a count as it is. */
function replicasOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? Number(value.replace(/%$/, '')) || 0 : 0;
}

function stepsOf(object: Untyped): readonly Step[] {
  const strategy = ['blueGreen', 'canary'].find((name) => isJsonObject(memberAt(object, 'spec', 'strategy', name))) ?? 'canary';
  return objectsAt(object, 'spec', 'strategy', strategy, 'steps').map((step, at) => {
    const traffic = stringAt(step, 'traffic');
    return {
      index: at + 1,
      replicas: replicasOf(step['replicas']),
      hasTraffic: traffic !== undefined && traffic !== '0%' && traffic !== '',
    };
  });
}

/**
 * `undo --fast`: jumps to the earlier step without traffic that has the most replicas.
 *
 * @throws UserError when there is none
 */
export function fastUndoChange(kind: WorkloadKind, object: Untyped): Change {
  if (kind !== 'Rollout' || object.apiVersion !== 'rollouts.kruise.io/v1beta1')
    throw new UserError('fast rollback is only supported for rollouts.rollouts.kruise.io of v1beta1');
  const member = ['blueGreenStatus', 'canaryStatus'].find((name) => isJsonObject(memberAt(object, 'status', name)));
  const current = member === undefined ? 0 : (numberAt(object, 'status', member, 'currentStepIndex') ?? 0);
  if (member === undefined || current <= 1) throw new UserError('already at the first step');
  const earlier = stepsOf(object).filter(({ index, hasTraffic }) => index < current && !hasTraffic);
  const best = earlier
    .toReversed()
    .reduce<Step | undefined>((most, step) => (most === undefined || step.replicas > most.replicas ? step : most), undefined);
  if (best === undefined) throw new UserError('no previous step with no traffic found');
  return { patch: mergePatchAt(['status', member, 'nextStepIndex'], best.index), subresource: 'status' };
}

/** What a Rollout rolls out. */
export function workloadRefOf(object: Untyped): { readonly apiVersion: string; readonly kind: string; readonly name: string } | undefined {
  const ref = memberAt(object, 'spec', 'workloadRef') ?? memberAt(object, 'spec', 'objectRef', 'workloadRef');
  const [apiVersion, kind, name] = [stringAt(ref, 'apiVersion'), stringAt(ref, 'kind'), stringAt(ref, 'name')];
  return apiVersion === undefined || kind === undefined || name === undefined ? undefined : { apiVersion, kind, name };
}
