/** The example of README.md. */
import type { Instant } from '@kruise/objects';
import { formatInZone, latestMissed, nextTime, parseSchedule, type ZoneLoader } from './index.ts';

/** The run that is due, and for how many milliseconds there is none after that. Both are absent for a schedule that never runs. */
interface Runs {
  readonly due?: string;
  readonly sleepMs?: number;
}

/** Decides what a controller does about a schedule that ran at `last`. A zone in the text takes precedence over `timeZone`. */
export function planRuns(
  { schedule: text, timeZone }: { readonly schedule: string; readonly timeZone: string },
  last: Instant,
  now: Instant,
  loadZone: ZoneLoader,
): Runs | { readonly refused: string } {
  const parsed = parseSchedule(text);
  if (parsed.kind === 'Faulty') return { refused: parsed.why };
  const zone = loadZone(parsed.zone ?? timeZone);
  if (zone === undefined) return { refused: `unknown time zone ${timeZone}` };
  const { time: due } = latestMissed(parsed.schedule, last, now, zone);
  const next = nextTime(parsed.schedule, now, zone);
  return { ...(due !== undefined && { due: formatInZone(due, zone) }), ...(next !== undefined && { sleepMs: next - now }) };
}
