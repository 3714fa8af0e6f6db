/** Causes that an object shows itself, whatever its kind: refusals, pauses, limits, failed parts, other controllers. */
import { controllerOf, counted, memberAt, numberAt, objectsAt, stringAt, type Pod } from '@kruise/objects';
import { kindOf, selects, type AnyObject, type Seen } from '../seen.ts';
import { pausingField, podNumbers } from '../tree/object-state.ts';
import { autoscalerRules } from './autoscaler-rules.ts';
import { evidenceAt, fault, held, keptByFinalizers, nameOf, type Cause, type Evidence } from './cause.ts';
import { recentEvents } from './events.ts';
import { conditionOf, type ObjectRule } from './object-rule.ts';
import { isLongAgo } from './pod-rule.ts';
import { refusalOf } from './refusal.ts';

const terminating: ObjectRule = (object, seen) => {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || finalizers.length === 0 || !isLongAgo(deletionTimestamp, seen)) return undefined;
  return keptByFinalizers(object, finalizers, deletionTimestamp);
};

/**
 * Kinds whose controller writes a status for every object. The agent of a node writes that of its NodeImage and NodePodProbe, and the first one of a
 * ContainerRecreateRequest.
 */
const withStatus =
  /^(?:apps\.kruise\.io\/(?!PersistentPodState|NodeImage|NodePodProbe|ContainerRecreateRequest)|policy\.kruise\.io\/|apps\/(?!ControllerRevision)|rollouts\.kruise\.io\/)/;

/** Returns when the spec was written last, from the times of managed fields; a write of `scale`, by an autoscaler for example, is one of the spec. */
export function specTime(object: AnyObject): string | undefined {
  const entries = objectsAt(object, 'metadata', 'managedFields').filter((entry) => entry['subresource'] !== 'status');
  return (
    entries
      .map((entry) => stringAt(entry, 'time') ?? '')
      .toSorted()
      .at(-1) ??
    object.metadata.creationTimestamp ??
    undefined
  );
}

const noController: ObjectRule = (object, seen) => {
  if (!withStatus.test(kindOf(object)) || !isLongAgo(specTime(object), seen)) return undefined;
  const status = memberAt(object, 'status');
  const observed = numberAt(object, 'status', 'observedGeneration');
  const isBehind = observed !== undefined && observed < (object.metadata.generation ?? 0);
  if (status !== undefined && !isBehind) return undefined;
  const text = status === undefined ? 'absent' : `${observed}, metadata.generation is ${object.metadata.generation}`;
  return fault(
    'NoController',
    `no controller has processed ${nameOf(object)}`,
    'Check that the controller of the kind runs and has the feature enabled; for kinds of Kruise: kubectl -n kruise-system get pods.',
    evidenceAt(object, 'status.observedGeneration', text),
  );
};

/** Conditions in which controllers keep the refusal of the API server. */
const refusedConditions = ['ReplicaFailure', 'FailedScale', 'FailedUpdate', 'FailedCreatePod', 'FailedUpdatePod', 'SubsetFailure'];

function refusalCause(message: string, evidence: Evidence): Cause {
  const refusal = refusalOf(message);
  return refusal === undefined
    ? fault(
        'CreationFails',
        `${evidence.object}: Pods cannot be created or changed`,
        'Remove the cause in the message; the controller retries automatically.',
        evidence,
      )
    : fault(refusal.reason, `${evidence.object}: ${refusal.what}`, refusal.next, evidence);
}

/** The object and what it controls, without Pods. */
const withChildren = (object: AnyObject, seen: Seen): readonly AnyObject[] => [
  object,
  ...seen.ownedBy(object).filter(({ kind }) => kind !== 'Pod'),
];

const refusedByCondition: ObjectRule = (object, seen) => {
  for (const one of withChildren(object, seen)) {
    const condition = refusedConditions.map((type) => conditionOf(one, type)).find((found) => found !== undefined);
    const message = stringAt(condition, 'message') ?? '';
    if (condition !== undefined && message !== '')
      return refusalCause(
        message,
        evidenceAt(one, `status.conditions[${stringAt(condition, 'type') ?? ''}]`, message, stringAt(condition, 'lastTransitionTime')),
      );
  }
  return undefined;
};

