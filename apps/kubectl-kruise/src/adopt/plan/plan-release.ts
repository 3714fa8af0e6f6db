/** Ends the hold of a target by its record alone: the source may not exist any more. */
import { deepEqual, isControlledBy, memberAt, stringifyLossless, type JsonObject, type ResourceType } from '@kruise/objects';
import type { Untyped } from '../../objects/untyped.ts';
import { adoptMark, isSettled, uidOf } from '../observed/observed.ts';
import { patchCommand } from '../../objects/patch-command.ts';
import { adoptRelease, type ReleaseRecord } from './release-record.ts';
import { adoptRecord } from './source-record.ts';
import { combinePatches, patchOf, type MemberChange } from './source-change.ts';
import { patch, wait, write, type Step } from '../step.ts';

/** Returns whether another client gave the member of the target another value during the hold. */
const isContested =
  (target: Untyped) =>
  ({ path, from, to }: MemberChange): boolean => {
    const value = memberAt(target, ...path);
    return from !== undefined && !deepEqual(value, from) && !deepEqual(value, to);
  };

/** Returns the merge patch that ends the hold: the settings of the target, the changes of the source, and no mark. */
export function releasePatch(target: Untyped, { settings, changes }: ReleaseRecord): JsonObject {
  const unmarked = { metadata: { annotations: { [adoptMark]: null, [adoptRelease]: null } }, spec: settings };
  return combinePatches(unmarked, patchOf(changes.filter((change) => !isContested(target)(change))));
}

/** Returns which members the source has given to the target, such as `, with the replicas that the source got during the move`. */
export function carriedText({ changes }: ReleaseRecord): string {
  const names = [...new Set(changes.map(({ path }) => path[1] ?? ''))];
  return names.length === 0 ? '' : `, with the ${names.join(' and ')} that the source got during the move`;
}

const pathText = (path: readonly string[]): string => path.map((name, at) => (at > 0 && /[./]/.test(name) ? `[${name}]` : name)).join('.');
const valueText = (value: unknown): string => (value === undefined ? 'no value' : stringifyLossless(value));

/** Returns what the user has to know of the values that the target does not get. */
function releaseWarnings(target: Untyped, type: ResourceType, { changes, lost }: ReleaseRecord): readonly string[] {
  const { name, namespace = '' } = target.metadata;
  return [
    ...changes.filter(isContested(target)).map((change) => {
      const now = valueText(memberAt(target, ...change.path));
      return (
        `Warning: during the move, other clients changed ${pathText(change.path)} to ${valueText(change.to)} on the source and to ${now} on ` +
        `the target, which keeps ${now}; for the value of the source, run\n  ${patchCommand({ type, name, namespace }, patchOf([change]))}`
      );
    }),
    ...lost.map(
      ({ path, to }) =>
        `Warning: during the move, another client changed ${pathText(path)} of the source to ${valueText(to)}; the target has no such setting`,
    ),
  ];
}

/** Returns the write that ends the hold. @param target on hold, in the version of the record */
export const planRelease = (target: Untyped, type: ResourceType, record: ReleaseRecord): Step => ({
  ...write(`releasing the target${carriedText(record)}`, patch(target, releasePatch(target, record))),
  warnings: releaseWarnings(target, type, record),
});

const ownAnnotations = [adoptMark, adoptRecord, adoptRelease];

/**
 * Removes the annotations of a move from ReplicaSets: the controller of a Deployment copies them there, and `rollout undo` would copy them back.
 *
 * @param deployment that has none of them itself
 * @returns undefined when no ReplicaSet has one
 */
export function planCopies(deployment: Untyped, replicaSets: readonly Untyped[]): Step | undefined {
  const left = replicaSets.filter(({ metadata }) => ownAnnotations.some((name) => metadata.annotations?.[name] !== undefined));
  if (left.length === 0) return undefined;
  if (!isSettled(deployment)) return wait('the controller of the Deployment sees that the mark is removed');
  const annotations = Object.fromEntries(ownAnnotations.map((name) => [name, null]));
  return write('removing the mark from the ReplicaSet', ...left.map((one) => patch(one, { metadata: { annotations } })));
}

/**
 * Returns the last step of a move.
 *
 * @param target that is not on hold
 * @param replicaSets those that the selector of a Deployment matches
 */
export function planTidying(target: Untyped, replicaSets: readonly Untyped[]): Step {
  return (
    planCopies(
      target,
      replicaSets.filter((one) => isControlledBy(one, uidOf(target))),
    ) ?? { kind: 'Done' }
  );
}
