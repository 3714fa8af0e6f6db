/**
 * Needs of objects that are about to be written: a webhook is widened for them before the write is admitted, so that it is in force when the
 * object is. They stand in an annotation of the configuration, where every replica sees them, for as long as a write may take; by then the
 * object is in everybody's cache, or was never stored.
 *
 * Who asks for it is not known for sure: it may be a review that no API server has sent. So what is noted is bounded in all respects and ends by
 * itself, and what does not fit makes the webhook wider instead: the installer's rule for some seconds.
 */
import { canonicalJson, parseJsonText } from '@kruise/objects';
import type { RequestNeed } from './request-need.ts';

/** Requests that will be needed soon, told before the objects exist that need them. */
export interface NeedAhead {
  /** The installer's name of the webhook. */
  readonly webhook: string;
  readonly need: RequestNeed;
}

interface Noted extends NeedAhead {
  /** RFC 3339. */
  readonly until: string;
}

export const needsAheadAnnotation = 'kruise.io/webhook-needs-ahead';

const lifetimeMs = 5_000;
/** Of the installer's rule, so that a flood of needs renews it now and then only. */
const installersRuleMs = 10_000;
/** What lasts longer was not written by us, or by a clock that is far off. */
const longestMs = 60_000;

/** Of one need, in characters of JSON. */
const longestNeed = 4_096;
/** Of one need: requirements on labels of the object and of its namespace. */
const mostRequirements = 32;
/** Of different needs at a time, all replicas together. */
const mostNeeds = 20;
/** Of the annotation, in characters. */
const longestText = 32_768;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isNoted(value: unknown): value is Noted {
  if (!isRecord(value) || !isRecord(value['need'])) return false;
  const { webhook, until } = value;
  const { reason } = value['need'];
  return [webhook, until, reason].every((text) => typeof text === 'string') && /^[a-z]([-a-z0-9]{0,40}[a-z0-9])?$/.test(String(reason));
}

/** Those that still count; what cannot be read does not. */
function parse(text: string | undefined, nowMs: number): readonly Noted[] {
  try {
    const noted = parseJsonText(text ?? '');
    if (!Array.isArray(noted)) return [];
    return noted.filter(isNoted).filter(({ until }) => Date.parse(until) > nowMs && Date.parse(until) <= nowMs + longestMs);
  } catch {
    return [];
  }
}

export interface NeedsAhead {
  readonly needs: readonly NeedAhead[];
  /** The annotation; undefined when nothing is ahead. */
  readonly text: string | undefined;
  /** When the first of them ends, in milliseconds since the epoch. */
  readonly endsAtMs: number | undefined;
}

/** Equal for needs that say the same in the same way. */
export const needIdentity = ({ webhook, need }: NeedAhead): string => canonicalJson([webhook, need]);

/** The installer's rule. */
const everythingOf = (webhook: string): NeedAhead => ({ webhook, need: { reason: 'everything' } });

function requirementsIn(selector: unknown): number {
  if (!isRecord(selector)) return 0;
  const { matchLabels, matchExpressions } = selector;
  return (isRecord(matchLabels) ? Object.keys(matchLabels).length : 0) + (Array.isArray(matchExpressions) ? matchExpressions.length : 0);
}

function bounded(one: NeedAhead): NeedAhead {
  const { webhook, need } = one;
  const requirements = requirementsIn(need.objectSelector) + requirementsIn(need.namespaceSelector);
  return requirements > mostRequirements || needIdentity(one).length > longestNeed ? everythingOf(webhook) : one;
}

function note(one: NeedAhead, nowMs: number): Noted {
  const isEverything = needIdentity(one) === needIdentity(everythingOf(one.webhook));
  return { ...one, until: new Date(nowMs + (isEverything ? installersRuleMs : lifetimeMs)).toISOString() };
}

/** Themselves, or the installer's rule of their webhooks when they are too many or too long. */
function fitting(noted: readonly Noted[], nowMs: number): readonly Noted[] {
  if (noted.length <= mostNeeds && JSON.stringify(noted).length <= longestText) return noted;
  return [...new Set(noted.map(({ webhook }) => webhook))].map((webhook) => note(everythingOf(webhook), nowMs));
}

/** @param text of the annotation as it is. @param added to be noted from now on */
export function notedNeeds(text: string | undefined, added: readonly NeedAhead[], nowMs: number): NeedsAhead {
  const all = new Map(parse(text, nowMs).map((noted) => [needIdentity(noted), noted]));
  for (const one of added.map(bounded)) {
    const everything = all.get(needIdentity(everythingOf(one.webhook)));
    if (everything === undefined || Date.parse(everything.until) < nowMs + lifetimeMs) all.set(needIdentity(one), note(one, nowMs));
  }
  const noted = fitting([...all.values()], nowMs);
  if (noted.length === 0) return { needs: [], text: undefined, endsAtMs: undefined };
  return { needs: noted, text: JSON.stringify(noted), endsAtMs: Math.min(...noted.map((one) => Date.parse(one.until))) };
}
