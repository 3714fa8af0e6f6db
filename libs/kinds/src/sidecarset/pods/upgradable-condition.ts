/** The Pod condition SidecarSetUpgradable, whose message all SidecarSets of the Pod share. @see spec/sidecarset.md 3 */
import { podConditionReasons, podConditions } from '@kruise/api';
import { canonicalJson, podCondition, setCondition, type Instant, type Pod, type PodCondition } from '@kruise/objects';
import { parseObject } from '@kruise/pods';

type Entries = Readonly<Record<string, boolean>>;

/** Names of SidecarSets and whether each can bring the Pod up to date; what cannot be read counts as absent. */
function entriesOf(pod: Pod): Entries {
  const parsed = parseObject(podCondition(pod, podConditions.sidecarSetUpgradable)?.message ?? '');
  const entries = parsed.kind === 'Parsed' ? Object.entries(parsed.value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'));
}

/** What the condition says of one SidecarSet; undefined when nothing. */
export const upgradableEntry = (pod: Pod, sidecarSet: string): boolean | undefined => {
  const entries = entriesOf(pod);
  return Object.hasOwn(entries, sidecarSet) ? entries[sidecarSet] : undefined;
};

/**
 * The Pod's conditions with the entry of one SidecarSet set.
 *
 * @param pod as just read from the server: a stale one would bring back old entries of others
 * @returns the same list when nothing changes; the time moves with the status only
 */
export function withUpgradable(pod: Pod, sidecarSet: string, upgradable: boolean, now: Instant): readonly PodCondition[] {
  const entries = { ...entriesOf(pod), [sidecarSet]: upgradable };
  const all = Object.values(entries).every((entry) => entry);
  const next: PodCondition = {
    ...podCondition(pod, podConditions.sidecarSetUpgradable),
    type: podConditions.sidecarSetUpgradable,
    status: all ? 'True' : 'False',
    reason: all ? podConditionReasons.allSidecarSetsUpgradable : podConditionReasons.updateImmutableField,
    message: canonicalJson(entries),
  };
  return setCondition(pod.status?.conditions, next, now);
}
