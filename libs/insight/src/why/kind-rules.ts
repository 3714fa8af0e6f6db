/** Causes in the status of kinds that are no workloads. */
import { counted, memberAt, numberAt, objectsAt, stringAt, type JsonObject } from '@kruise/objects';
import { kindOf, type AnyObject } from '../seen.ts';
import { nodeImage, pullJob, recreateRequest } from './agent-rules.ts';
import { evidenceAt, fault, nameOf, type Cause, type Evidence } from './cause.ts';
import { conditionOf, type ObjectRule } from './object-rule.ts';

/** Returns the texts of the first list that the object has. v1alpha1 names some lists otherwise. */
function textsAt(object: JsonObject, ...names: readonly string[]): readonly string[] {
  const list = names.map((name) => object[name]).find((value) => Array.isArray(value)) ?? [];
  return (list as readonly unknown[]).filter((one) => typeof one === 'string');
}

const condition = (object: unknown, type: string, status = 'True'): string | undefined => {
  const found = objectsAt(object, 'conditions').find((one) => one['type'] === type && one['status'] === status);
  return found === undefined ? undefined : (stringAt(found, 'message') ?? stringAt(found, 'reason') ?? '');
};

const failedJob: ObjectRule = (object) => {
  const failed = condition(memberAt(object, 'status'), 'Failed');
  return failed === undefined
    ? undefined
    : fault(
        'JobFailed',
        `${nameOf(object)} has failed`,
        'Read the logs of its Pods, correct the template and create the job again.',
        evidenceAt(object, 'status.conditions[Failed]', failed),
      );
};

const listPullJob: ObjectRule = (object) => {
  const [first] = objectsAt(object, 'status', 'failedImageStatuses');
  return first === undefined
    ? undefined
    : fault(
        'PullFails',
        `image ${stringAt(first, 'name') ?? ''} cannot be pulled on every node`,
        `kubectl kruise why imagepulljob/${stringAt(first, 'imagePullJob') ?? 'NAME'}`,
        evidenceAt(object, 'status.failedImageStatuses', stringAt(first, 'message') ?? ''),
      );
};

const ephemeralJob: ObjectRule = (object) => {
  const status = memberAt(object, 'status');
  const type = ['JobFailed', 'JobError', 'MatchedEmpty'].find((one) => condition(status, one) !== undefined);
  if (type === 'MatchedEmpty')
    return fault(
      'NoPodMatches',
      `no Pod matches the selector of ${nameOf(object)}`,
      'Correct spec.selector.',
      evidenceAt(object, 'status.conditions[MatchedEmpty]', condition(status, type) ?? ''),
    );
  return type === undefined
    ? undefined
    : fault(
        'JobFailed',
        `${nameOf(object)} has failed`,
        'Read the logs of the ephemeral containers.',
        evidenceAt(object, `status.conditions[${type}]`, condition(status, type) ?? ''),
      );
};

const distribution: ObjectRule = (object) => {
  const failed = objectsAt(object, 'status', 'conditions').find((one) => one['status'] === 'True');
  if (failed === undefined) return undefined;
  const type = stringAt(failed, 'type') ?? '';
  const next =
    type === 'ConflictOccurred'
      ? 'Rename or delete the objects of the same name in these namespaces.'
      : 'Remove the cause in the message; the controller retries automatically.';
  return fault(
    type,
    `the resource is not in every namespace: ${stringAt(failed, 'reason') ?? ''}`,
    next,
    evidenceAt(object, `status.conditions[${type}]`, textsAt(failed, 'failedNamespaces', 'failedNamespace').join(', ')),
  );
};

/** WorkloadSpread and UnitedDeployment. */
const subsets: ObjectRule = (object) => {
  const blocked = objectsAt(object, 'status', 'subsetStatuses').find((subset) => condition(subset, 'Schedulable', 'False') !== undefined);
  const name = stringAt(blocked, 'name') ?? '';
  return blocked === undefined
    ? undefined
    : fault(
        'SubsetUnschedulable',
        `Pods of subset ${name} of ${nameOf(object)} cannot be scheduled`,
        'Add nodes for the subset, or give another subset more replicas.',
        evidenceAt(object, `status.subsetStatuses[${name}]`, condition(blocked, 'Schedulable', 'False') ?? ''),
      );
};

