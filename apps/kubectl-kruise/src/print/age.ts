/** Lengths of time as `kubectl get` prints them. */

/** `90s`, `5m30s`, `3h`, `2d4h`, `400d`: one unit, or two while the first is small. */
export function durationText(seconds: number): string {
  if (seconds < 0) return seconds >= -1 ? '0s' : '<invalid>';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return joinUnits(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return joinUnits(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return joinUnits(days, 'd', hours % 24, 'h');
  if (days < 365 * 2) return `${days}d`;
  const years = Math.floor(days / 365);
  return days < 365 * 8 ? joinUnits(years, 'y', days % 365, 'd') : `${years}y`;
}

const joinUnits = (first: number, unit: string, second: number, small: string): string =>
  second === 0 ? `${first}${unit}` : `${first}${unit}${second}${small}`;

/** Since a time in RFC 3339. @param now milliseconds since the epoch */
export function ageText(since: string, now: number): string {
  const then = Date.parse(since);
  return Number.isNaN(then) ? '<unknown>' : durationText(Math.floor((now - then) / 1000));
}
