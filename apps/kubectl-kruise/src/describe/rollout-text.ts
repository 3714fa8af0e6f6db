/** `describe rollout` (spec/kubectl-kruise.md 9.3). */
import { isJsonObject, isUnset, memberAt, membersAt, numberAt, objectsAt, stringAt, type JsonObject } from '@kruise/objects';
import { type Untyped } from '../objects/untyped.ts';
import { alignTabs } from '../print/tab-writer.ts';
import { ageText } from '../print/age.ts';

/** What is printed besides the Rollout. */
export interface RolloutParts {
  /** undefined when it could not be read; then `workloadFailure` says why. */
  readonly workload: Untyped | undefined;
  readonly workloadFailure?: string;
  readonly pods: readonly Untyped[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly color: boolean;
}

const line = (title: string, value: string | number): string => `${title.padEnd(19)}${value}\n`;

const icons: Readonly<Record<string, readonly [color: string, icon: string]>> = {
  Healthy: ['32', '✔'],
  Running: ['32', '✔'],
  Progressing: ['33', '⚠'],
  Pending: ['33', '⚠'],
  Initial: ['33', '⚠'],
  Disabled: ['31', '✘'],
  Disabling: ['31', '✘'],
  Terminating: ['31', '✘'],
  Unknown: ['31', '✘'],
  Failed: ['31', '✘'],
};

const colored = (text: string, code: string): string => `\u001B[${code}m${text}\u001B[0m`;

function icon(phase: string, color: boolean): string {
  const [code, sign] = icons[phase] ?? ['', ''];
  return color && sign !== '' ? colored(sign, code) : '';
}

interface Strategy {
  readonly type: '' | 'Canary' | 'BlueGreen';
  readonly settings: JsonObject;
  readonly status: JsonObject;
}

function strategyOf(rollout: Untyped): Strategy {
  if (isJsonObject(memberAt(rollout, 'spec', 'strategy', 'blueGreen')))
    return {
      type: 'BlueGreen',
      settings: membersAt(rollout, 'spec', 'strategy', 'blueGreen'),
      status: membersAt(rollout, 'status', 'blueGreenStatus'),
    };
  const isCanary = isJsonObject(memberAt(rollout, 'spec', 'strategy', 'canary'));
  return {
    type: isCanary ? 'Canary' : '',
    settings: membersAt(rollout, 'spec', 'strategy', 'canary'),
    status: membersAt(rollout, 'status', 'canaryStatus'),
  };
}

/** The revision whose Pods are listed, and the step that they must be of; '' and 0 for none. */
export function rolloutPods(rollout: Untyped): { readonly hash: string; readonly step: number } {
  const { status } = strategyOf(rollout);
  const hash = stringAt(status, 'podTemplateHash') ?? '';
  return { hash: hash === '' ? (stringAt(status, 'stableRevision') ?? '') : hash, step: numberAt(status, 'currentStepIndex') ?? 0 };
}

function matchesText(step: JsonObject): string {
  const matches = objectsAt(step, 'matches');
  if (matches.length === 0) return '';
  const headers = (match: JsonObject): string =>
    objectsAt(match, 'headers')
      .map(
        (header) =>
          line('       - Name:', stringAt(header, 'name') ?? '') +
          line('         Value:', stringAt(header, 'value') ?? '') +
          line('         Type:', stringAt(header, 'type') ?? ''),
      )
      .join('');
  return `     Matches: \n${matches.map((match) => `      - Headers: \n${headers(match)}`).join('')}`;
}

/** Steps of v1alpha1 give their traffic as `weight`. */
const trafficOf = (step: JsonObject): unknown =>
  !isUnset(step['traffic']) ? step['traffic'] : !isUnset(step['weight']) ? `${String(step['weight'])}%` : undefined;

function stepText(step: JsonObject, state: string | undefined, color: boolean): string {
  const parts = [
    !isUnset(step['replicas']) ? line('  -  Replicas: ', String(step['replicas'])) : '',
    !isUnset(trafficOf(step)) ? line('     Traffic: ', String(trafficOf(step))) : '',
    matchesText(step),
  ].join('');
  if (state === undefined) return parts;
  const text = `${parts}${line('     State:', state)}`;
  return color ? `\u001B[32m${text}\u001B[0m` : text;
}

function routingText(routing: JsonObject): string {
  const custom = objectsAt(routing, 'customNetworkRefs');
  const text = (object: JsonObject, name: string): string => stringAt(object, name) ?? '';
  const ingress = membersAt(routing, 'ingress');
  return [
    line('  -  Service: ', text(routing, 'service')),
    isJsonObject(routing['ingress'])
      ? `     Ingress: \n${line('      classType: ', text(ingress, 'classType'))}${line('      name: ', text(ingress, 'name'))}`
      : '',
    isJsonObject(routing['gateway'])
      ? `     Gateway: \n${line('      HttpRouteName: ', text(membersAt(routing, 'gateway'), 'httpRouteName'))}`
      : '',
    custom.length === 0
      ? ''
      : `     CustomNetworkRefs: \n${custom.map((ref) => line('      name: ', text(ref, 'name')) + line('      kind: ', text(ref, 'kind')) + line('      apiVersion: ', text(ref, 'apiVersion'))).join('')}`,
  ].join('');
}

function strategyText({ type, settings, status }: Strategy, color: boolean): string {
  const head = line('Strategy:', type);
  if (type === '') return head;
  const steps = objectsAt(settings, 'steps');
  const current = numberAt(status, 'currentStepIndex') ?? 0;
  const state = stringAt(status, 'currentStepState') ?? '';
  const routings = objectsAt(settings, 'trafficRoutings');
  return [
    head,
    line(' Step:', `${current}/${steps.length}`),
    ' Steps:\n',
    ...steps.map((step, index) => stepText(step, index + 1 === current ? state : undefined, color)),
    routings.length === 0 ? '' : `Traffic Routings:\n${routings.map(routingText).join('')}`,
  ].join('');
}

function replicasText(workload: Untyped): string {
  const of = (...names: readonly string[]): number =>
    names.map((name) => numberAt(workload, 'status', name)).find((value) => value !== undefined) ?? 0;
  return [
    'Replicas:\n',
    line(' Desired:', numberAt(workload, 'spec', 'replicas') ?? of('desiredNumberScheduled')),
    line(' Updated:', of('updatedReplicas', 'updatedNumberScheduled')),
    line(' Current:', of('replicas', 'currentNumberScheduled')),
    line(' Ready:', of('readyReplicas', 'numberReady')),
    line(' Available:', of('availableReplicas', 'numberAvailable')),
  ].join('');
}

const batchKey = 'rollouts.kruise.io/rollout-batch-id';

interface PodRow {
  readonly batch: string;
  readonly ready: number;
  readonly cells: readonly string[];
}

function podRow(pod: Untyped, { now, color }: RolloutParts): PodRow {
  const { labels = {}, name, deletionTimestamp, creationTimestamp } = pod.metadata;
  const statuses = objectsAt(pod, 'status', 'containerStatuses');
  const ready = statuses.filter((status) => status['ready'] === true).length;
  const phase = deletionTimestamp === undefined ? (stringAt(pod, 'status', 'phase') ?? '') : 'Terminating';
  const batch = labels[batchKey] ?? '';
  const restarts = statuses.reduce((sum, status) => sum + (numberAt(status, 'restartCount') ?? 0), 0);
  const revision = labels['pod-template-hash'] ?? labels['controller-revision-hash'] ?? '';
  const cells = [
    name,
    `${ready}/${objectsAt(pod, 'spec', 'containers').length}`,
    batch,
    revision,
    ageText(creationTimestamp ?? '', now),
    String(restarts),
    `${icon(phase, color)} ${phase}`,
  ];
  return { batch, ready, cells };
}

function podsText(parts: RolloutParts): string {
  if (parts.pods.length === 0) return '';
  const rows = parts.pods
    .map((pod) => podRow(pod, parts))
    .toSorted((a, b) => (a.batch === b.batch ? b.ready - a.ready : a.batch < b.batch ? -1 : 1));
  return alignTabs(['NAME\tREADY\tBATCH ID\tREVISION\tAGE\tRESTARTS\tSTATUS', ...rows.map(({ cells }) => cells.join('\t')), ''].join('\n'));
}

function workloadText(rollout: Untyped, parts: RolloutParts, isCurrent: boolean): string {
  const { workload } = parts;
  if (workload === undefined) return `Error getting resources: ${parts.workloadFailure ?? 'unknown'}\n`;
  const { status } = strategyOf(rollout);
  const images = objectsAt(workload, 'spec', 'template', 'spec', 'containers').map((container) => stringAt(container, 'image') ?? '');
  const update = ['updatedRevision', 'canaryRevision'].map((name) => stringAt(status, name) ?? '').find((text) => text !== '') ?? '';
  return [
    ...images.map((image, index) => line(index === 0 ? 'Images:' : '', image)),
    line('Current Revision:', stringAt(status, 'stableRevision') ?? ''),
    line('Update Revision:', update),
    isCurrent ? replicasText(workload) : '',
    podsText(parts),
  ].join('');
}

/** A Rollout of rollouts.kruise.io, of either version; what it does not have is omitted. */
export function rolloutText(rollout: Untyped, parts: RolloutParts): string {
  const phase = stringAt(rollout, 'status', 'phase') ?? '';
  const message = stringAt(rollout, 'status', 'message') ?? '';
  const isCurrent = (numberAt(rollout, 'status', 'observedGeneration') ?? 0) === (rollout.metadata.generation ?? 0);
  return [
    line('Name:', rollout.metadata.name),
    line('Namespace:', rollout.metadata.namespace ?? ''),
    isCurrent ? line('Status:', `${icon(phase, parts.color)} ${phase}`) : '',
    isCurrent && message !== '' ? line('Message:', message) : '',
    strategyText(strategyOf(rollout), parts.color),
    workloadText(rollout, parts, isCurrent),
  ].join('');
}
