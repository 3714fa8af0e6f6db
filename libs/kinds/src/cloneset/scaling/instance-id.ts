/**
 * Instance ids: the five characters that end a Pod's name and tie it to its claims.
 *
 * Ids of unused claims are taken first when claims are reused, and always if they were created for a Pod whose creation failed. New ids come from a generator that is seeded with what
 * exists and with the Pod that was deleted last: a pass that is repeated on the same state because its answers were lost requests the same names
 * again and finds what it created, instead of creating more.
 * @see spec/cloneset.md 5.6
 */
import type { CloneSet } from '@kruise/api';
import { compareUtf8, fnv1a, memoizedList, randomSuffix, type Pod } from '@kruise/objects';
import { activePods, refusedLast, type RefusedBefore } from '@kruise/workloads';
import { instanceIdOf } from '../pods/pod-facts.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { reusesClaims } from '../snapshot/strategy.ts';
import { among } from './among.ts';

type Claim = Snapshot['claims'][number];

/** Mulberry32: small, and good enough to spread names. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const uidsOf = memoizedList(({ metadata }: Pod): string | undefined => metadata.uid);
const uidsOfClaims = memoizedList(({ metadata }: Claim): string | undefined => metadata.uid);

/** The newest change that the seed knows of; own writes to the CloneSet itself (its status) do not count. */
const seedOf = ({ cloneSet, pods, claims, lastVanished = '' }: Snapshot): number =>
  fnv1a(
    [
      cloneSet.metadata.uid,
      cloneSet.metadata.generation,
      ...uidsOf(cloneSet.metadata, pods),
      ...uidsOfClaims(cloneSet.metadata, claims),
      ...(lastVanished === '' ? [] : [lastVanished]),
    ].join('/'),
  );

export interface InstanceIds {
  /** Sorted, those that were refused last; may be fewer than requested. */
  readonly ids: readonly string[];
  /** Ids to wait for: their claims are free as soon as terminating Pods of this CloneSet are deleted. */
  readonly blocked: readonly string[];
}

/** Sorted, but ids whose Pods could not be created come last. */
const inOrder = (ids: Iterable<string>, refused: RefusedBefore): readonly string[] =>
  refusedLast([...ids].sort(compareUtf8), (id) => id, refused);

/**
 * With reuse, the ids of all claims without a Pod; without reuse, only those whose claims were created for a Pod that could not be created then.
 *
 * Only terminating Pods are waited for, because their deletion is certain and causes an event. A Pod that has finished may stay indefinitely, and
 * so may a Pod of another owner or a released one: they keep their claims, and new Pods get other ids.
 */
function freeClaimIds({ cloneSet, pods, claims, takenNames, refused }: Snapshot): {
  readonly free: readonly string[];
  readonly blocked: readonly string[];
} {
  const reuses = reusesClaims(cloneSet);
  if (!reuses && refused.size === 0) return { free: [], blocked: [] };
  // By name as well: a Pod may have lost its label.
  const held = new Set(pods.map(instanceIdOf));
  const names = new Set(pods.map(({ metadata }) => metadata.name));
  const ids = [...new Set(claims.map(instanceIdOf))].filter((id) => id !== '').sort(compareUtf8);
  const isTaken = (name: string): boolean => names.has(name) || takenNames.has(name);
  const isHeld = (id: string): boolean => held.has(id) || isTaken(`${nameOf(cloneSet)}-${id}`);
  const free = inOrder(
    ids.filter((id) => !isHeld(id) && (reuses || refused.has(id))),
    refused,
  );
  if (!reuses) return { free, blocked: [] };
  const active = new Set(activePods(pods).map(instanceIdOf));
  const leaving = new Set(pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).map(instanceIdOf));
  return { free, blocked: ids.filter((id) => leaving.has(id) && !active.has(id)) };
}

const instanceIdsOf = memoizedList((pod: Pod): string => instanceIdOf(pod));
const instanceIdsOfClaims = memoizedList((claim: Claim): string => instanceIdOf(claim));

/**
 * @param count ids wanted
 * @param most ids given out; the next pass requests the others
 * @remarks Ids that are blocked count as given out: reuse must keep ids of Pods that are merely terminating, so nothing new takes their place.
 */
export function chooseInstanceIds(seen: Snapshot, count: number, most = count): InstanceIds {
  const { free, blocked } = freeClaimIds(seen);
  const waiting = blocked.slice(0, Math.max(count - free.length, 0));
  const now = Math.min(count - waiting.length, most);
  const ids = new Set(free.slice(0, now));
  const { metadata } = seen.cloneSet;
  const isUsed = among([instanceIdsOf(metadata, seen.pods), instanceIdsOfClaims(metadata, seen.claims)], now);
  const random = generator(seedOf(seen));
  const isTaken = (id: string): boolean => isUsed(id) || ids.has(id) || seen.takenNames.has(`${nameOf(seen.cloneSet)}-${id}`);
  while (ids.size < now) {
    const id = randomSuffix(random);
    if (!isTaken(id)) ids.add(id);
  }
  return { ids: inOrder(ids, seen.refused), blocked: waiting };
}

const nameOf = (cloneSet: CloneSet): string => cloneSet.metadata.name;
