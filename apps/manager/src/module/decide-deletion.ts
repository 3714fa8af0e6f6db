/**
 * Protection of workloads from deletion by label.
 * @see spec/deletion-protection.md 4
 */
import { allowed, type AdmissionRequest, type Decision } from '@kruise/admission';
import { deleteProtection, labels } from '@kruise/api';
import { isJsonObject, memberAt, type JsonObject } from '@kruise/objects';
import type { HandlerDependencies } from './handler-dependencies.ts';

const denial = 'forbidden by ResourcesProtectionDeletion';

/** Why the object must stay, undefined when it may go. */
function reasonToStay(object: JsonObject): string | undefined {
  const value = memberAt(object, 'metadata', 'labels', labels.deleteProtection);
  const replicas = memberAt(object, 'spec', 'replicas');
  if (value === deleteProtection.always) return `${denial} for ${labels.deleteProtection}=${value}`;
  if (value === deleteProtection.cascading && typeof replicas === 'number' && replicas > 0)
    return `${denial} for ${labels.deleteProtection}=${value} and replicas ${replicas}>0`;
  return undefined;
}

/** A value that protects from nothing is more likely mistyped than meant. */
function warningsOf(object: JsonObject): readonly string[] {
  const value = memberAt(object, 'metadata', 'labels', labels.deleteProtection);
  const known: readonly unknown[] = [undefined, ...Object.values(deleteProtection)];
  return known.includes(value)
    ? []
    : [`label ${labels.deleteProtection}=${String(value)} protects from nothing: the values are Always and Cascading`];
}

/** An object that is going already is never held up: repeated deletions and the removal of finalizers must pass. */
export function decideDeletion(
  request: AdmissionRequest,
  { gates, onProtected }: Pick<HandlerDependencies, 'gates' | 'onProtected'>,
): Decision {
  const { oldObject, name, namespace, kind, userInfo } = request;
  if (oldObject === undefined || oldObject === null) return allowed;
  if (!isJsonObject(oldObject)) return { kind: 'Failed', code: 400, message: 'the request has no readable oldObject' };
  const isGoing = memberAt(oldObject, 'metadata', 'deletionTimestamp') !== undefined;
  if (!gates.ResourcesDeletionProtection || isGoing) return allowed;
  const reason = reasonToStay(oldObject);
  if (reason === undefined) return { kind: 'Allowed', warnings: warningsOf(oldObject) };
  onProtected?.({
    Event: 'DeletionProtection',
    Kind: kind.kind,
    Namespace: namespace ?? '',
    Name: name ?? oldObject.metadata.name,
    UserAgent: userInfo.username ?? '',
  });
  return { kind: 'Failed', code: 403, message: reason };
}
