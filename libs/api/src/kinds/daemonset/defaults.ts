/** Defaults of a DaemonSet of either version. @see spec/daemonset.md 4.1 */
import { changeMember, isUnset, withMembers, type JsonObject } from '@kruise/objects';
import { mapMember } from '../../members/nested-members.ts';
import { fillAbsent, fillEmpty } from '../../members/fill.ts';

/** The versions in which a DaemonSet may be sent. */
export type DaemonSetVersion = 'v1alpha1' | 'v1beta1';

/** What the defaults of a DaemonSet depend on besides the object. */
export interface DaemonSetDefaulting {
  /** Version of the request: only v1alpha1 has the type `Surging`. */
  readonly version: DaemonSetVersion;
}

/** Converts v1alpha1's old name for Standard with a surge of one node. */
const withoutSurging = (rolling: JsonObject): JsonObject =>
  rolling['rollingUpdateType'] === 'Surging'
    ? withMembers(fillAbsent(rolling, { maxSurge: 1, maxUnavailable: 0 }), { rollingUpdateType: 'Standard' })
    : rolling;

function defaultRollingUpdate(rolling: JsonObject, { version }: DaemonSetDefaulting): JsonObject {
  const typed = fillEmpty(version === 'v1alpha1' ? withoutSurging(rolling) : rolling, { rollingUpdateType: 'Standard' });
  const isLimited = !isUnset(typed['maxUnavailable']) || !isUnset(typed['maxSurge']);
  return isLimited ? typed : withMembers(typed, { maxUnavailable: 1, maxSurge: 0 });
}

function defaultStrategy(strategy: JsonObject, options: DaemonSetDefaulting): JsonObject {
  const typed = fillEmpty(strategy, { type: 'RollingUpdate' });
  return typed['type'] === 'RollingUpdate'
    ? changeMember(typed, 'rollingUpdate', (rolling) => defaultRollingUpdate(rolling, options))
    : typed;
}

/**
 * Returns the DaemonSet with its defaults. Set fields stay, including members of a wrong type and the template as a whole. Null and an empty type
 * count as absent.
 *
 * @returns shares with the input, which is never written to; the input itself when nothing is missing
 * @remarks Never throws.
 * @see spec/daemonset.md 4.1
 */
export const defaultDaemonSet = (object: JsonObject, options: DaemonSetDefaulting): JsonObject =>
  mapMember(object, 'spec', (spec) => {
    const limited = fillAbsent(spec, { burstReplicas: 250 });
    const updated = changeMember(limited, 'updateStrategy', (strategy) => defaultStrategy(strategy, options));
    return fillAbsent(updated, { revisionHistoryLimit: 10 });
  });
