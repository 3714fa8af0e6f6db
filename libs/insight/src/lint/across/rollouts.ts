/** Update strategies that are legal and never update a Pod. @see spec/cloneset.md 2 */
import { memberAt, numberAt } from '@kruise/objects';
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

export const rolloutChecks: ChecksByKind = {
  'apps.kruise.io/CloneSet': [partitionOfAll],
  'apps.kruise.io/StatefulSet': [partitionOfAll],
  'apps.kruise.io/DaemonSet': [partitionOfNodes],
  'apps.kruise.io/SidecarSet': [sidecarPartition],
};