const creationEvents = new Set([
  'FailedCreate',
  'FailedCreatePod',
  'FailedUpdate',
  'FailedDelete',
  'FailedScale',
  'SuccessfulCreateFailed',
]);

const refusedByEvent: ObjectRule = (object, seen) => {
  for (const one of withChildren(object, seen)) {
    const event = recentEvents(seen, { kind: one.kind ?? '', name: one.metadata.name }).find(({ reason }) => creationEvents.has(reason));
    if (event !== undefined) return refusalCause(event.message, event.evidence);
  }
  return undefined;
};

/** A pause of a Rollout without a running update holds nothing. */
const isPausedRollout = (rollout: AnyObject): boolean =>
  memberAt(rollout, 'spec', 'strategy', 'paused') === true && stringAt(rollout, 'status', 'phase') === 'Progressing';

/** Omits a Rollout with a running update, which `heldByRollout` reports. */
const paused: ObjectRule = (object) => {
  const field = pausingField(object);
  if (field === undefined || field === 'spec.suspend' || isPausedRollout(object)) return undefined;
  const { pods, updated } = podNumbers(object);
  const isWaiting = updated === undefined || updated < pods || kindOf(object).endsWith('CronJob') || kindOf(object).startsWith('rollouts.');
  return isWaiting ? held('Paused', `${nameOf(object)} is paused`, `Set ${field} to false.`, evidenceAt(object, field, 'true')) : undefined;
};

const suspended: ObjectRule = (object) =>
  memberAt(object, 'spec', 'suspend') === true
    ? held('Suspended', `${nameOf(object)} is suspended`, 'Set spec.suspend to false.', evidenceAt(object, 'spec.suspend', 'true'))
    : undefined;

/** A Rollout that is paused or waits for approval holds the workload that it refers to. */
const heldByRollout: ObjectRule = (object, seen) => {
  const own =
    kindOf(object) === 'rollouts.kruise.io/Rollout' ? [object] : seen.referringTo('rollouts.kruise.io/Rollout', object, 'workloadRef');
  for (const rollout of own) {
    if (isPausedRollout(rollout))
      return held(
        'RolloutPaused',
        `${nameOf(rollout)}${rollout === object ? '' : `, which updates ${nameOf(object)},`} is paused`,
        `kubectl kruise rollout resume rollout/${rollout.metadata.name}`,
        evidenceAt(rollout, 'spec.strategy.paused', 'true'),
      );
    const member = ['canaryStatus', 'blueGreenStatus'].find((one) => stringAt(rollout, 'status', one, 'currentStepState') === 'StepPaused');
    if (member !== undefined)
      return held(
        'RolloutWaits',
        `${nameOf(rollout)} waits at step ${numberAt(rollout, 'status', member, 'currentStepIndex') ?? 1} to be approved`,
        `kubectl kruise rollout approve rollout/${rollout.metadata.name}`,
        evidenceAt(rollout, `status.${member}.currentStepState`, 'StepPaused'),
      );
  }
  return undefined;
};

const isBehindUpdate = (object: AnyObject): boolean => {
  const { pods, updated } = podNumbers(object);
  return updated !== undefined && updated < pods;
};

const strategyAt = (object: AnyObject, ...path: readonly string[]): unknown => memberAt(object, 'spec', 'updateStrategy', ...path);

const onDelete: ObjectRule = (object) =>
  strategyAt(object, 'type') === 'OnDelete' && isBehindUpdate(object)
    ? held(
        'OnDelete',
        `${nameOf(object)} updates a Pod only when a user deletes it`,
        'Delete the old Pods, or change spec.updateStrategy.type.',
        evidenceAt(object, 'spec.updateStrategy.type', 'OnDelete'),
      )
    : undefined;

const partition: ObjectRule = (object) => {
  const rolling = strategyAt(object, 'rollingUpdate', 'partition');
  const value = rolling ?? strategyAt(object, 'partition');
  const isSet = (typeof value === 'number' && value > 0) || (typeof value === 'string' && value !== '0%');
  const { pods, updated = 0 } = podNumbers(object);
  const isReached = typeof value === 'number' ? pods - updated <= value : pods > updated;
  return isSet && isBehindUpdate(object) && isReached
    ? held(
        'PartitionReached',
        `the partition keeps ${counted(pods - updated, 'Pod')} of ${nameOf(object)} at older revisions`,
        'Lower the partition to update more Pods.',
        evidenceAt(object, `spec.updateStrategy.${rolling === undefined ? '' : 'rollingUpdate.'}partition`, String(value)),
      )
    : undefined;
};

