/** What `rollout status` says of a workload (spec/kubectl-kruise.md 2.4). */
import { isJsonObject, memberAt, numberAt, objectsAt, ownMember, scaleIntOrPercent, stringAt, type JsonObject } from '@kruise/objects';
import { partitionInPods } from '@kruise/pods';
import { UserError } from '../failure.ts';
import { type Untyped } from '../objects/untyped.ts';
import type { WorkloadKind } from '../objects/workload-kind.ts';

/** One line of stdout, and whether the rollout is complete. */
export interface RolloutStatus {
  readonly line: string;
  readonly done: boolean;
  /** Said once on stderr. */
  readonly note?: string;
}

const waiting = (line: string): RolloutStatus => ({ line, done: false });
const complete = (line: string): RolloutStatus => ({ line, done: true });

const isObserved = ({ metadata }: Untyped, observed: number): boolean => observed > 0 && observed >= (metadata.generation ?? 0);
const countOf = (object: Untyped, name: string): number => numberAt(object, 'status', name) ?? 0;

function requireRollingUpdate(object: Untyped): void {
  const type = stringAt(object, 'spec', 'updateStrategy', 'type') ?? 'RollingUpdate';
  if (type !== 'RollingUpdate') throw new UserError('rollout status is only available for RollingUpdate strategy type');
}

function checkDeployment(object: Untyped, revision: number): void {
  const running = Number(object.metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);
  if (revision > 0 && revision !== running)
    throw new UserError(`desired revision (${revision}) is different from the running revision (${running})`);
}

function deploymentStatus(object: Untyped): RolloutStatus {
  const { name, generation = 0 } = object.metadata;
  if (generation > countOf(object, 'observedGeneration')) return waiting('Waiting for deployment spec update to be observed...');
  const progressing = objectsAt(object, 'status', 'conditions').find(({ type }) => type === 'Progressing');
  if (progressing?.['reason'] === 'ProgressDeadlineExceeded') throw new UserError(`deployment "${name}" exceeded its progress deadline`);
  const [updated, replicas] = [countOf(object, 'updatedReplicas'), countOf(object, 'replicas')];
  const available = countOf(object, 'availableReplicas');
  const desired = numberAt(object, 'spec', 'replicas') ?? 1;
  const begin = `Waiting for deployment "${name}" rollout to finish:`;
  if (updated < desired) return waiting(`${begin} ${updated} out of ${desired} new replicas have been updated...`);
  if (replicas > updated) return waiting(`${begin} ${replicas - updated} old replicas are pending termination...`);
  if (available < updated) return waiting(`${begin} ${available} of ${updated} updated replicas are available...`);
  return complete(`deployment "${name}" successfully rolled out`);
}

function daemonSetStatus(object: Untyped, heldBack: number): RolloutStatus {
  const { name, generation = 0 } = object.metadata;
  if (generation > countOf(object, 'observedGeneration')) return waiting('Waiting for daemon set spec update to be observed...');
  const [scheduled, updated, available] = ['desiredNumberScheduled', 'updatedNumberScheduled', 'numberAvailable'].map((member) =>
    countOf(object, member),
  ) as [number, number, number];
  const desired = Math.max(scheduled - heldBack, 0);
  const begin = `Waiting for daemon set "${name}" rollout to finish:`;
  if (updated < desired) return waiting(`${begin} ${updated} out of ${desired} new pods have been updated...`);
  if (available < desired) return waiting(`${begin} ${available} of ${desired} updated pods are available...`);
  return complete(`daemon set "${name}" successfully rolled out`);
}

function statefulSetStatus(object: Untyped): RolloutStatus {
  if (!isObserved(object, countOf(object, 'observedGeneration'))) return waiting('Waiting for statefulset spec update to be observed...');
  const desired = numberAt(object, 'spec', 'replicas') ?? 1;
  const [ready, updated] = [countOf(object, 'readyReplicas'), countOf(object, 'updatedReplicas')];
  if (ready < desired) return waiting(`Waiting for ${desired - ready} pods to be ready...`);
  const rolling = memberAt(object, 'spec', 'updateStrategy', 'rollingUpdate');
  if (isJsonObject(rolling)) {
    const wanted = desired - (numberAt(rolling, 'partition') ?? 0);
    if (numberAt(rolling, 'partition') !== undefined && updated < wanted)
      return waiting(`Waiting for partitioned roll out to finish: ${updated} out of ${wanted} new pods have been updated...`);
    return complete(`partitioned roll out complete: ${updated} new pods have been updated...`);
  }
  const [update, current] = [stringAt(object, 'status', 'updateRevision') ?? '', stringAt(object, 'status', 'currentRevision') ?? ''];
  if (update !== current) return waiting(`waiting for statefulset rolling update to complete ${updated} pods at revision ${update}...`);
  return complete(`statefulset rolling update complete ${countOf(object, 'currentReplicas')} pods at revision ${current}...`);
}

interface CloneSetRollout {
  readonly settings: JsonObject;
  readonly isInPlace: boolean;
  readonly isOnDelete: boolean;
}

