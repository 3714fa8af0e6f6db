/** Which of the operations that a budget knows an update of a Pod is, if any. Pure. @see spec/podunavailablebudget.md 4.5 */
import { deepEqual, equalQuantities, qosClassOf, type Container, type Pod } from '@kruise/objects';
import { hasUnavailableLabel } from './available.ts';

/** Metadata and status may change freely, but for a first label that takes the Pod out of service. */
export type UpdateKind = 'Free' | 'UPDATE' | 'RESIZE';

const configSource = 'kubernetes.io/config.source';

/** The kubelet of its node made it, from a file. */
const isStatic = ({ metadata }: Pod): boolean => (metadata.annotations?.[configSource] ?? 'api') !== 'api';

const resizable: readonly string[] = ['cpu', 'memory'];

const withoutResources = ({ containers, ...spec }: Pod['spec']): object => ({
  ...spec,
  containers: containers.map(({ resources: _amounts, ...container }) => container),
});

type Amounts = Readonly<Record<string, string>> | undefined;

const changedNames = (before: Amounts = {}, after: Amounts = {}): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !equalQuantities(before[name], after[name]));

/** Whether the container keeps running when the amount changes. */
const keepsRunning = ({ resizePolicy = [] }: Container, resource: string): boolean => {
  const policy = resizePolicy.find(({ resourceName }) => resourceName === resource)?.restartPolicy ?? '';
  return resizable.includes(resource) && (policy === '' || policy === 'NotRequired');
};

function isResized(before: Container | undefined, after: Container): boolean {
  const { limits, requests } = before?.resources ?? {};
  const changed = [...changedNames(limits, after.resources?.limits), ...changedNames(requests, after.resources?.requests)];
  return before?.name === after.name && changed.every((resource) => keepsRunning(after, resource));
}

const isResize = (before: Pod, after: Pod): boolean =>
  deepEqual(withoutResources(before.spec), withoutResources(after.spec)) &&
  !isStatic(before) &&
  !isStatic(after) &&
  qosClassOf(before.spec) === qosClassOf(after.spec) &&
  after.spec.containers.every((container, i) => isResized(before.spec.containers[i], container));

/** @param before as stored. @param after as it would be */
export function updateKind(before: Pod, after: Pod): UpdateKind {
  if (hasUnavailableLabel(after) && !hasUnavailableLabel(before)) return 'UPDATE';
  if (deepEqual(before.spec, after.spec)) return 'Free';
  return isResize(before, after) ? 'RESIZE' : 'UPDATE';
}
