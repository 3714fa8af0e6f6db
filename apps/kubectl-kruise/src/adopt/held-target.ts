/**
 * The target while Pods are handed over: a state in which its controller creates, updates and deletes no Pod, however late it sees each of them.
 *
 * | target               | creates nothing because                               | updates nothing because          |
 * | -------------------- | ----------------------------------------------------- | -------------------------------- |
 * | CloneSet             | `scaleStrategy.maxUnavailable` is 0                   | it is paused                     |
 * | Deployment           | paused, it creates no ReplicaSet                      | it is paused                     |
 * | its ReplicaSet       | the service account of its template does not exist    | ReplicaSets never update         |
 * | either StatefulSet   | the names of its Pods are in use                      | `updateStrategy.type` is OnDelete |
 * | Advanced DaemonSet   | `burstReplicas` is 0                                  | `updateStrategy.type` is OnDelete |
 * | DaemonSet            | the service account of its template does not exist    | `updateStrategy.type` is OnDelete |
 */
import { createMergePatch, isJsonObject, memberAt, type JsonObject } from '@kruise/objects';
import { withMember, type Untyped } from '../objects/untyped.ts';
import { pausedPath } from '../objects/workload-kind.ts';
import type { AdoptableKind } from './observed/directions.ts';
import { adoptMark, uidOf } from './observed/observed.ts';

const accountNames = ['serviceAccountName', 'serviceAccount'];

/** Returns the name of a service account that does not exist: the API server refuses Pods with it. */
const absentAccount = (source: Untyped): string => `kubectl-kruise-adopt-${uidOf(source)}`;

/** Returns an object whose template no Pod can be created from. */
export const withoutCreation = (object: Untyped, source: Untyped): Untyped =>
  accountNames.reduce<JsonObject>(
    (changed, name) => withMember(changed, ['spec', 'template', 'spec', name], absentAccount(source)),
    object,
  ) as Untyped;

/** Returns whether the Pods of an object or revision cannot be created. @param path of its Pod spec */
export const isWithoutCreation = (object: Untyped, source: Untyped, path: readonly string[] = ['spec', 'template', 'spec']): boolean =>
  memberAt(object, ...path, 'serviceAccountName') === absentAccount(source);

function held(final: Untyped, kind: AdoptableKind, source: Untyped): JsonObject {
  switch (kind) {
    case 'CloneSet': {
      const paused = withMember(final, pausedPath('CloneSet', final.apiVersion ?? '') ?? [], true);
      return withMember(paused, ['spec', 'scaleStrategy', 'maxUnavailable'], 0);
    }
    case 'Deployment':
      return withMember(final, ['spec', 'paused'], true);
    case 'StatefulSet':
    case 'AdvancedStatefulSet':
      return withMember(final, ['spec', 'updateStrategy'], { type: 'OnDelete' });
    case 'AdvancedDaemonSet':
      return withMember(withMember(final, ['spec', 'updateStrategy'], { type: 'OnDelete' }), ['spec', 'burstReplicas'], 0);
    case 'DaemonSet':
      return withMember(withoutCreation(final, source), ['spec', 'updateStrategy'], { type: 'OnDelete' });
  }
}

/** Returns the target as it is created. */
export const heldTarget = (final: Untyped, kind: AdoptableKind, source: Untyped): Untyped =>
  withMember(held(final, kind, source), ['metadata', 'annotations', adoptMark], uidOf(source)) as Untyped;

/** Returns the merge patch that gives an object the template of another one back. */
export function templatePatch(source: Untyped): JsonObject {
  const account = (name: string): unknown => memberAt(source, 'spec', 'template', 'spec', name) ?? null;
  const accounts = Object.fromEntries(accountNames.map((name) => [name, account(name)]));
  return { spec: { template: { spec: accounts } } };
}

/** Returns the spec of a workload without its template. */
export const settingsOf = (object: JsonObject): JsonObject => {
  const spec = memberAt(object, 'spec');
  const { template: _template, ...rest } = isJsonObject(spec) ? spec : {};
  return rest;
};

/** Returns the merge patch of the spec that ends the hold of the target; without the template, which {@link templatePatch} gives back. */
export const holdSettings = (final: Untyped, kind: AdoptableKind, source: Untyped): JsonObject =>
  createMergePatch(settingsOf(held(final, kind, source)), settingsOf(final));
