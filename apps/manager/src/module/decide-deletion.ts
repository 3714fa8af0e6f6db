/**
 * Protection from deletion by label: one rule for every kind, ours and others. Kinds differ in what they still have that is active, which they
 * bring along.
 * @see spec/deletion-protection.md 4
 */
import { allowed, type AdmissionRequest, type Decision } from '@kruise/admission';
import { deleteProtection, labels } from '@kruise/api';
import { closestText, isJsonObject, memberAt, stringAt, type JsonObject } from '@kruise/objects';
import type { ProtectionRecord } from '../process/protection-log.ts';
import type { HandlerDependencies } from './handler-dependencies.ts';

const denial = 'forbidden by ResourcesProtectionDeletion';

/** What an object that is labelled `Cascading` still has. */
export type Possession =
  | { readonly kind: 'None' }
  /** In the words of the refusal: `replicas 2>0`. */
  | { readonly kind: 'Active'; readonly what: string }
  /** It is not known, so the object stays. `message` is the whole refusal, `what` what follows the usual beginning. */
  | { readonly kind: 'Unknown'; readonly message: string }
  | { readonly kind: 'Unreadable'; readonly what: string };

/** Finds out what an object still has; only asked of an object with the label `Cascading`. */
export type Cascade = (object: JsonObject, signal: AbortSignal) => Possession | Promise<Possession>;

/** Of workloads: what counts is what the stored object requests, not the Pods that still run. */
export const replicasOf: Cascade = (object) => {
  const replicas = memberAt(object, 'spec', 'replicas');
  return typeof replicas === 'number' && replicas > 0 ? { kind: 'Active', what: `replicas ${replicas}>0` } : { kind: 'None' };
};

const protectionOf = (object: JsonObject): string | undefined => stringAt(object, 'metadata', 'labels', labels.deleteProtection);

/** Why the object must stay, undefined when it may go. */
async function reasonToStay(object: JsonObject, cascade: Cascade | undefined, signal: AbortSignal): Promise<string | undefined> {
  const value = protectionOf(object);
  if (value === deleteProtection.always) return `${denial} for ${labels.deleteProtection}=${value}`;
  if (value !== deleteProtection.cascading || cascade === undefined) return undefined;
  const possession = await cascade(object, signal);
  switch (possession.kind) {
    case 'None':
      return undefined;
    case 'Active':
      return `${denial} for ${labels.deleteProtection}=${value} and ${possession.what}`;
    case 'Unreadable':
      return `${denial} for ${possession.what}`;
    case 'Unknown':
      return possession.message;
  }
}

/** A value that protects from nothing is more likely mistyped than meant. */
function warningsOf(object: JsonObject, cascade: Cascade | undefined): readonly string[] {
  const value = protectionOf(object);
  const { always, cascading } = deleteProtection;
  const known: readonly string[] = cascade === undefined ? [always] : [always, cascading];
  if (value === undefined || known.includes(value)) return [];
  const close = closestText(value, known);
  const hint = close === undefined ? `known here: ${known.join(' and ')}` : `did you mean ${close}?`;
  return [`label ${labels.deleteProtection}=${value} protects from nothing; ${hint}`];
}

/** Namespaces come with their own name as namespace. */
function recordOf({ kind, name, namespace = '', resource, userInfo }: AdmissionRequest, object: JsonObject): ProtectionRecord {
  return {
    Event: 'DeletionProtection',
    Kind: kind.kind,
    Namespace: resource.resource === 'namespaces' ? '' : namespace,
    Name: name ?? stringAt(object, 'metadata', 'name') ?? '',
    UserAgent: userInfo.username ?? '',
  };
}

/** What the rule needs of the thread that answers. */
export type ProtectionDependencies = Pick<HandlerDependencies, 'gates' | 'onProtected' | 'logger'>;

/**
 * Whether an object may be deleted. One that is going already is never delayed: repeated deletions and the removal of finalizers must pass.
 *
 * @param cascade undefined for a kind that `Cascading` does not protect
 */
export async function decideDeletion(
  request: AdmissionRequest,
  { gates, onProtected, logger }: ProtectionDependencies,
  cascade: Cascade | undefined,
  signal: AbortSignal,
): Promise<Decision> {
  const { oldObject, operation, subResource = '' } = request;
  if (operation !== 'DELETE' || subResource !== '') return allowed;
  if (oldObject === undefined || oldObject === null) {
    const { kind, namespace, name } = request;
    logger?.info({ kind: kind.kind, namespace, name }, 'Allowing a deletion whose review does not contain the object');
    return allowed;
  }
  if (!isJsonObject(oldObject)) return { kind: 'Failed', code: 400, message: 'the request has no readable oldObject' };
  const isTerminating = stringAt(oldObject, 'metadata', 'deletionTimestamp') !== undefined;
  if (!gates.ResourcesDeletionProtection || isTerminating) return allowed;
  const reason = await reasonToStay(oldObject, cascade, signal);
  if (reason === undefined) return { kind: 'Allowed', warnings: warningsOf(oldObject, cascade) };
  onProtected?.(recordOf(request, oldObject));
  return { kind: 'Failed', code: 403, message: reason };
}
