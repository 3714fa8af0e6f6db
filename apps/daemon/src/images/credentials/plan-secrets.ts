/** Decides which pull secrets a tag may be pulled with, and which are read for it. Pure. @see spec/daemon.md 5.3 */
import { imagePullJobAnnotations, isNamedAsCopyOf } from '@kruise/api';
import { addToList, agentLimits, type Secret } from '@kruise/objects';
import { fairShares } from '../../shares/fair-shares.ts';
import type { SecretReference } from '../task/image-task.ts';

/** Returns the namespace of the Secret that this one is a copy of; undefined when it is no copy. */
function sourceNamespaceOf({ metadata }: Pick<Secret, 'metadata'>): string | undefined {
  const source = metadata.annotations?.[imagePullJobAnnotations.pullSecretSourceKey];
  return source?.includes('/') === true ? source.split('/')[0] : undefined;
}

/**
 * Returns the secrets for a tag, in the given order. A NodeImage names the secrets of all jobs for an image together. A copy is used for the tags
 * that a job of its source's namespace requests, and for no others: another namespace gets neither the rights nor the faults of it. A Secret that is
 * no copy is used for every tag.
 *
 * @param tenants namespaces of the jobs that request the tag
 */
export function serves(tenants: readonly string[], secret: Pick<Secret, 'metadata'>): boolean {
  const namespace = sourceNamespaceOf(secret);
  return namespace === undefined || tenants.includes(namespace);
}

export interface ReadPlan {
  /** Secrets that are read completely: they serve the tag, or have the name of a copy that does. */
  readonly serving: readonly SecretReference[];
  /** Secrets of which only the metadata is read first. */
  readonly unsure: readonly SecretReference[];
  /** Number of secrets beyond the maximum, which are not read. */
  readonly leftOut: number;
}

/** Maximum of references times namespaces. One comparison takes less than a microsecond. */
const mostComparisons = 100_000;

/**
 * Plans which secrets are read for a tag, up to a maximum. Secrets known to belong to another namespace do not count, and the name shows whose copy a
 * secret is. So the secrets of other namespaces never keep those of the tag from being read, however many the image names.
 *
 * @param knownOf metadata of what was read before
 * @returns lists in the given order
 */
export function planReads(
  references: readonly SecretReference[],
  tenants: readonly string[],
  knownOf: (reference: SecretReference) => Pick<Secret, 'metadata'> | undefined,
): ReadPlan {
  const comparable = tenants.slice(0, Math.ceil(mostComparisons / Math.max(references.length, 1)));
  const byTenant = new Map<string, SecretReference[]>();
  const unknown: SecretReference[] = [];
  for (const reference of references) {
    const known = knownOf(reference);
    if (known !== undefined && !serves(tenants, known)) continue;
    const tenant =
      known === undefined ? comparable.find((namespace) => isNamedAsCopyOf(namespace, reference.name)) : (sourceNamespaceOf(known) ?? '');
    if (tenant === undefined) unknown.push(reference);
    else addToList(byTenant, tenant, reference);
  }
  const bound = agentLimits.secretsOfPull.value;
  const shares = fairShares(new Map([...byTenant].map(([tenant, { length }]) => [tenant, length])), bound);
  const shared = new Set([...byTenant].flatMap(([tenant, own]) => own.slice(0, shares.get(tenant))));
  const serving = references.filter((reference) => shared.has(reference));
  const unsure = unknown.slice(0, bound - serving.length);
  const wanted = [...byTenant.values()].reduce((sum, { length }) => sum + length, unknown.length);
  return { serving, unsure, leftOut: wanted - serving.length - unsure.length };
}
