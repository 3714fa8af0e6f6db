/**
 * Needs of objects that are about to be written: a webhook is widened for them before the write is admitted, so that it is in force when the
 * object is. They stand in an annotation of the configuration, where every replica sees them, for as long as a write may take; by then the
 * object is in everybody's cache, or was never stored.
 *
 * Who asks for it is not known for sure: it may be a review that no API server has sent. So what is noted is bounded in all respects and ends by
 * itself, and what does not fit makes the webhook wider instead: for some seconds it is asked about every Pod of the namespaces that ask for the most.
 * So a tenant widens it for its own namespace only. What names no namespace is written by administrators; for that it is the installer's rule.
 */
import { admissionLimits, canonicalJson, parseJsonText, sortUtf8 } from '@kruise/objects';
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
const longestNeed = admissionLimits.charactersOfNeed.value;
/** Of one need: requirements on labels of the object and of its namespace. */
const mostRequirements = admissionLimits.requirementsOfNeed.value;
/** Of different needs at a time, all replicas together. */
const mostNeeds = admissionLimits.needsAhead.value;
/** Of the annotation, in characters. */
const longestText = admissionLimits.needsAheadCharacters.value;

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

const namespaceNameLabel = 'kubernetes.io/metadata.name';
const everything = 'everything';

/** The namespaces that a need names; undefined when it is not by their names that it says where. */
function namespacesOf({ need: { namespaceSelector } }: NeedAhead): readonly string[] | undefined {
  const [only, ...others] = namespaceSelector?.matchExpressions ?? [];
  const isByName = only?.key === namespaceNameLabel && only.operator === 'In' && others.length === 0;
  return isByName && Object.keys(namespaceSelector?.matchLabels ?? {}).length === 0 ? (only.values ?? []) : undefined;
}

/** Every Pod of the namespaces; without them the installer's rule. */
function everythingOf(webhook: string, namespaces: readonly string[] | undefined): NeedAhead {
  if (namespaces === undefined) return { webhook, need: { reason: everything } };
  const values = sortUtf8([...new Set(namespaces)]);
  return {
    webhook,
    need: { reason: everything, namespaceSelector: { matchExpressions: [{ key: namespaceNameLabel, operator: 'In', values }] } },
  };
}

const isEverything = (one: NeedAhead): boolean => needIdentity(one) === needIdentity(everythingOf(one.webhook, namespacesOf(one)));

/** Whether every request of `one` is asked about for the other as well. */
function isCovered(one: NeedAhead, by: NeedAhead): boolean {
  if (!isEverything(by) || one.webhook !== by.webhook) return false;
  const [those, all] = [namespacesOf(one), namespacesOf(by)];
  return all === undefined || (those?.every((name) => all.includes(name)) ?? false);
}

function requirementsIn(selector: unknown): number {
  if (!isRecord(selector)) return 0;
  const { matchLabels, matchExpressions } = selector;
  return (isRecord(matchLabels) ? Object.keys(matchLabels).length : 0) + (Array.isArray(matchExpressions) ? matchExpressions.length : 0);
}

function bounded(one: NeedAhead): NeedAhead {
  const { webhook, need } = one;
  const requirements = requirementsIn(need.objectSelector) + requirementsIn(need.namespaceSelector);
  return requirements > mostRequirements || needIdentity(one).length > longestNeed ? everythingOf(webhook, namespacesOf(one)) : one;
}

function note(one: NeedAhead, nowMs: number): Noted {
  return { ...one, until: new Date(nowMs + (isEverything(one) ? installersRuleMs : lifetimeMs)).toISOString() };
}

const fits = (noted: readonly Noted[]): boolean => noted.length <= mostNeeds && JSON.stringify(noted).length <= longestText;

/** With everything of these namespaces in place of what is needed there. */
function widened(noted: readonly Noted[], namespaces: readonly string[], nowMs: number): readonly Noted[] {
  const webhooks = new Set(
    noted.filter((one) => namespacesOf(one)?.some((name) => namespaces.includes(name))).map(({ webhook }) => webhook),
  );
  const wide = [...webhooks].map((webhook) => note(everythingOf(webhook, namespaces), nowMs));
  return [...noted.filter((one) => !wide.some((by) => isCovered(one, by))), ...wide];
}

/**
 * Themselves when they are few and short enough. Else everything of as few namespaces as suffices, those first that need the most; else the
 * installer's rule of all webhooks.
 */
function fitting(noted: readonly Noted[], nowMs: number): readonly Noted[] {
  if (fits(noted)) return noted;
  const counts = [
    ...Map.groupBy(
      noted.flatMap((one) => namespacesOf(one) ?? []),
      (name) => name,
    ),
  ];
  const crowded = counts.sort(([a, as], [b, bs]) => bs.length - as.length || (a < b ? -1 : 1)).map(([name]) => name);
  for (let count = 1; count <= crowded.length; count += 1) {
    const candidate = widened(noted, crowded.slice(0, count), nowMs);
    if (fits(candidate)) return candidate;
  }
  return [...new Set(noted.map(({ webhook }) => webhook))].map((webhook) => note(everythingOf(webhook, undefined), nowMs));
}

/** @param text of the annotation as it is. @param added to be noted from now on */
export function notedNeeds(text: string | undefined, added: readonly NeedAhead[], nowMs: number): NeedsAhead {
  const all = new Map(parse(text, nowMs).map((noted) => [needIdentity(noted), noted]));
  for (const one of added.map(bounded)) {
    const lasting = [...all.values()].filter(({ until }) => Date.parse(until) >= nowMs + lifetimeMs);
    if (!lasting.some((by) => isCovered(one, by))) all.set(needIdentity(one), note(one, nowMs));
  }
  const noted = fitting([...all.values()], nowMs);
  if (noted.length === 0) return { needs: [], text: undefined, endsAtMs: undefined };
  return { needs: noted, text: JSON.stringify(noted), endsAtMs: Math.min(...noted.map((one) => Date.parse(one.until))) };
}
