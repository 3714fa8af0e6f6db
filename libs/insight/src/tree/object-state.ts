/** The state of every kind that is no Pod, from its spec and status alone. */
import { memberAt, numberAt, objectsAt, stringAt } from '@kruise/objects';
import { kindOf, type AnyObject } from '../seen.ts';
import { factsOf, podsText, type Health, type TreeNode } from './node.ts';

/** What a node says about its object. */
export type Said = Pick<TreeNode, 'health' | 'state' | 'facts'>;

const status = (object: AnyObject, ...names: readonly string[]): number | undefined =>
  names.map((name) => numberAt(object, 'status', name)).find((value) => value !== undefined);

const count = (object: AnyObject, ...names: readonly string[]): number => status(object, ...names) ?? 0;

const said = (health: Health, state: string, facts: readonly (readonly [string, string | undefined])[] = []): Said => ({
  health,
  state,
  facts: factsOf(facts),
});

/** Returns whether the controller has seen the newest spec. Kinds without `status.observedGeneration` count as seen. */
export function isObserved(object: AnyObject): boolean {
  const observed = numberAt(object, 'status', 'observedGeneration');
  return observed === undefined || observed >= (object.metadata.generation ?? 0);
}

/** Returns how many Pods a workload wants. */
const wantedPods = (object: AnyObject): number =>
  kindOf(object).endsWith('/DaemonSet') ? count(object, 'desiredNumberScheduled') : (numberAt(object, 'spec', 'replicas') ?? 1);

/** Their Pods are all of one template. */
const withoutUpdates = new Set(['apps/ReplicaSet', '/ReplicationController']);

/** Returns the numbers of a workload by one set of names. The API server omits numbers of 0; undefined is what the kind does not count. */
export function podNumbers(object: AnyObject): {
  readonly wanted: number;
  readonly pods: number;
  readonly ready: number;
  readonly available: number | undefined;
  readonly updated: number | undefined;
} {
  const kind = kindOf(object);
  return {
    wanted: wantedPods(object),
    pods: count(object, 'replicas', 'currentNumberScheduled'),
    ready: count(object, 'readyReplicas', 'numberReady'),
    available: status(object, 'availableReplicas', 'numberAvailable') ?? (kind.endsWith('/UnitedDeployment') ? undefined : 0),
    updated: status(object, 'updatedReplicas', 'updatedNumberScheduled') ?? (withoutUpdates.has(kind) ? undefined : 0),
  };
}

/** Returns the message of the condition `Blocked`, after its reason. */
export function blockedOf(object: AnyObject): { readonly reason: string; readonly message: string } | undefined {
  const held = objectsAt(object, 'status', 'conditions').find((one) => one['type'] === 'Blocked' && one['status'] === 'True');
  return held === undefined ? undefined : { reason: stringAt(held, 'reason') ?? '', message: stringAt(held, 'message') ?? '' };
}

const pausedAt: readonly (readonly string[])[] = [
  ['spec', 'paused'],
  ['spec', 'suspend'],
  ['spec', 'updateStrategy', 'paused'],
  ['spec', 'updateStrategy', 'rollingUpdate', 'paused'],
  ['spec', 'strategy', 'paused'],
];

/** Returns the field that pauses the object; undefined when none does. */
export const pausingField = (object: AnyObject): string | undefined =>
  pausedAt.find((path) => memberAt(object, ...path) === true)?.join('.');

function workload(object: AnyObject): Said {
  const { wanted, pods, ready, updated } = podNumbers(object);
  const blocked = blockedOf(object);
  const isDone = isObserved(object) && pods === wanted && ready === wanted && (updated ?? wanted) === wanted;
  const health: Health = blocked !== undefined ? 'Faulty' : isDone ? 'Good' : 'Busy';
  const state = blocked !== undefined ? `Blocked: ${blocked.reason}` : isDone ? 'Complete' : 'Progressing';
  return said(health, state, [
    ['ready', `${ready}/${wanted} ready`],
    ['updated', updated === undefined ? undefined : `${updated} updated`],
    ['paused', pausingField(object) === undefined ? undefined : 'paused'],
    ['partition', partitionText(object)],
    ['blocked', blocked?.message],
  ]);
}

function partitionText(object: AnyObject): string | undefined {
  const partition =
    memberAt(object, 'spec', 'updateStrategy', 'rollingUpdate', 'partition') ?? memberAt(object, 'spec', 'updateStrategy', 'partition');
  return (typeof partition === 'number' && partition > 0) || typeof partition === 'string' ? `partition ${partition}` : undefined;
}