const zero = (value: unknown): boolean => value === 0 || value === '0%';

const noBudget: ObjectRule = (object) => {
  const paths = [
    ['spec', 'strategy', 'rollingUpdate'],
    ['spec', 'updateStrategy', 'rollingUpdate'],
    ['spec', 'updateStrategy'],
  ];
  const path = paths.find((one) => memberAt(object, ...one) !== undefined) ?? [];
  const settings = memberAt(object, ...path);
  const [unavailable, surge] = ['maxUnavailable', 'maxSurge'].map((name) => memberAt(settings, name));
  return zero(unavailable) && (surge === undefined || zero(surge)) && isBehindUpdate(object)
    ? held(
        'UpdateLimited',
        `${surge === undefined ? 'maxUnavailable' : 'maxUnavailable and maxSurge'} of ${nameOf(object)} ${surge === undefined ? 'is' : 'are'} 0`,
        'Raise maxUnavailable or maxSurge.',
        evidenceAt(object, [...path, 'maxUnavailable'].join('.'), String(unavailable)),
      )
    : undefined;
};

/** Returns a Pod of another controller that the selector of the object matches and that `isMeant` accepts. */
function foreignPod(object: AnyObject, seen: Seen, isMeant: (pod: Pod) => boolean): Cause | undefined {
  const own = new Set(seen.podsBelow(object));
  const foreign = seen.pods.find((pod) => {
    const owner = controllerOf(pod);
    const isForeign = owner !== undefined && owner.uid !== object.metadata.uid && !own.has(pod);
    return isForeign && selects(object, pod.metadata.labels) && isMeant(pod);
  });
  const owner = foreign && controllerOf(foreign);
  return foreign && owner
    ? fault(
        'ForeignSelector',
        `${owner.kind} ${owner.name} has Pods that the selector of ${nameOf(object)} matches`,
        'Give the two objects selectors that do not overlap.',
        { object: `Pod ${foreign.metadata.name}`, field: 'metadata.ownerReferences', text: `${owner.kind} ${owner.name}` },
      )
    : undefined;
}

const lacksPods = (object: AnyObject): boolean => podNumbers(object).pods < podNumbers(object).wanted;

/** A StatefulSet cannot create a Pod whose name a Pod of another controller has. */
const takenName: ObjectRule = (object, seen) =>
  object.kind === 'StatefulSet' && lacksPods(object)
    ? foreignPod(object, seen, ({ metadata }) => metadata.name.replace(/-\d+$/, '') === object.metadata.name)
    : undefined;

/** Only of interest while Pods are missing. A workload without any Pod may just have been created. */
const foreignSelector: ObjectRule = (object, seen) =>
  lacksPods(object) && seen.podsBelow(object).length > 0 ? foreignPod(object, seen, () => true) : undefined;

const deadline: ObjectRule = (object) => {
  const condition = conditionOf(object, 'Progressing', 'False');
  return stringAt(condition, 'reason') === 'ProgressDeadlineExceeded'
    ? fault(
        'DeadlineExceeded',
        `${nameOf(object)} has made no progress for longer than progressDeadlineSeconds`,
        'Check the Pods that are not ready: kubectl kruise tree.',
        evidenceAt(
          object,
          'status.conditions[Progressing]',
          stringAt(condition, 'message') ?? '',
          stringAt(condition, 'lastTransitionTime'),
        ),
      )
    : undefined;
};

/**
 * Every rule about an object, the first cause first. Those in `always` apply to complete objects, too. Those in `beforeBlocked` as well, and explain
 * what the manager reports: a Rollout sets the pause or partition that holds its workload, another controller has the Pod that cannot be created.
 */
export const objectRules: {
  readonly beforeBlocked: readonly ObjectRule[];
  readonly first: readonly ObjectRule[];
  readonly always: readonly ObjectRule[];
  readonly last: readonly ObjectRule[];
} = {
  beforeBlocked: [terminating, heldByRollout, takenName],
  always: [noController, ...autoscalerRules, paused, suspended],
  first: [refusedByCondition, refusedByEvent],
  last: [onDelete, partition, noBudget, foreignSelector, deadline],
};
