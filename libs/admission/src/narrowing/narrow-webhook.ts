/**
 * Replaces one webhook by several. Together they are asked about exactly the requests that are needed, each of them once:
 *
 *   again.NAME             in the installer's place, asked about nothing more
 *   REASON.NAME            requests that are needed for this reason whatever the labels of their namespace
 *   REASON-nsN.NAME        those needed in the N-th part of the namespaces (see namespace-partition.ts)
 *
 * Where a lost call can be distinguished from an answered one, these ask about what was lost (see second-chance.ts).
 *
 * None of them has the installer's name. Applying the installer's manifest, at any time and in any way, restores the installer's webhook beside them,
 * unchanged and with none of our conditions. So only a running manager keeps a webhook narrow against an installer.
 *
 * The first part of the name is the only word that a user reads when the call is not answered. What cannot be expressed exactly is expressed more
 * widely: first with all namespace selectors combined, then by the installer's rule unchanged. Never more narrowly. Pure.
 */
import { labelMatcherOf, type LabelSelector } from '@kruise/objects';
import type { Webhook } from '../webhook-configuration.ts';
import { allOf, always, anyOf, formatCel, never, not, type Formula } from './formula.ts';
import { inCommon, partition, simplify, type Requirement, type Requirements } from './namespace-partition.ts';
import type { NarrowedEntry } from './narrowed-entry.ts';
import type { RequestNeed, WebhookNarrowing } from './request-need.ts';
import {
  chancesOf,
  expressionOf,
  isRefusedByFailure,
  longestChances,
  membersFor,
  mostChances,
  type EntryOfChance,
} from './second-chance.ts';

/** Prefix of the names of our conditions. The installer's template must not contain it. */
const conditionPrefix = 'needed.kruise.io/';
const conditions = {
  base: `${conditionPrefix}nothing-else`,
  own: `${conditionPrefix}request`,
  before: `${conditionPrefix}not-asked-before`,
};

/** The API server accepts 64 conditions; two are ours. */
const maxForeignConditions = 62;
const maxWebhooks = 24;
/** Maximum of all conditions together, in characters. An object in etcd has at most 1.5 MiB, and three webhooks are narrowed. */
const maxText = 300_000;
/** Maximum of one condition, in characters: the parser of the API server accepts 100,000. Names of 1,000 namespaces have up to 66,000. */
const maxExpression = 75_000;

const namespaceNameLabel = 'kubernetes.io/metadata.name';

interface ReadNeed {
  readonly reason: string;
  readonly failurePolicy: 'Ignore' | undefined;
  /** Requirements on labels of the namespace other than its name; empty for any namespace. */
  readonly namespace: Requirements;
  readonly formula: Formula;
}

/** Returns the requirements of a selector, undefined for an illegal one. */
function requirementsOf(selector: LabelSelector | null | undefined): Requirements | undefined {
  const parsed = labelMatcherOf(selector ?? {});
  if (parsed.kind === 'Illegal') return undefined;
  // Only `matchLabels` has an operator that `matchExpressions` lacks.
  return parsed.matcher.requirements.map((one) => ({ ...one, operator: one.operator === 'Equals' ? 'In' : one.operator }) as Requirement);
}

/** Returns the formula of a requirement on the name of a namespace, which is a label of every namespace and part of every request. */
function namespaceNames({ operator, values }: Requirement): Formula {
  switch (operator) {
    case 'Exists':
      return always;
    case 'DoesNotExist':
      return never;
    case 'NotIn':
      return not({ kind: 'InNamespaces', names: values });
    case 'In':
      return { kind: 'InNamespaces', names: values };
  }
}

function readNeed({ reason, namespaceSelector, objectSelector, condition, failurePolicy }: RequestNeed): readonly ReadNeed[] {
  const namespace = requirementsOf(namespaceSelector);
  const object = requirementsOf(objectSelector);
  if (namespace === undefined || object === undefined) return [];
  const byLabels = simplify(namespace.filter(({ key }) => key !== namespaceNameLabel));
  if (byLabels === undefined) return [];
  const formula = allOf([
    ...namespace.filter(({ key }) => key === namespaceNameLabel).map(namespaceNames),
    ...object.map((requirement): Formula => ({ kind: 'Label', requirement })),
    ...(condition === undefined ? [] : [{ kind: 'Cel', text: condition } satisfies Formula]),
  ]);
  return formula.kind === 'Never' ? [] : [{ reason, failurePolicy, namespace: byLabels, formula }];
}

const textOf = (requirements: Requirements): string => JSON.stringify(requirements);

interface Part {
  /** Suffix of the name: '' or `-ns1`. */
  readonly suffix: string;
  readonly namespace: Requirements;
  readonly needs: readonly ReadNeed[];
}

