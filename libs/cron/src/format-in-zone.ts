import type { Instant } from '@kruise/objects';
import type { Zone } from './zone.ts';

/** Formats a time as Go's `time.RFC3339`: whole seconds, truncated, not rounded; the offset of the zone at that time, `Z` exactly when it is 0. */
export function formatInZone(at: Instant, zone: Zone): string {
  const offset = zone.offsetAt(at);
  const wall = new Date(at + offset).toISOString().replace(/\.\d{3}Z$/, '');
  if (offset === 0) return `${wall}Z`;
  const minutes = Math.floor(Math.abs(offset) / 60_000);
  return `${wall}${offset < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

const twoDigits = (value: number): string => value.toString().padStart(2, '0');
