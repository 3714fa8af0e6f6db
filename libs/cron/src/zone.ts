/** Time zones by name. */
import { instant, type Instant } from '@kruise/objects';
import { intlOffsets, rememberedOffsets, type OffsetSource } from './offsets.ts';
import { isZoneName } from './zone-names.ts';

/** A time zone: the time that its clocks show. */
export interface Zone {
  /** The requested name; `UTC` for the empty name. */
  readonly name: string;
  /**
   * Returns how far its clocks are ahead of UTC, in milliseconds; a change counts from its first millisecond on. Fast: asks `Intl` once for some
   * months.
   */
  readonly offsetAt: (at: Instant) => number;
}

/** Returns a zone by its name, undefined for an unknown one. */
export type ZoneLoader = (name: string) => Zone | undefined;

const namesOfUtc: ReadonlySet<string> = new Set(['', 'UTC', 'Etc/UTC']);

/**
 * Loads a zone.
 *
 * @param name a name of the tz database, `Local` for the zone of the process, `''` for UTC; case matters
 * @returns undefined for an offset such as `+08:00`, a wrong case or any other name, even where `Intl` would accept it
 * @remarks Takes 0.1 ms and caches nothing: use `createZoneLoader` for repeated calls.
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

/** Returns a loader like `loadZone` that caches up to 128 zones. With more, the one that was loaded first is removed. */
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
 * Returns the instant at which a clock shows `wall`, written as if it were UTC. When clocks move back and show a time twice: one of the two. When
 * clocks move forward and skip it: a time just before or after the gap.
 *
 * @see spec/advancedcronjob.md 5.4
 */
export function instantOf(wall: number, zone: Zone): Instant {
  const offset = zone.offsetAt(instant(wall));
  return instant(wall - zone.offsetAt(instant(wall - offset)));
}