function exactParts(local: readonly ReadNeed[]): readonly Part[] | undefined {
  const selectors = [...new Map(local.map(({ namespace }) => [textOf(namespace), namespace])).entries()].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const parts = partition(
    selectors.map(([, namespace]) => namespace),
    maxWebhooks,
  );
  return parts?.map(({ requirements, holds }, index) => {
    const held = new Set(holds.map((at) => selectors[at]?.[0]));
    return { suffix: `-ns${index + 1}`, namespace: requirements, needs: local.filter(({ namespace }) => held.has(textOf(namespace))) };
  });
}

const onePart = (local: readonly ReadNeed[]): readonly Part[] => [
  { suffix: '-ns1', namespace: inCommon(local.map(({ namespace }) => namespace)), needs: local },
];

const mayFail = (needs: readonly ReadNeed[]): boolean => needs.every(({ failurePolicy }) => failurePolicy === 'Ignore');

/** Returns the reasons in the order of their names. Those whose calls may fail are last, so that they cover no request whose call must not. */
function reasonsOf(needs: readonly ReadNeed[]): readonly string[] {
  const byReason = [...Map.groupBy(needs, ({ reason }) => reason)].sort(([a], [b]) => (a < b ? -1 : 1));
  const [last, first] = [byReason.filter(([, those]) => mayFail(those)), byReason.filter(([, those]) => !mayFail(those))];
  return [...first, ...last].map(([reason]) => reason);
}

/** Returns an entry for each reason that occurs in the part, each without the requests of earlier entries. */
function entriesOf({ suffix, namespace, needs }: Part, reasons: readonly string[], asked: Formula): readonly NarrowedEntry[] {
  const entries: NarrowedEntry[] = [];
  let before = asked;
  for (const reason of reasons) {
    const those = needs.filter((need) => need.reason === reason);
    const own = anyOf(those.map(({ formula }) => formula));
    if (own.kind === 'Never' || before.kind === 'Always') continue;
    const entry = { prefix: `${reason}${suffix}`, part: suffix, namespace, own, before };
    entries.push(mayFail(those) ? { ...entry, failurePolicy: 'Ignore' } : entry);
    before = anyOf([before, own]);
  }
  return entries;
}

/** Prefix of the entry in the installer's place. */
const basePrefix = 'again.';

const nothing: NarrowedEntry = { prefix: '', part: '', namespace: [], own: never, before: never };

function arrange(
  needs: readonly ReadNeed[],
  split: (local: readonly ReadNeed[]) => readonly Part[] | undefined,
): readonly NarrowedEntry[] | undefined {
  const reasons = reasonsOf(needs);
  const anywhere = needs.filter(({ namespace }) => namespace.length === 0);
  const local = needs.filter(({ namespace }) => namespace.length > 0);
  const parts = split(local);
  if (parts === undefined) return undefined;
  const asked = anyOf(anywhere.map(({ formula }) => formula));
  const entries = [
    ...entriesOf({ suffix: '', namespace: [], needs: anywhere }, reasons, never),
    ...parts.flatMap((part) => entriesOf(part, reasons, asked)),
  ];
  return entries.length > maxWebhooks ? undefined : [nothing, ...entries];
}

export interface EntriesPlan {
  /** Whether no request is sent that is not needed. */
  readonly exact: boolean;
  /** In the order in which the API server calls them. */
  readonly entries: readonly NarrowedEntry[];
}

/** How exactly the needs can be expressed. The second is tried when the first is too large. */
const arrangements = [
  { exact: true, split: exactParts },
  { exact: false, split: onePart },
];

/** Returns the entries of the needs, undefined when the installer's rule must be used. */
export function planEntries({ needs }: WebhookNarrowing, fits: (entries: readonly NarrowedEntry[]) => boolean): EntriesPlan | undefined {
  const read = needs.flatMap(readNeed);
  for (const { exact, split } of arrangements) {
    const entries = arrange(read, split);
    if (entries !== undefined && fits(entries)) return { exact, entries };
  }
  return undefined;
}

interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** Returns the conditions of an entry, the installer's own first. */
function conditionsOf(
  { prefix, own, before }: NarrowedEntry,
  subject: 'object' | 'oldObject',
): readonly [own: MatchCondition, ...others: MatchCondition[]] {
  if (prefix === '') return [{ name: conditions.base, expression: formatCel(own, subject) }];
  return [
    { name: conditions.own, expression: formatCel(own, subject) },
    ...(before.kind === 'Never' ? [] : [{ name: conditions.before, expression: formatCel(not(before), subject) }]),
  ];
}

const textLength = (conditions: readonly MatchCondition[]): number =>
  conditions.reduce((sum, { expression }) => sum + expression.length, 0);

const isSmallEnough = (conditions: readonly MatchCondition[]): boolean =>
  conditions.every(({ expression }) => expression.length <= maxExpression) && textLength(conditions) <= maxText;

/** Returns whether the conditions are few and short enough to be written three times. */
const canRepeat = (webhook: Webhook, entries: readonly NarrowedEntry[], subject: 'object' | 'oldObject'): boolean =>
  isRefusedByFailure(webhook) &&
  entries.length <= mostChances + 1 &&
  textLength(entries.flatMap((entry) => conditionsOf(entry, subject))) <= longestChances;