/** A percentage and maxUnavailable count the replicas of the workloads of the Pods. Pods without one, or without a scale, have none. */
const cannotCount = (object: AnyObject, evidence: Evidence): Cause =>
  fault(
    'BudgetCannotCount',
    `${nameOf(object)} allows no eviction because its Pods cannot be counted`,
    'Set minAvailable to a number of Pods, or let the selector match Pods of workloads that have a scale subresource.',
    evidence,
  );

/** Says how many Pods of a budget do not count. */
const unready = (count: number, object: AnyObject, state: string): string =>
  `${counted(count, 'Pod')} of ${nameOf(object)} ${count === 1 ? 'is' : 'are'} not ${state}`;

const disruptionBudget: ObjectRule = (object) => {
  const of = (name: string): number => numberAt(object, 'status', name) ?? 0;
  const allowed = conditionOf(object, 'DisruptionAllowed', 'False');
  if (stringAt(allowed, 'reason') === 'SyncFailed') {
    const text = `SyncFailed: ${stringAt(allowed, 'message') ?? ''}`;
    return cannotCount(object, evidenceAt(object, 'status.conditions[DisruptionAllowed]', text, stringAt(allowed, 'lastTransitionTime')));
  }
  if (of('expectedPods') === 0 && of('currentHealthy') > 0 && of('disruptionsAllowed') === 0)
    return cannotCount(
      object,
      evidenceAt(object, 'status.expectedPods', `0, while ${counted(of('currentHealthy'), 'Pod is', 'Pods are')} healthy`),
    );
  if (memberAt(object, 'status') === undefined || of('disruptionsAllowed') > 0 || of('expectedPods') === 0) return undefined;
  return of('currentHealthy') < of('expectedPods')
    ? fault(
        'PodsUnhealthy',
        unready(of('expectedPods') - of('currentHealthy'), object, 'healthy'),
        'Find out why they are not ready; evictions wait for them.',
        evidenceAt(object, 'status.currentHealthy', `${of('currentHealthy')} of ${of('expectedPods')}`),
      )
    : fault(
        'BudgetNeverAllows',
        `${nameOf(object)} never allows an eviction`,
        'Lower minAvailable, or raise maxUnavailable.',
        evidenceAt(object, 'status.disruptionsAllowed', '0'),
      );
};

const budget: ObjectRule = (object) => {
  const of = (name: string): number => numberAt(object, 'status', name) ?? 0;
  if (of('totalReplicas') === 0 || of('unavailableAllowed') > 0) return undefined;
  return of('currentAvailable') < of('totalReplicas')
    ? fault(
        'PodsUnhealthy',
        unready(of('totalReplicas') - of('currentAvailable'), object, 'available'),
        'Find out why they are not ready; updates and evictions wait for them.',
        evidenceAt(object, 'status.currentAvailable', `${of('currentAvailable')} of ${of('totalReplicas')}`),
      )
    : fault(
        'BudgetNeverAllows',
        `${nameOf(object)} never lets a Pod become unavailable`,
        'Lower minAvailable, or raise maxUnavailable.',
        evidenceAt(object, 'status.unavailableAllowed', '0'),
      );
};

const byKind: Readonly<Record<string, readonly ObjectRule[]>> = {
  'batch/Job': [failedJob],
  'apps.kruise.io/BroadcastJob': [failedJob],
  'apps.kruise.io/ImagePullJob': [pullJob],
  'apps.kruise.io/ImageListPullJob': [listPullJob],
  'apps.kruise.io/NodeImage': [nodeImage],
  'apps.kruise.io/ContainerRecreateRequest': [recreateRequest],
  'apps.kruise.io/EphemeralJob': [ephemeralJob],
  'apps.kruise.io/ResourceDistribution': [distribution],
  'apps.kruise.io/WorkloadSpread': [subsets],
  'apps.kruise.io/UnitedDeployment': [subsets],
  'policy.kruise.io/PodUnavailableBudget': [budget],
  'policy/PodDisruptionBudget': [disruptionBudget],
};

/** Returns the rules of a kind that are not shared. */
export const kindRules = (object: AnyObject): readonly ObjectRule[] => byKind[kindOf(object)] ?? [];
