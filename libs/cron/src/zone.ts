/** Time zones by name. */
import { instant, type Instant } from '@kruise/objects';
import { intlOffsets, rememberedOffsets, type OffsetSource } from './offsets.ts';
import { isZoneName } from './zone-names.ts';

/** A time zone: what its clocks show. */
export interface Zone {
  /** As it was asked for; `UTC` for the empty name. */
  readonly name: string;
  /** How far its clocks are ahead of UTC, in milliseconds; a change is known from its first millisecond on. Quick: asks `Intl` once for some months. */
  readonly offsetAt: (at: Instant) => number;
}

/** Gives a zone by its name, undefined for an unknown one. */
export type ZoneLoader = (name: string) => Zone | undefined;

const namesOfUtc: ReadonlySet<string> = new Set(['', 'UTC', 'Etc/UTC']);

/**
 * @param name a name of the tz database, `Local` for the zone of the process, `''` for UTC; case matters
 * @returns undefined for an offset such as `+08:00`, a wrong case or any other name, even where `Intl` would accept it
 * @remarks Takes 0.1 ms and remembers nothing: whoever asks again and again takes `createZoneLoader`.
 * @see spec/advancedcronjob.md 5.4
 */
export function loadZone(name: string): Zone | undefined {
  const offsets = isZoneName(name) ? offsetsOf(name) : undefined;
  return offsets && { name: name === '' ? 'UTC' : name, offsetAt: offsets };
}

function offsetsOf(name: string): OffsetSource | undefined {
  if (namesOfUtc.has(name)) return () => 0;
  const source = intlOffsets(name === 'Local' ? undefined : name);
  return source && rememberedOffsets(source);
}

const mostZones = 128;

/** Zones as `loadZone` gives them, each loaded once as long as no more than 128 are in use; then the one loaded first is forgotten. */
export function createZoneLoader(): ZoneLoader {
  const zones = new Map<string, Zone>();
  return (name) => {
    const zone = zones.get(name) ?? loadZone(name);
    if (zone === undefined || zones.has(name)) return zone;
    const [first] = zones.keys();
    if (first !== undefined && zones.size >= mostZones) zones.delete(first);
    zones.set(name, zone);
    return zone;
  };
}

/**
 * The instant at which a clock shows this, written as if it were UTC. Clocks that are set back show a time twice: one of the two. Clocks that are set
 * forward leave one out: a time just before or after the gap.
 *
 * @see spec/advancedcronjob.md 5.4
 */
export function instantOf(wall: number, zone: Zone): Instant {
  const offset = zone.offsetAt(instant(wall));
  return instant(wall - zone.offsetAt(instant(wall - offset)));
}
