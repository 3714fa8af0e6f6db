/**
 * Needs of objects that are about to be written. A webhook is widened for them before the write is admitted, so that it is effective when the object
 * exists. They are kept in an annotation of the configuration, where every replica sees them, for as long as a write may take. After that time the
 * object is in every replica's cache, or was never stored.
 *
 * The requester is not certain: the review may not come from an API server. So what is noted is bounded in all respects and expires, and what does
 * not fit widens the webhook instead: for some seconds it is asked about every Pod of the namespaces with the most needs. So a tenant widens it only
 * for its own namespace. What names no namespace is written by administrators; it causes the installer's rule.
 */
import { admissionLimits, canonicalJson, isJsonObject, parseJsonText, sortUtf8 } from '@kruise/objects';
import type { RequestNeed } from './request-need.ts';

/** Requests that will be needed soon, reported before the objects that need them exist. */
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
/** How long the installer's rule lasts, so that a flood of needs renews it only now and then. */
const installersRuleMs = 10_000;
/** A longer time was not written by us, or was written by a clock that is far off. */
const longestMs = 60_000;

/** Maximum of one need, in characters of JSON. */
const longestNeed = admissionLimits.charactersOfNeed.value;
/** Maximum of one need: requirements on labels of the object and of its namespace. */
const mostRequirements = admissionLimits.requirementsOfNeed.value;
/** Maximum of different needs at a time, of all replicas together. */
const mostNeeds = admissionLimits.needsAhead.value;
/** Maximum of the annotation, in characters. */
const longestText = admissionLimits.needsAheadCharacters.value;

function isNoted(value: unknown): value is Noted {
  if (!isJsonObject(value) || !isJsonObject(value['need'])) return false;
  const { webhook, until } = value;
  const { reason } = value['need'];
  return [webhook, until, reason].every((text) => typeof text === 'string') && /^[a-z]([-a-z0-9]{0,40}[a-z0-9])?$/.test(String(reason));
}

/** Returns the needs that have not expired. Unreadable ones are ignored. */
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
  /** When the first of them expires, in milliseconds since the epoch. */
  readonly endsAtMs: number | undefined;
}

/** Returns a text that is equal for needs that express the same in the same way. */
export const needIdentity = ({ webhook, need }: NeedAhead): string => canonicalJson([webhook, need]);

const namespaceNameLabel = 'kubernetes.io/metadata.name';
const everything = 'everything';

/** Returns the namespaces that a need names, undefined when it does not select by their names. */
function namespacesOf({ need: { namespaceSelector } }: NeedAhead): readonly string[] | undefined {
  const [only, ...others] = namespaceSelector?.matchExpressions ?? [];
  const isByName = only?.key === namespaceNameLabel && only.operator === 'In' && others.length === 0;
  return isByName && Object.keys(namespaceSelector?.matchLabels ?? {}).length === 0 ? (only.values ?? []) : undefined;
}

/** Returns the need of every Pod of the namespaces; without namespaces the installer's rule. */
function everythingOf(webhook: string, namespaces: readonly string[] | undefined): NeedAhead {
  if (namespaces === undefined) return { webhook, need: { reason: everything } };
  const values = sortUtf8([...new Set(namespaces)]);
  return {
    webhook,
    need: { reason: everything, namespaceSelector: { matchExpressions: [{ key: namespaceNameLabel, operator: 'In', values }] } },
  };
}

const isEverything = (one: NeedAhead): boolean => needIdentity(one) === needIdentity(everythingOf(one.webhook, namespacesOf(one)));

/** Returns whether every request of `one` is covered by the other as well. */
function isCovered(one: NeedAhead, by: NeedAhead): boolean {
  if (!isEverything(by) || one.webhook !== by.webhook) return false;
  const [those, all] = [namespacesOf(one), namespacesOf(by)];
  return all === undefined || (those?.every((name) => all.includes(name)) ?? false);
}

function requirementsIn(selector: unknown): number {
  if (!isJsonObject(selector)) return 0;
  const { matchLabels, matchExpressions } = selector;
  return (
    (isJsonObject(matchLabels) ? Object.keys(matchLabels).length : 0) + (Array.isArray(matchExpressions) ? matchExpressions.length : 0)
  );
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

/** Returns the needs with everything of these namespaces instead of the single needs there. */
function widened(noted: readonly Noted[], namespaces: readonly string[], nowMs: number): readonly Noted[] {
  const webhooks = new Set(
    noted.filter((one) => namespacesOf(one)?.some((name) => namespaces.includes(name))).map(({ webhook }) => webhook),
  );
  const wide = [...webhooks].map((webhook) => note(everythingOf(webhook, namespaces), nowMs));
  return [...noted.filter((one) => !wide.some((by) => isCovered(one, by))), ...wide];
}

/**
 * Returns the needs unchanged when they are few and short enough. Otherwise everything of as few namespaces as is sufficient, those with the most
 * needs first; otherwise the installer's rule of all webhooks.
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

/**
 * Returns the annotation with the added needs.
 *
 * @param text the present annotation
 * @param added needs to note from now on
 */
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
