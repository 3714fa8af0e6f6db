/** Update strategies that are legal and never update a Pod. @see spec/cloneset.md 2 */
import { memberAt, numberAt, scaleIntOrPercent } from '@kruise/objects';
import { finding } from '../findings/finding.ts';
import { scalerOf } from './autoscalers.ts';
import type { AcrossCheck, ChecksByKind } from './check.ts';

const rolling = ['spec', 'updateStrategy', 'rollingUpdate'] as const;
const path = rolling.join('.');

const isOnDelete = (object: unknown): boolean => memberAt(object, 'spec', 'updateStrategy', 'type') === 'OnDelete';

/** A percentage other than 100% always leaves one Pod to update. An autoscaler may set more replicas than the partition. */
const partitionOfAll: AcrossCheck = (linted, files) => {
  const { object } = linted;
  const partition = memberAt(object, ...rolling, 'partition');
  const replicas = numberAt(object, 'spec', 'replicas') ?? 1;
  const holdsAll = typeof partition === 'number' && replicas > 0 && partition >= replicas;
  const stops = partition === '100%' || (holdsAll && scalerOf(linted, files) === undefined);
  return stops && !isOnDelete(object)
    ? [finding('KR105', `${path}.partition`, `with ${JSON.stringify(partition)} no Pod of ${replicas} is updated`)]
    : [];
};

/** Of kinds whose Pods are on nodes, only 100% is known to be all of them. */
const partitionOfNodes: AcrossCheck = ({ object }) =>
  memberAt(object, ...rolling, 'partition') === '100%' && !isOnDelete(object)
    ? [finding('KR105', `${path}.partition`, 'with "100%" no Pod is updated')]
    : [];

const sidecarPartition: AcrossCheck = ({ object }) =>
  memberAt(object, 'spec', 'updateStrategy', 'partition') === '100%' && memberAt(object, 'spec', 'updateStrategy', 'type') !== 'NotUpdate'
    ? [finding('KR105', 'spec.updateStrategy.partition', 'with "100%" no injected Pod is updated')]
    : [];

/** A percentage of a few Pods: rounded up without surge, down with it. @see spec/cloneset.md 2 */
const roundsToNone: AcrossCheck = ({ object }) => {
  const replicas = numberAt(object, 'spec', 'replicas') ?? 1;
  const amountOf = (member: string, rounding: 'up' | 'down'): number => {
    const scaled = scaleIntOrPercent(memberAt(object, ...rolling, member) ?? 0, replicas, rounding, { fractions: true });
    return scaled.kind === 'Illegal' ? 1 : scaled.value;
  };
  const surge = amountOf('maxSurge', 'up');
  const isPaused = memberAt(object, ...rolling, 'paused') === true;
  const unavailable = amountOf('maxUnavailable', surge > 0 && !isPaused ? 'down' : 'up');
  if (replicas === 0 || isOnDelete(object) || surge > 0 || unavailable > 0) return [];
  const value = JSON.stringify(memberAt(object, ...rolling, 'maxUnavailable') ?? null);
  return [finding('KR106', `${path}.maxUnavailable`, `${value} of ${replicas} replicas is 0, and maxSurge is 0 as well`)];
};

export const rolloutChecks: ChecksByKind = {
  'apps.kruise.io/CloneSet': [partitionOfAll, roundsToNone],
  'apps.kruise.io/StatefulSet': [partitionOfAll],
  'apps.kruise.io/DaemonSet': [partitionOfNodes],
  'apps.kruise.io/SidecarSet': [sidecarPartition],
};