function budget(object: AnyObject): Said {
  const allowed = count(object, 'unavailableAllowed');
  const blocked = blockedOf(object);
  const numbers = `${count(object, 'currentAvailable')}/${count(object, 'totalReplicas')} available, ${count(object, 'desiredAvailable')} required`;
  const state =
    blocked === undefined
      ? allowed > 0
        ? `${allowed} more may be unavailable`
        : 'no Pod may be unavailable now'
      : `Blocked: ${blocked.reason}`;
  return said(blocked === undefined ? (allowed > 0 ? 'Good' : 'Busy') : 'Faulty', state, [
    ['available', numbers],
    ['blocked', blocked?.message],
  ]);
}

/** Returns the progress of what counts `total`, `succeeded` and `failed`. */
function counted(object: AnyObject, total: string, unit: string, more: readonly (readonly [string, string | undefined])[] = []): Said {
  const [wanted, succeeded, failed] = [count(object, total), count(object, 'succeeded'), count(object, 'failed')];
  const isOver = stringAt(object, 'status', 'completionTime') !== undefined;
  const state = failed > 0 ? `${failed} failed` : isOver ? 'Completed' : 'Running';
  return said(failed > 0 ? 'Faulty' : isOver ? 'Done' : 'Busy', state, [
    ['succeeded', `${succeeded}/${wanted} ${unit}`],
    ['paused', pausingField(object) === undefined ? undefined : 'paused'],
    ...more,
  ]);
}

const joinedMessages = (object: AnyObject): string => stringAt(object, 'status', 'message') ?? '';

function job(object: AnyObject): Said {
  const wanted = numberAt(object, 'spec', 'completions') ?? numberAt(object, 'spec', 'parallelism') ?? 1;
  const of = (type: string): boolean =>
    objectsAt(object, 'status', 'conditions').some((one) => one['type'] === type && one['status'] === 'True');
  const state = of('Failed')
    ? 'Failed'
    : of('Complete')
      ? 'Completed'
      : memberAt(object, 'spec', 'suspend') === true
        ? 'Suspended'
        : 'Running';
  return said(state === 'Failed' ? 'Faulty' : state === 'Completed' ? 'Done' : 'Busy', state, [
    ['succeeded', `${count(object, 'succeeded')}/${wanted} succeeded`],
    ['failed', count(object, 'failed') > 0 ? `${count(object, 'failed')} Pods failed` : ''],
  ]);
}

function cronJob(object: AnyObject): Said {
  const paused = pausingField(object) !== undefined;
  return said(paused ? 'Busy' : 'Good', paused ? 'Paused' : 'Scheduled', [
    ['schedule', stringAt(object, 'spec', 'schedule')],
    ['active', `${objectsAt(object, 'status', 'active').length} active`],
    [
      'last',
      stringAt(object, 'status', 'lastScheduleTime') === undefined ? undefined : `last ${stringAt(object, 'status', 'lastScheduleTime')}`,
    ],
  ]);
}

function recreateRequest(object: AnyObject): Said {
  const failed = objectsAt(object, 'status', 'containerRecreateStates').some(({ phase }) => phase === 'Failed');
  const phase = stringAt(object, 'status', 'phase') ?? 'Pending';
  return said(failed ? 'Faulty' : phase === 'Completed' ? 'Done' : 'Busy', phase, [
    ['pod', `Pod ${stringAt(object, 'spec', 'podName') ?? ''}`],
    ['message', joinedMessages(object)],
  ]);
}

function sidecarSet(object: AnyObject): Said {
  const [matched, updated, ready] = [count(object, 'matchedPods'), count(object, 'updatedPods'), count(object, 'readyPods')];
  const isDone = updated === matched && ready === matched && isObserved(object);
  return said(isDone ? 'Good' : 'Busy', isDone ? 'Complete' : 'Progressing', [
    ['updated', `${updated}/${matched} updated`],
    ['ready', `${ready} ready`],
    ['paused', pausingField(object) === undefined ? undefined : 'paused'],
  ]);
}

function distribution(object: AnyObject): Said {
  const failed = count(object, 'failed');
  return said(failed > 0 ? 'Faulty' : isObserved(object) ? 'Good' : 'Busy', failed > 0 ? `${failed} failed` : 'Distributed', [
    ['succeeded', `${count(object, 'succeeded')}/${count(object, 'desired')} namespaces`],
  ]);
}

