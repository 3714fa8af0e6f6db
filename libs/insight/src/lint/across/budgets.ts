/** PodUnavailableBudgets that never allow a disruption. @see spec/podunavailablebudget.md 5.3 */
import { protectedTotal, type PodUnavailableBudget } from '@kruise/api';
import { desiredAvailable } from '@kruise/kinds/podunavailablebudget';
import { groupOf, labelMatcherOrNothing, memberAt, numberAt, textAt, type JsonObject, type LabelSelector } from '@kruise/objects';
import type { Files } from '../objects/files.ts';
import type { Linted } from '../objects/linted.ts';
import { finding } from '../findings/finding.ts';
import { scalerOf } from './autoscalers.ts';
import type { AcrossCheck, ChecksByKind } from './check.ts';

/** What the budget protects, as far as the files say. */
interface Protected {
  readonly replicas: number;
  readonly what: string;
}

/** Kinds that have one replica when the field is absent. Others, such as a Job, count their Pods in another way. */
const withReplicas: ReadonlySet<string> = new Set([
  '/ReplicationController',
  'apps/Deployment',
  'apps/ReplicaSet',
  'apps/StatefulSet',
  'apps.kruise.io/CloneSet',
  'apps.kruise.io/StatefulSet',
  'apps.kruise.io/UnitedDeployment',
]);

/** The replicas of a workload; undefined where something else than the files decides how many there are. */
const replicasOf = (workload: Linted, files: Files): number | undefined => {
  if (scalerOf(workload, files) !== undefined) return undefined;
  const value = memberAt(workload.object, 'spec', 'replicas');
  if (value === undefined) return withReplicas.has(`${workload.group}/${workload.kind}`) ? 1 : undefined;
  return typeof value === 'number' ? value : undefined;
};

function byTarget(budget: JsonObject, namespace: string, files: Files): Protected | undefined {
  const [apiVersion = '', kind = '', name = ''] = ['apiVersion', 'kind', 'name'].map((one) => textAt(budget, 'spec', 'targetRef', one));
  const target = kind === 'DaemonSet' ? undefined : files.find(groupOf(apiVersion), kind, namespace, name);
  const replicas = target === undefined ? undefined : replicasOf(target, files);
  return replicas === undefined ? undefined : { replicas, what: `${replicas} replicas of ${kind} ${name}` };
}

function bySelector(budget: JsonObject, namespace: string, files: Files): Protected | undefined {
  const selector = memberAt(budget, 'spec', 'selector') as LabelSelector | undefined;
  const matcher = labelMatcherOrNothing(selector);
  const selected = files.templatesFor(selector, namespace).filter(({ labels }) => matcher.matches(labels));
  const [first] = selected;
  if (first === undefined || selected.length > 1 || ['DaemonSet', 'Pod'].includes(first.of.kind)) return undefined;
  const replicas = replicasOf(first.of, files);
  return replicas === undefined ? undefined : { replicas, what: `${replicas} replicas of ${first.of.kind} ${first.of.name}` };
}

function protectedBy(budget: JsonObject, namespace: string, files: Files): Protected | undefined {
  const total = protectedTotal(budget as unknown as PodUnavailableBudget);
  if (total !== undefined) return { replicas: total, what: `${total} Pods in total` };
  return memberAt(budget, 'spec', 'targetRef') === undefined ? bySelector(budget, namespace, files) : byTarget(budget, namespace, files);
}

/** With which no Pod may become unavailable, whatever the number of Pods is. */
const never: Readonly<Record<string, readonly unknown[]>> = { maxUnavailable: [0, '0%'], minAvailable: ['100%'] };

const neverAllows: AcrossCheck = ({ object, namespace }, files) => {
  const member = memberAt(object, 'spec', 'maxUnavailable') === undefined ? 'minAvailable' : 'maxUnavailable';
  const amount = memberAt(object, 'spec', member);
  const shown = JSON.stringify(amount);
  if (never[member]?.includes(amount) === true)
    return [finding('KR104', `spec.${member}`, `${shown} never allows a Pod to be unavailable`)];
  const pods = protectedBy(object, namespace, files);
  const desired = pods === undefined ? undefined : desiredAvailable(object as unknown as PodUnavailableBudget, pods.replicas);
  if (pods === undefined || pods.replicas === 0 || desired?.kind !== 'Desired' || desired.value < pods.replicas) return [];
  return [
    finding('KR104', `spec.${member}`, `${shown} of ${pods.what} requires ${desired.value} available Pods, so none may be unavailable`),
  ];
};

/** A SidecarSet whose update waits for a Pod that may be unavailable. */
const sidecarUpdate: AcrossCheck = ({ object }) => {
  const amount = memberAt(object, 'spec', 'updateStrategy', 'maxUnavailable');
  const isNone = numberAt({ amount }, 'amount') === 0 || amount === '0%';
  return isNone && memberAt(object, 'spec', 'updateStrategy', 'type') !== 'NotUpdate'
    ? [finding('KR106', 'spec.updateStrategy.maxUnavailable', `with ${JSON.stringify(amount)} no injected Pod is ever updated`)]
    : [];
};

export const podUnavailableBudgetChecks: ChecksByKind = {
  'policy.kruise.io/PodUnavailableBudget': [neverAllows],
  'apps.kruise.io/SidecarSet': [sidecarUpdate],
};