const matchConditionsOf = (webhook: Webhook): readonly MatchCondition[] =>
  (webhook['matchConditions'] as readonly MatchCondition[] | undefined) ?? [];

function withRequirements(selector: unknown, requirements: Requirements): LabelSelector {
  const { matchExpressions = [], ...rest } = (selector ?? {}) as LabelSelector;
  const added = requirements.map(({ key, operator, values }) => ({ key, operator, ...(values.length === 0 ? {} : { values }) }));
  return { ...rest, matchExpressions: [...matchExpressions, ...added] };
}

/**
 * Returns the entries that replace the installer's webhook; only itself when its rule cannot be narrowed or everything is needed.
 *
 * @param webhook the installer's
 */
export function narrowWebhook(webhook: Webhook, narrowing: WebhookNarrowing): readonly Webhook[] {
  const { subject = 'object', needs } = narrowing;
  const present = matchConditionsOf(webhook);
  const isForAll = needs.some((need) =>
    readNeed(need).some(({ namespace, formula }) => namespace.length === 0 && formula.kind === 'Always'),
  );
  if (isForAll || present.length > maxForeignConditions) return [webhook];
  const plan = planEntries(narrowing, (candidates) => isSmallEnough(candidates.flatMap((entry) => conditionsOf(entry, subject))));
  if (plan === undefined) return [webhook];
  const { answered } = narrowing;
  const hasChances = answered !== undefined && canRepeat(webhook, plan.entries, subject);
  const entries = hasChances ? chancesOf(plan.entries) : plan.entries.map((entry): EntryOfChance => ({ entry }));
  return entries.map(({ entry, chance }): Webhook => {
    const [own, ...before] = conditionsOf(entry, subject);
    const asked = chance === undefined ? own : { ...own, expression: expressionOf(own.expression, chance, answered ?? '') };
    return {
      ...webhook,
      ...(entry.failurePolicy === undefined ? {} : { failurePolicy: entry.failurePolicy }),
      ...membersFor(webhook, chance),
      name: entry.prefix === '' ? `${basePrefix}${webhook.name}` : `${entry.prefix}.${webhook.name}`,
      ...(entry.namespace.length === 0 ? {} : { namespaceSelector: withRequirements(webhook['namespaceSelector'], entry.namespace) }),
      matchConditions: [...present, asked, ...before],
    };
  });
}

const isOurs = ({ name }: MatchCondition): boolean => name.startsWith(conditionPrefix);

const isBase = (webhook: Webhook): boolean => matchConditionsOf(webhook).some(({ name }) => name === conditions.base);

/** Returns the name of the installer's webhook that this one belongs to. */
const installersName = ({ name }: Webhook): string => (name.startsWith(basePrefix) ? name.slice(basePrefix.length) : name);

/** Returns the installer's list before {@link narrowWebhook}: for a changed list that becomes the template. */
export function withoutNarrowing(webhooks: readonly Webhook[]): readonly Webhook[] {
  const left = webhooks.filter((webhook) => !matchConditionsOf(webhook).some(isOurs));
  const applied = new Set(left.map(({ name }) => name));
  return webhooks.flatMap((webhook) => {
    const present = matchConditionsOf(webhook);
    if (!present.some(isOurs)) return [webhook];
    const name = installersName(webhook);
    if (!isBase(webhook) || applied.has(name)) return [];
    const { matchConditions: _narrowed, ...rest } = webhook;
    const foreign = present.filter((condition) => !isOurs(condition));
    return [{ ...rest, name, ...(foreign.length === 0 ? {} : { matchConditions: foreign }) }];
  });
}

/** Returns the webhooks of this list that contain our conditions. */
export const narrowedOf = (webhooks: readonly Webhook[]): readonly Webhook[] =>
  webhooks.filter((webhook) => matchConditionsOf(webhook).some(isOurs));

/** Returns the installer's webhook of this name, or the entry that has its fields in its place; undefined when there is neither. */
export function standingFor<T extends Webhook>(name: string, webhooks: readonly T[]): T | undefined {
  const isThis = (webhook: T): boolean => isBase(webhook) && installersName(webhook) === name;
  return webhooks.find((webhook) => webhook.name === name) ?? webhooks.find(isThis);
}

/** Returns the entries in the place of the installer's webhook. Empty when that is used unchanged, or when its place is empty. */
export function partsOf(name: string, webhooks: readonly Webhook[]): readonly Webhook[] {
  const parts = narrowedOf(webhooks).filter((one) => one.name === name || one.name.endsWith(`.${name}`));
  const isInForce = webhooks.some((one) => one.name === name && !parts.includes(one));
  return isInForce || !parts.some((one) => isBase(one) && installersName(one) === name) ? [] : parts;
}

/** Returns whether a webhook in this list is narrowed. */
export const isNarrowed = (webhooks: readonly Webhook[]): boolean => narrowedOf(webhooks).length > 0;
