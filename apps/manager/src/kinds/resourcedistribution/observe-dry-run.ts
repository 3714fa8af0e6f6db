/** What the API server has against the resource, as faults of the ResourceDistribution. @see spec/resourcedistribution.md 4, rule 5 */
import { readDistributedResource } from '@kruise/api';
import { isFailure } from '@kruise/kube';
import { fieldForbidden, fieldInternal, fieldInvalid, memberAt, messageOf, type FieldError, type JsonObject } from '@kruise/objects';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';

const path = 'spec.resource';

/** Shows the name alone: the resource may be a Secret. */
function faultOf(error: unknown, name: string): readonly FieldError[] {
  if (isFailure(error, 'AlreadyExists')) return [];
  const why = messageOf(error);
  if (isFailure(error, 'Invalid', 'BadRequest')) return [fieldInvalid(path, name, `spec.resource is invalid: ${why}`)];
  if (isFailure(error, 'Forbidden')) return [fieldForbidden(path, `spec.resource is forbidden: ${why}`)];
  return [fieldInternal(path, `failed to dry-run validate spec.resource: ${why}`)];
}

/** @param object whose resource was found to be a ConfigMap or a Secret */
export async function dryRunFaults(
  object: JsonObject,
  { dryRuns }: Pick<HandlerDependencies, 'dryRuns'>,
  signal: AbortSignal,
): Promise<readonly FieldError[]> {
  const reading = readDistributedResource(memberAt(object, 'spec', 'resource'));
  if (reading.kind !== 'Read') return [];
  try {
    if (dryRuns === undefined) throw new Error('the API server cannot be asked here');
    await dryRuns.create(reading, signal);
    return [];
  } catch (error) {
    return faultOf(error, reading.resource.metadata.name);
  }
}