function unschedulableSubsets(object: AnyObject): readonly string[] {
  const isBlocked = (subset: unknown): boolean =>
    objectsAt(subset, 'conditions').some((one) => one['type'] === 'Schedulable' && one['status'] === 'False');
  return objectsAt(object, 'status', 'subsetStatuses')
    .filter(isBlocked)
    .map((subset) => stringAt(subset, 'name') ?? '');
}

function spread(object: AnyObject): Said {
  const blocked = unschedulableSubsets(object);
  const subsets = objectsAt(object, 'status', 'subsetStatuses').map(
    (one) => `${stringAt(one, 'name') ?? ''} ${numberAt(one, 'replicas') ?? 0}`,
  );
  return said(blocked.length > 0 ? 'Faulty' : 'Good', blocked.length > 0 ? `unschedulable: ${blocked.join(', ')}` : 'Spread', [
    ['subsets', subsets.join(', ')],
  ]);
}

function nodeImage(object: AnyObject): Said {
  const [failed, pulling] = [count(object, 'failed'), count(object, 'pulling') + count(object, 'waiting')];
  const state = failed > 0 ? `${failed} failed` : pulling > 0 ? `${pulling} pulling` : 'Complete';
  return said(failed > 0 ? 'Faulty' : pulling > 0 ? 'Busy' : 'Good', state, [
    ['succeeded', `${count(object, 'succeeded')}/${count(object, 'desired')} images`],
  ]);
}

function rollout(object: AnyObject): Said {
  const phase = stringAt(object, 'status', 'phase') ?? 'Unknown';
  const step =
    numberAt(object, 'status', 'canaryStatus', 'currentStepIndex') ?? numberAt(object, 'status', 'blueGreenStatus', 'currentStepIndex');
  const state =
    stringAt(object, 'status', 'canaryStatus', 'currentStepState') ?? stringAt(object, 'status', 'blueGreenStatus', 'currentStepState');
  return said(phase === 'Healthy' ? 'Good' : phase === 'Progressing' ? 'Busy' : 'Faulty', phase, [
    ['step', step === undefined ? undefined : `step ${step}${state === undefined ? '' : ` ${state}`}`],
    ['paused', pausingField(object) === undefined ? undefined : 'paused'],
  ]);
}

const matched = (object: AnyObject): Said => said('Good', '', [['matched', podsText(count(object, 'matchedPods'))]]);

const remembered = (object: AnyObject): Said => {
  const states = memberAt(object, 'status', 'podStates');
  return said('Good', '', [['remembered', `${Object.keys(states ?? {}).length} Pods remembered`]]);
};

const kinds: Readonly<Record<string, (object: AnyObject) => Said>> = {
  'apps/Deployment': workload,
  'apps/ReplicaSet': workload,
  'apps/StatefulSet': workload,
  'apps/DaemonSet': workload,
  '/ReplicationController': workload,
  'apps.kruise.io/CloneSet': workload,
  'apps.kruise.io/StatefulSet': workload,
  'apps.kruise.io/DaemonSet': workload,
  'apps.kruise.io/UnitedDeployment': workload,
  'policy.kruise.io/PodUnavailableBudget': budget,
  'apps.kruise.io/WorkloadSpread': spread,
  'apps.kruise.io/SidecarSet': sidecarSet,
  'apps.kruise.io/BroadcastJob': (object) => counted(object, 'desired', 'nodes succeeded'),
  'apps.kruise.io/ImagePullJob': (object) =>
    counted(object, 'desired', 'nodes', [
      ['image', stringAt(object, 'spec', 'image')],
      ['active', count(object, 'active') > 0 ? `${count(object, 'active')} pulling` : ''],
    ]),
  'apps.kruise.io/ImageListPullJob': (object) => counted(object, 'desired', 'images'),
  'apps.kruise.io/EphemeralJob': (object) => counted(object, 'match', 'Pods succeeded'),
  'apps.kruise.io/AdvancedCronJob': cronJob,
  'batch/CronJob': cronJob,
  'batch/Job': job,
  'apps.kruise.io/ContainerRecreateRequest': recreateRequest,
  'apps.kruise.io/ResourceDistribution': distribution,
  'apps.kruise.io/NodeImage': nodeImage,
  'apps.kruise.io/PodProbeMarker': matched,
  'apps.kruise.io/PersistentPodState': remembered,
  'rollouts.kruise.io/Rollout': rollout,
};

/** Returns what the tree says of an object. Nothing is said of kinds that the table does not have. */
export function sayObject(object: AnyObject): Said {
  if (object.metadata.deletionTimestamp !== undefined) return said('Busy', 'Terminating');
  return (kinds[kindOf(object)] ?? (() => said('Good', '')))(object);
}
