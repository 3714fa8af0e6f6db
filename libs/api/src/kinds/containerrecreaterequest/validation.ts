/** The faults of a ContainerRecreateRequest of either version by itself. Pure. @see spec/containerrecreaterequest.md 4 */
import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  isJsonObject,
  isUnset,
  membersAt,
  metadataValue,
  mostListedErrors,
  semanticEqual,
  withMembers,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { labels } from '../../well-known.ts';
import { containerRecreateRequestAnnotations } from './names.ts';

const failurePolicies: readonly string[] = ['Fail', 'Ignore'];
const shortestDeadlineSeconds = 3;

/** Filled in by admission, so that no client may set them. */
const injected = ['preStop', 'ports', 'statusContext'] as const;

/** Returns whether a number is too small. Values of another type are refused by the schema, which is checked after admission. */
const isBelow = (value: unknown, least: number): boolean => (typeof value === 'number' || typeof value === 'bigint') && value < least;

function validateStrategy(strategy: JsonObject): readonly FieldError[] {
  const at = (name: string): string => fieldPath('spec.strategy', name);
  const seconds = ['terminationGracePeriodSeconds', 'unreadyGracePeriodSeconds'].flatMap((name) =>
    isBelow(strategy[name], 0) ? [fieldInvalid(at(name), strategy[name], 'must not be negative')] : [],
  );
  const { failurePolicy = '' } = strategy;
  const isKnown = isUnset(failurePolicy) || failurePolicy === '' || failurePolicies.includes(failurePolicy as string);
  return [...seconds, ...(isKnown ? [] : [fieldNotSupported(at('failurePolicy'), failurePolicy, failurePolicies)])];
}

function validateContainer(container: unknown, path: string, earlier: ReadonlySet<unknown>): readonly FieldError[] {
  const name = isJsonObject(container) ? container['name'] : undefined;
  if (!isJsonObject(container) || typeof name !== 'string' || name === '')
    return [fieldRequired(fieldPath(path, 'name'), 'the name of the container')];
  const given = injected.filter((member) => !isUnset(container[member]));
  return [
    ...(earlier.has(name) ? [{ ...fieldDuplicate(fieldPath(path, 'name'), name), detail: `can not recreate ${name} multi times` }] : []),
    ...(given.length === 0 ? [] : [fieldForbidden(path, `${given.join(', ')} are ready-only fields`)]),
  ];
}

function validateContainers(containers: unknown): readonly FieldError[] {
  if (!Array.isArray(containers) || containers.length === 0) return [fieldRequired('spec.containers', 'at least one container')];
  const names = new Set<unknown>();
  const faults: FieldError[] = [];
  for (let i = 0; i < containers.length && faults.length <= mostListedErrors; i += 1) {
    const container: unknown = containers[i];
    faults.push(...validateContainer(container, fieldPath('spec.containers', i), names));
    if (isJsonObject(container)) names.add(container['name']);
  }
  return faults;
}

/** Returns every fault of a new request, before its Pod is read, in the order of the members. */
export function validateContainerRecreateRequest(object: JsonObject): readonly FieldError[] {
  const spec = membersAt(object, 'spec');
  const { podName, activeDeadlineSeconds: deadline, containers } = spec;
  return [
    ...(typeof podName === 'string' && podName !== '' ? [] : [fieldRequired('spec.podName', 'the name of the Pod')]),
    ...validateContainers(containers),
    ...(isBelow(deadline, shortestDeadlineSeconds)
      ? [fieldInvalid('spec.activeDeadlineSeconds', deadline, `must be at least ${shortestDeadlineSeconds}`)]
      : []),
    ...validateStrategy(membersAt(spec, 'strategy')),
  ];
}

/** Members of the strategy that equal none when they are false or 0. */
const idleMembers: ReadonlySet<string> = new Set(['forceRecreate', 'minStartedSeconds', 'orderedRecreate']);

/** Returns the spec without empty members: writing a request back through typed clients adds such members. */
function withoutIdleStrategy(object: JsonObject): JsonObject {
  const spec = membersAt(object, 'spec');
  const strategy = Object.entries(membersAt(spec, 'strategy')).filter(
    ([name, value]) => !(idleMembers.has(name) && (value === false || value === 0)) && !isUnset(value) && value !== '',
  );
  return withMembers(spec, { strategy: strategy.length === 0 ? null : Object.fromEntries(strategy) });
}

/**
 * Returns why a stored request must not become `object`: its spec and the labels with its Pod and node are immutable; in v1alpha1 also the time since
 * when its Pod is kept not ready, once it is set.
 *
 * @param version of both objects
 * @returns every reason; none when it may
 */
export function validateContainerRecreateRequestUpdate(
  object: JsonObject,
  oldObject: JsonObject,
  version: 'v1alpha1' | 'v1beta1',
): readonly string[] {
  const isSameSpec = semanticEqual(withoutIdleStrategy(object), withoutIdleStrategy(oldObject));
  const changed = [labels.recreatePodUid, labels.recreateNodeName].filter(
    (key) => metadataValue(object, 'labels', key) !== metadataValue(oldObject, 'labels', key),
  );
  const held = metadataValue(oldObject, 'annotations', containerRecreateRequestAnnotations.unreadyAcquired) ?? '';
  const isMoved =
    version === 'v1alpha1' &&
    held !== '' &&
    metadataValue(object, 'annotations', containerRecreateRequestAnnotations.unreadyAcquired) !== held;
  return [
    ...(isSameSpec ? [] : ['spec of ContainerRecreateRequest is immutable']),
    ...changed.map((key) => `not allowed to update immutable label ${key}`),
    ...(isMoved ? [`not allowed to update immutable annotation ${containerRecreateRequestAnnotations.unreadyAcquired}`] : []),
  ];
}
