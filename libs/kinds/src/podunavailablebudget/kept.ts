/**
 * Which records of admissions are kept: those of Pods that are there still, for as long as what was admitted may take. Pods of kept records do not
 * count as available. Pure.
 * @see spec/podunavailablebudget.md 5.5
 */
import type { PodUnavailableBudgetStatus } from '@kruise/api';
import { isPodActive, milliseconds, seconds, type Milliseconds, type Pod } from '@kruise/objects';

/** The map of a record: for operations that remove the Pod, and for those that change it. */
export type EntryMap = 'disruptedPods' | 'unavailablePods';

/** How long a record is kept, since the controller has seen it first. */
export const entryLimits: Readonly<Record<EntryMap, Milliseconds>> = { disruptedPods: seconds(20), unavailablePods: seconds(10) };
const entryMaps: readonly EntryMap[] = ['disruptedPods', 'unavailablePods'];

type Entries = Readonly<Record<string, string>>;

/** One record. */
export interface Entry {
  readonly map: EntryMap;
  /** Name of the Pod. */
  readonly pod: string;
  /** As written. */
  readonly time: string;
}

export const entriesOf = (status: PodUnavailableBudgetStatus | undefined): readonly Entry[] =>
  entryMaps.flatMap((map) => Object.entries(status?.[map] ?? {}).map(([pod, time]) => ({ map, pod, time })));

/** What is known of records and their Pods. */
export interface EntrySigns {
  /** The active Pods, by name, as the cache has them. */
  readonly pods: ReadonlyMap<string, Pod>;
  /** How long ago the controller has first seen the record. */
  readonly ageOf: (entry: Entry) => Milliseconds;
  /** Whether the cache of Pods may not have come as far as the admission: what it lacks may be there, and what it shows be a former Pod of the name. */
  readonly isBehind: (entry: Entry) => boolean;
  /** The Pods of expired records, read from the API server; a deleted Pod has no entry. */
  readonly live: ReadonlyMap<string, Pod>;
  readonly isAvailable: (pod: Pod) => boolean;
}

/** The records whose time is over, and whose Pods the cache still holds: what has become of these must be asked. */
export const overdueEntries = (
  status: PodUnavailableBudgetStatus | undefined,
  { pods, ageOf }: Pick<EntrySigns, 'pods' | 'ageOf'>,
): readonly Entry[] => entriesOf(status).filter((entry) => pods.has(entry.pod) && ageOf(entry) >= entryLimits[entry.map]);

/** What was admitted has come about, and only the cache does not know it yet. */
function hasComeAbout(seen: Pod, { live, isAvailable }: EntrySigns): boolean {
  const now = live.get(seen.metadata.name);
  if (now === undefined || now.metadata.uid !== seen.metadata.uid || !isPodActive(now)) return true;
  return isAvailable(seen) && !isAvailable(now);
}

/** How soon a cache is looked at again that is behind. */
const laggingCache = seconds(1);

export interface KeptEntries {
  readonly disruptedPods: Entries;
  readonly unavailablePods: Entries;
  /** Whose deletion was admitted and did not come. */
  readonly undeleted: readonly Pod[];
  readonly requeueAfter?: Milliseconds;
}

/** Whether the record of a Pod that is there is over. */
const isOver = (entry: Entry, pod: Pod, signs: EntrySigns): boolean =>
  signs.ageOf(entry) >= entryLimits[entry.map] && !hasComeAbout(pod, signs);

/** The remaining records. Drops the records of deleted or inactive Pods. */
export function keepEntries(status: PodUnavailableBudgetStatus | undefined, signs: EntrySigns): KeptEntries {
  const kept: Record<EntryMap, Record<string, string>> = { disruptedPods: {}, unavailablePods: {} };
  const undeleted: Pod[] = [];
  const waits: number[] = [];
  for (const entry of entriesOf(status)) {
    const pod = signs.pods.get(entry.pod);
    if (pod === undefined ? !signs.isBehind(entry) : isOver(entry, pod, signs)) {
      if (pod !== undefined && entry.map === 'disruptedPods') undeleted.push(pod);
      continue;
    }
    kept[entry.map][entry.pod] = entry.time;
    const left = entryLimits[entry.map] - signs.ageOf(entry);
    waits.push(pod !== undefined && left > 0 ? left : laggingCache);
  }
  return { ...kept, undeleted, ...(waits.length === 0 ? {} : { requeueAfter: milliseconds(Math.min(...waits)) }) };
}
