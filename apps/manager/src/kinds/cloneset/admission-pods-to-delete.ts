/** Of v1alpha1: each name that is new in `podsToDelete` must be a Pod of this CloneSet, so that a mistyped one is not waited for. */
import { isFailure, type Client } from '@kruise/kube';
import {
  controllerOf,
  fieldInvalid,
  fieldPath,
  isJsonObject,
  ownMember,
  pods,
  textAt,
  type FieldError,
  type JsonObject,
  type Pod,
} from '@kruise/objects';

/** All reads together; admission must answer before the API server gives up. */
const timeoutMs = 2000;
/** Reads at a time. */
const parallel = 50;

const path = 'spec.scaleStrategy.podsToDelete';

function namesOf(object: JsonObject | undefined): readonly unknown[] {
  const spec = object === undefined ? undefined : ownMember(object, 'spec');
  const scale = isJsonObject(spec) ? ownMember(spec, 'scaleStrategy') : undefined;
  const names = isJsonObject(scale) ? ownMember(scale, 'podsToDelete') : undefined;
  return Array.isArray(names) ? names : [];
}

/** Why the Pod cannot be asked to go; undefined when it can. */
function obstacle(pod: Pod, uid: string): string | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return `pod ${pod.metadata.name} is terminating`;
  const owner = controllerOf(pod);
  return uid !== '' && owner?.uid === uid ? undefined : 'owner is not this CloneSet';
}

/**
 * @returns one fault for each name that is no Pod, or not ours; a Pod that cannot be read in time counts as not found
 */
export async function validatePodsToDelete(
  { object, oldObject }: { readonly object: JsonObject; readonly oldObject: JsonObject | undefined },
  client: Pick<Client, 'get'>,
  signal: AbortSignal,
): Promise<readonly FieldError[]> {
  const known = new Set(namesOf(oldObject));
  const added = namesOf(object).flatMap((name, i) =>
    typeof name === 'string' && name !== '' && !known.has(name) ? [{ name, at: fieldPath(path, i) }] : [],
  );
  if (added.length === 0) return [];
  const metadata = ownMember(object, 'metadata');
  const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const look = async ({ name, at }: { readonly name: string; readonly at: string }): Promise<FieldError[]> => {
    try {
      const pod = await client.get(pods, { namespace: textAt(metadata, 'namespace'), name }, { signal: within, timeoutMs });
      const why = obstacle(pod, textAt(metadata, 'uid'));
      return why === undefined ? [] : [fieldInvalid(at, name, why)];
    } catch (error) {
      const why = isFailure(error, 'NotFound') ? '' : `: ${error instanceof Error ? error.message : String(error)}`;
      return [fieldInvalid(at, name, `find pod ${name} failed${why}`)];
    }
  };
  const faults: FieldError[] = [];
  for (let i = 0; i < added.length; i += parallel) faults.push(...(await Promise.all(added.slice(i, i + parallel).map(look))).flat());
  return faults;
}
