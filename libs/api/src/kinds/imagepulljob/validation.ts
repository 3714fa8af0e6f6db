/** What an ImagePullJob of either version must fulfil to be stored. @see spec/image-pulling.md 4 */
import { deepEqual, isJsonObject, membersAt, type JsonObject } from '@kruise/objects';
import {
  completionFault,
  deadlineFault,
  firstFault,
  imageFault,
  nodeChoiceFault,
  parallelismFault,
  type Fault,
} from '../../validation/image-pull.ts';

/**
 * Returns the first fault of an ImagePullJob from any source, with its defaults filled in. Never throws.
 *
 * @param stored the object that is replaced: what exceeds a maximum in it already is allowed
 */
export function imagePullJobFault(object: JsonObject, stored: JsonObject = {}): Fault {
  const { spec } = object;
  if (!isJsonObject(spec)) return 'spec must be an object';
  return firstFault(
    () => nodeChoiceFault(spec, membersAt(stored, 'spec')),
    () => imageFault(spec['image']),
    () => parallelismFault(spec),
    () => deadlineFault(spec),
    () => completionFault(spec),
  );
}

const pullSecretsOf = (object: JsonObject): unknown => membersAt(object, 'spec')['pullSecrets'] ?? [];

/** Returns whether an update keeps the pull secrets as required; an absent list equals an empty one. */
export const keepsPullSecrets = (object: JsonObject, oldObject: JsonObject): boolean =>
  deepEqual(pullSecretsOf(object), pullSecretsOf(oldObject));
