/**
 * Shared rules of ImagePullJob and ImageListPullJob. Each returns the message of its refusal, or undefined; the first one counts.
 * @see spec/image-pulling.md 4
 */
import {
  deepEqual,
  formatFieldErrors,
  imageLimits,
  imageTaskOf,
  isJsonObject,
  isUnset,
  labelSelectorFaults,
  membersAt,
  validateLabelSelector,
  type JsonObject,
  type LabelSelector,
} from '@kruise/objects';

/** Why a write is refused; undefined when it is not. */
export type Fault = string | undefined;

/** The fault of the first rule that has one. */
export function firstFault(...rules: readonly (() => Fault)[]): Fault {
  for (const rule of rules) {
    const fault = rule();
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Parses how many nodes pull at a time: a number or its text, 0 or more. @returns undefined when it is neither; 1 for an absent one */
export function parseParallelism(value: unknown): number | undefined {
  if (isUnset(value)) return 1;
  const count = typeof value === 'string' && /^[+-]?\d+$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** Returns the fault of a label selector. @param stored the selector that is replaced: an unchanged one may exceed the maximums */
function labelFault(selector: unknown, path: string, stored: unknown): Fault {
  const faultsOf = stored !== undefined && deepEqual(selector, stored) ? labelSelectorFaults : validateLabelSelector;
  const faults = faultsOf(selector as LabelSelector, path);
  return faults.length === 0 ? undefined : formatFieldErrors(faults);
}

function namesFault(names: unknown): Fault {
  if (isUnset(names)) return undefined;
  if (!Array.isArray(names)) return 'spec.selector.names must be a list';
  return new Set<unknown>(names).size === names.length ? undefined : 'spec.selector.names has a name twice';
}

const isEmpty = (value: unknown): boolean =>
  isUnset(value) || (Array.isArray(value) && value.length === 0) || (isJsonObject(value) && Object.keys(value).length === 0);

function selectorFault({ selector }: JsonObject, stored: JsonObject): Fault {
  if (isUnset(selector)) return undefined;
  if (!isJsonObject(selector)) return 'spec.selector must be an object';
  const hasLabels = !isEmpty(selector['matchLabels']) || !isEmpty(selector['matchExpressions']);
  if (hasLabels && !isEmpty(selector['names'])) return 'spec.selector: names cannot be used together with matchLabels or matchExpressions';
  return labelFault(selector, 'spec.selector', stored['selector']) ?? namesFault(selector['names']);
}

function podSelectorFault({ selector, podSelector }: JsonObject, stored: JsonObject): Fault {
  if (isUnset(podSelector)) return undefined;
  if (!isUnset(selector)) return 'spec.selector and spec.podSelector cannot be used together';
  return labelFault(podSelector, 'spec.podSelector', stored['podSelector']);
}

/** Returns the fault of the choice of nodes. @param stored the `spec` that is replaced */
export const nodeChoiceFault = (spec: JsonObject, stored: JsonObject = {}): Fault =>
  firstFault(
    () => selectorFault(spec, stored),
    () => podSelectorFault(spec, stored),
  );

/** Returns the fault of one image reference. */
export function imageFault(image: unknown): Fault {
  if (typeof image !== 'string' || image === '') return 'image can not be empty';
  return imageTaskOf(image) === undefined ? `invalid image ${image}: it is not an image reference` : undefined;
}

export function parallelismFault({ parallelism }: JsonObject): Fault {
  if (parseParallelism(parallelism) !== undefined) return undefined;
  const shown = typeof parallelism === 'bigint' ? String(parallelism) : JSON.stringify(parallelism);
  if (typeof parallelism === 'string' && parallelism.endsWith('%')) return `parallelism can not be a percentage, but is ${shown}`;
  return `parallelism must be an integer of 0 or more, not ${shown}`;
}

const defaultTimeoutSeconds = 600;

/** Returns the fault of a deadline that ends before the first attempt may; only ImagePullJobs are checked for it. */
export function deadlineFault(spec: JsonObject): Fault {
  const { type, activeDeadlineSeconds } = membersAt(spec, 'completionPolicy');
  const { timeoutSeconds } = membersAt(spec, 'pullPolicy');
  if (type !== 'Always' || typeof activeDeadlineSeconds !== 'number') return undefined;
  const timeout = typeof timeoutSeconds === 'number' ? timeoutSeconds : defaultTimeoutSeconds;
  return activeDeadlineSeconds >= timeout
    ? undefined
    : 'completionPolicy.activeDeadlineSeconds must be greater than pullPolicy.timeoutSeconds(default 600)';
}

export function completionFault(spec: JsonObject): Fault {
  const { type, activeDeadlineSeconds, ttlSecondsAfterFinished } = membersAt(spec, 'completionPolicy');
  if (type === 'Always') return undefined;
  if (type !== 'Never') return `unknown type of completionPolicy: ${String(type)}`;
  const isBounded = !isUnset(activeDeadlineSeconds) || !isUnset(ttlSecondsAfterFinished);
  return isBounded ? 'completionPolicy.activeDeadlineSeconds and ttlSecondsAfterFinished are for the type Always only' : undefined;
}

const utf8 = new TextEncoder();

/** Returns the bytes of the keys and values of all labels and annotations, as the API server counts annotations. */
function bytesOfSandbox(sandbox: JsonObject): number {
  const entries = [...Object.entries(membersAt(sandbox, 'labels')), ...Object.entries(membersAt(sandbox, 'annotations'))];
  return entries.reduce(
    (sum, [key, value]) => sum + utf8.encode(key).length + (typeof value === 'string' ? utf8.encode(value).length : 0),
    0,
  );
}

/**
 * Returns the fault of a job whose parts on every node, and in the namespace of its agents, would exceed the bounds.
 *
 * @param stored the object that is replaced: what exceeds a bound already is accepted
 */
export function pullBoundsFault(object: JsonObject, stored: JsonObject = {}): Fault {
  const [spec, storedSpec] = [membersAt(object, 'spec'), membersAt(stored, 'spec')];
  const { pullSecretsOfJob, sandboxConfigOfJob, sandboxesOfList } = imageLimits;
  const secretsOf = ({ pullSecrets }: JsonObject): number => (Array.isArray(pullSecrets) ? pullSecrets.length : 0);
  const count = secretsOf(spec);
  if (count > Math.max(pullSecretsOfJob.value, secretsOf(storedSpec)))
    return `spec.pullSecrets has ${count} entries, ${pullSecretsOfJob.value} are allowed: name those that the image needs`;
  const [bytes, storedBytes] = [bytesOfSandbox(membersAt(spec, 'sandboxConfig')), bytesOfSandbox(membersAt(storedSpec, 'sandboxConfig'))];
  if (bytes > Math.max(sandboxConfigOfJob.value, storedBytes))
    return `spec.sandboxConfig has ${bytes} bytes, ${sandboxConfigOfJob.value} are allowed: use shorter labels and annotations`;
  const [copies, storedCopies] = [bytes * imagesOf(spec), storedBytes * imagesOf(storedSpec)];
  return copies > Math.max(sandboxesOfList.value, storedCopies)
    ? `spec.images has ${imagesOf(spec)} entries, each with the ${bytes} bytes of spec.sandboxConfig: ${sandboxesOfList.value} bytes are allowed together: use a smaller sandboxConfig, or several ImageListPullJobs`
    : undefined;
}

/** Returns the number of images of a list; an ImagePullJob has one image, and no such member. */
const imagesOf = ({ images }: JsonObject): number => (Array.isArray(images) ? images.length : 0);

/** Returns warnings about what is allowed but probably a mistake. */
export function pullPolicyWarnings(object: JsonObject): readonly string[] {
  const { imagePullPolicy } = membersAt(object, 'spec');
  return typeof imagePullPolicy !== 'string' || ['', 'Always', 'IfNotPresent'].includes(imagePullPolicy)
    ? []
    : [`spec.imagePullPolicy: ${JSON.stringify(imagePullPolicy)} is neither Always nor IfNotPresent and acts as Always`];
}
