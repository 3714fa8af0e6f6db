/**
 * How much of a node's work list the markers of one namespace may take. The list is one object, which the agent's results share: a full one could
 * not be written for any namespace. A namespace may hold four times what it leaves for others, so that there is always room for the next. Pure.
 *
 * @see spec/podprobemarker.md 5.1
 */
import type { PodProbe } from '@kruise/api';
import { agentLimits, deepEqual, stringifyLossless } from '@kruise/objects';
import { parseProbeName } from '../probes/probe-name.ts';

const greed = 4;
/** What a namespace may hold in any case, of lists that were full before there was a bound, too. */
const floorBytes = 4096;
const encoder = new TextEncoder();

const bytesOf = (value: object): number => encoder.encode(stringifyLossless(value)).length + 1;

export interface ListShare {
  readonly podProbes: readonly PodProbe[];
  /** Probes of the marker that exceed the limits of the list. */
  readonly refused: readonly { readonly pod: string; readonly probe: string }[];
}

/** The marker whose probes are placed. */
interface Placing {
  readonly namespace: string;
  readonly name: string;
}

type Refused = ListShare['refused'][number];
type NodeProbe = NonNullable<PodProbe['probes']>[number];

/** Takes out the marker's probes that the list did not have as they are, the last first, until the namespace has its share. */
class Trim {
  readonly #marker: Placing;
  readonly #held: ReadonlyMap<string, readonly NodeProbe[]>;
  readonly refused: Refused[] = [];
  #total: number;
  #own: number;

  constructor(wanted: readonly PodProbe[], held: readonly PodProbe[], marker: Placing) {
    this.#marker = marker;
    this.#held = new Map(held.map(({ uid, probes = [] }) => [uid, probes]));
    const sizes = wanted.map((entry) => [entry.namespace, bytesOf(entry)] as const);
    this.#total = sizes.reduce((sum, [, size]) => sum + size, 0);
    this.#own = sizes.reduce((sum, [namespace, size]) => sum + (namespace === marker.namespace ? size : 0), 0);
  }

  get fits(): boolean {
    return this.#own <= Math.max(greed * (agentLimits.nodeProbeBytes.value - this.#total), floorBytes);
  }

  /** @returns the entry without the probes that exceed the limits; undefined if none is left */
  trim(entry: PodProbe): PodProbe | undefined {
    if (entry.namespace !== this.#marker.namespace) return entry;
    const kept = (entry.probes ?? []).toReversed().filter((probe) => {
      if (this.fits || !this.#isNew(entry, probe)) return true;
      this.#remove(bytesOf(probe));
      this.refused.unshift({ pod: entry.name, probe: probe.name });
      return false;
    });
    if (kept.length === (entry.probes ?? []).length) return entry;
    if (kept.length > 0) return { ...entry, probes: kept.toReversed() };
    this.#remove(bytesOf({ ...entry, probes: [] }));
    return undefined;
  }

  #isNew({ uid }: PodProbe, probe: NodeProbe): boolean {
    if (parseProbeName(probe.name)?.marker !== this.#marker.name) return false;
    return !(this.#held.get(uid) ?? []).some((known) => known.name === probe.name && deepEqual(known, probe));
  }

  #remove(size: number): void {
    this.#total -= size;
    this.#own -= size;
  }
}

/**
 * @param wanted the list with all that the marker wants in it
 * @param held the list as it is: what it has already stays, also beyond the share
 */
export function withinShare(wanted: readonly PodProbe[], held: readonly PodProbe[], marker: Placing): ListShare {
  const trim = new Trim(wanted, held, marker);
  if (trim.fits) return { podProbes: wanted, refused: [] };
  const podProbes = wanted
    .toReversed()
    .flatMap((entry) => trim.trim(entry) ?? [])
    .toReversed();
  return { podProbes, refused: trim.refused };
}