/** The rollout settings of a CloneSet: beside the type in v1alpha1, below `rollingUpdate` in later versions. */
function cloneSetRollout(object: Untyped): CloneSetRollout {
  const strategy = memberAt(object, 'spec', 'updateStrategy');
  const members = isJsonObject(strategy) ? strategy : {};
  const isOld = object.apiVersion?.endsWith('/v1alpha1') === true;
  const rolling = ownMember(members, 'rollingUpdate');
  const settings = isOld ? members : isJsonObject(rolling) ? rolling : {};
  const policy = isOld ? members['type'] : settings['podUpdatePolicy'];
  return { settings, isInPlace: policy === 'InPlaceOnly' || policy === 'InPlaceIfPossible', isOnDelete: members['type'] === 'OnDelete' };
}

function cloneSetStatus(object: Untyped): RolloutStatus {
  const { settings, isInPlace, isOnDelete } = cloneSetRollout(object);
  if (isOnDelete) throw new UserError('rollout status is only available for RollingUpdate strategy type');
  const note = settings['paused'] === true ? { note: 'CloneSet is paused' } : {};
  const wait = (line: string): RolloutStatus => ({ ...waiting(line), ...note });
  if (!isObserved(object, countOf(object, 'observedGeneration'))) return wait('Waiting for CloneSet spec update to be observed...');
  const desired = numberAt(object, 'spec', 'replicas') ?? 1;
  const wanted = desired - (partitionInPods(settings['partition'] ?? 0, desired) ?? 0);
  const [updated, updatedReady] = [countOf(object, 'updatedReplicas'), countOf(object, 'updatedReadyReplicas')];
  if (updated < wanted)
    return wait(`Waiting for partitioned roll out to finish: ${updated} out of ${wanted} new pods have been updated...`);
  if (updatedReady < wanted) return wait(`Waiting for ${wanted - updatedReady} pods to be ready...`);
  if (isInPlace) return complete(`partitioned roll out complete: ${updated} new pods have been updated...`);
  const revision = stringAt(object, 'status', 'updateRevision') ?? '';
  return complete(`CloneSet rolling update complete ${countOf(object, 'availableReplicas')} pods at revision ${revision}...`);
}

function advancedStatefulSetStatus(object: Untyped): RolloutStatus {
  if (!isObserved(object, countOf(object, 'observedGeneration')))
    return waiting('Waiting for Advanced StatefulSet spec update to be observed...');
  const desired = numberAt(object, 'spec', 'replicas') ?? 1;
  const [ready, updated] = [countOf(object, 'readyReplicas'), countOf(object, 'updatedReplicas')];
  const isRolling = (stringAt(object, 'spec', 'updateStrategy', 'type') ?? 'RollingUpdate') === 'RollingUpdate';
  const wanted = desired - (numberAt(object, 'spec', 'updateStrategy', 'rollingUpdate', 'partition') ?? 0);
  if (isRolling && updated < wanted)
    return waiting(`Waiting for partitioned roll out to finish:${updated} out of ${wanted} new pods has been updated...`);
  if (ready < desired) return waiting(`Waiting for ${desired - ready} pods to be ready...`);
  const revision = stringAt(object, 'status', 'updateRevision') ?? '';
  return complete(`Advanced StatefulSet rolling update complete ${countOf(object, 'availableReplicas')} pods at revision ${revision}...`);
}

/** Nodes that the partition of an Advanced DaemonSet holds back; a percentage rounds down. */
function heldBackNodes(object: Untyped): number {
  const partition = memberAt(object, 'spec', 'updateStrategy', 'rollingUpdate', 'partition') ?? 0;
  const scaled = scaleIntOrPercent(partition, countOf(object, 'desiredNumberScheduled'), 'down');
  return scaled.kind === 'Illegal' ? 0 : scaled.value;
}

/**
 * The state of a rollout.
 *
 * @param revision of `--revision`; only Deployments have one
 * @throws UserError for a kind without a rollout, and a rollout that failed
 */
export function rolloutStatus(kind: WorkloadKind, object: Untyped, revision: number): RolloutStatus {
  switch (kind) {
    case 'Deployment':
      checkDeployment(object, revision);
      return deploymentStatus(object);
    case 'DaemonSet':
      requireRollingUpdate(object);
      return daemonSetStatus(object, 0);
    case 'AdvancedDaemonSet':
      requireRollingUpdate(object);
      return daemonSetStatus(object, heldBackNodes(object));
    case 'StatefulSet':
      requireRollingUpdate(object);
      return statefulSetStatus(object);
    case 'CloneSet':
      return cloneSetStatus(object);
    case 'AdvancedStatefulSet':
      return advancedStatefulSetStatus(object);
    case 'UnitedDeployment':
    case 'SidecarSet':
    case 'Rollout':
    case 'Other':
      throw new UserError(`no status viewer has been implemented for ${object.kind}.${(object.apiVersion ?? '').split('/')[0]}`);
  }
}

/** The lines of `--detail`: which Pods of the update revision are ready. */
export function updatedPodsText(pods: readonly Untyped[]): string {
  const isReady = (pod: Untyped): boolean =>
    objectsAt(pod, 'status', 'conditions').some(({ type, status }) => type === 'Ready' && status === 'True');
  const names = (some: readonly Untyped[]): string => `[${some.map(({ metadata }) => metadata.name).join(' ')}]`;
  return `Updated ready pods: ${names(pods.filter(isReady))}\nUpdated not ready pods: ${names(pods.filter((pod) => !isReady(pod)))}\n`;
}
