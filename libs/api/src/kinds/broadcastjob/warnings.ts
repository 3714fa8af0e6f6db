/** Warnings about a BroadcastJob that is allowed but probably a mistake: shown to the user, never refused. @see spec/broadcastjob.md 5.5 and 8 */
import { closestText, isUnset, memberAt, semanticEqual, type JsonObject } from '@kruise/objects';
import type { KindRule } from '../../validation/kind-rules.ts';
import { parallelPods } from './parallelism.ts';

/** What the warnings of a BroadcastJob depend on besides the object. */
export interface BroadcastJobWarningOptions {
  /** The stored object; undefined on create. */
  readonly oldObject: JsonObject | undefined;
}

type Warn = (spec: unknown, options: BroadcastJobWarningOptions) => string | undefined;

const isBelow = (value: unknown, least: number): value is number | bigint =>
  (typeof value === 'number' || typeof value === 'bigint') && value < least;

const completion = (spec: unknown, name: string): unknown => memberAt(spec, 'completionPolicy', name);
const failure = (spec: unknown, name: string): unknown => memberAt(spec, 'failurePolicy', name);
const pod = (spec: unknown, name: string): unknown => memberAt(spec, 'template', 'spec', name);

/** Warns of a type that the controller does not support; `effect` names the known type that it is treated as. */
const unknownType =
  (policy: string, known: readonly string[], effect: string): Warn =>
  (spec) => {
    const type = memberAt(spec, policy, 'type');
    if (typeof type !== 'string' || type === '' || known.includes(type)) return undefined;
    const close = closestText(type, known);
    return `spec.${policy}.type: ${JSON.stringify(type)} is none of ${known.join(', ')} and acts as ${effect}${close === undefined ? '' : `; did you mean ${close}?`}`;
  };

const hasCondition = (object: unknown, type: string): boolean => {
  const conditions = memberAt(object, 'status', 'conditions');
  return (
    Array.isArray(conditions) && conditions.some((one: unknown) => memberAt(one, 'type') === type && memberAt(one, 'status') === 'True')
  );
};

/** Warns of a change after the end. A failed job stays failed; a completed one continues when its policy becomes Never. */
const changeAfterTheEnd: Warn = (spec, { oldObject }) => {
  const isOver = hasCondition(oldObject, 'Failed') || (hasCondition(oldObject, 'Complete') && completion(spec, 'type') !== 'Never');
  const changed = ['template', 'parallelism', 'failurePolicy'].filter(
    (name) => !semanticEqual(memberAt(spec, name), memberAt(oldObject, 'spec', name)),
  );
  return isOver && changed.length > 0
    ? `spec: the job has finished, so that changes of ${changed.join(', ')} have no effect; create another job`
    : undefined;
};

const parallelismOfNone: Warn = (spec) => {
  const value = memberAt(spec, 'parallelism');
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const pods = parallelPods(value, 100);
  if (pods === undefined)
    return `spec.parallelism: ${JSON.stringify(value)} is neither a number nor a percentage, so that no Pod is started`;
  return pods <= 0 ? `spec.parallelism: with ${JSON.stringify(value)} no Pod is started` : undefined;
};

const restartLimit: Warn = (spec) => {
  const limit = failure(spec, 'restartLimit');
  const path = 'spec.failurePolicy.restartLimit';
  if (pod(spec, 'restartPolicy') === 'Never')
    return isUnset(limit) || limit === 0 ? undefined : `${path}: has no effect with restartPolicy Never`;
  if (pod(spec, 'restartPolicy') !== 'OnFailure') return undefined;
  if (isBelow(limit, 0)) return `${path}: with ${String(limit)} every Pod counts as failed as soon as it is created`;
  return isUnset(limit) ? `${path}: is 0 by default, so that the first restart of a container makes its Pod count as failed` : undefined;
};

/** Warns that Pods above their limit keep running, and Continue waits for them. */
const endlessRestarts: Warn = (spec) =>
  failure(spec, 'type') === 'Continue' &&
  pod(spec, 'restartPolicy') === 'OnFailure' &&
  completion(spec, 'type') !== 'Never' &&
  isUnset(completion(spec, 'activeDeadlineSeconds'))
    ? 'spec.failurePolicy.type: with Continue and restartPolicy OnFailure a Pod that always fails keeps the job from finishing; set completionPolicy.activeDeadlineSeconds'
    : undefined;

const deadline: Warn = (spec) => {
  const seconds = completion(spec, 'activeDeadlineSeconds');
  return isBelow(seconds, 1)
    ? `spec.completionPolicy.activeDeadlineSeconds: with ${String(seconds)} the job fails before a Pod can finish`
    : undefined;
};

const timeToLive: Warn = (spec) => {
  const seconds = completion(spec, 'ttlSecondsAfterFinished');
  return isBelow(seconds, 0) ? `spec.completionPolicy.ttlSecondsAfterFinished: ${String(seconds)} acts as 0` : undefined;
};

const nodeName: Warn = (spec) => {
  const name = pod(spec, 'nodeName');
  return typeof name === 'string' && name !== ''
    ? 'spec.template.spec.nodeName: has no effect, the job runs on every fitting node; choose nodes by nodeSelector or node affinity'
    : undefined;
};

/** The warnings about `spec`, in the order in which they are shown. */
export const specWarnings: readonly KindRule<unknown, BroadcastJobWarningOptions>[] = [
  changeAfterTheEnd,
  unknownType('completionPolicy', ['Always', 'Never'], 'Always'),
  unknownType('failurePolicy', ['FailFast', 'Pause', 'Continue'], 'Continue'),
  parallelismOfNone,
  restartLimit,
  endlessRestarts,
  deadline,
  timeToLive,
  nodeName,
].map((warn) => ({ warn: (object, options) => warn(memberAt(object, 'spec'), options) }));
