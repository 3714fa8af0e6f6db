/** Rules of roles: rights of the API that are merged into few rules, each with the Helm condition under which the chart has it. Pure. */
import type { Right } from '@kruise/api';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** A rule that the chart renders under a condition, or whose groups come from the values. */
export interface ConditionalRule {
  readonly rule: PolicyRule;
  /** A Helm condition. */
  readonly when?: string;
  /** A Helm value that replaces the rule's groups. */
  readonly groupsFrom?: string;
}

/** A rule of a role, with or without a condition. */
export type RoleRule = PolicyRule | ConditionalRule;

export const isConditional = (entry: RoleRule): entry is ConditionalRule => 'rule' in entry;
export const ruleOf = (entry: RoleRule): PolicyRule => (isConditional(entry) ? entry.rule : entry);

export const rule = (
  group: string,
  resources: string | readonly string[],
  verbs: readonly string[],
  resourceNames?: readonly string[],
): PolicyRule => ({
  apiGroups: [group],
  resources: typeof resources === 'string' ? [resources] : resources,
  ...(resourceNames === undefined ? {} : { resourceNames }),
  verbs,
});

/** Helm conditions; all of them have to hold. */
const conditionsOf = ({ gates = [], withheldBy, groupsFrom }: Right): readonly string[] => [
  ...(withheldBy === undefined ? [] : [`eq .Values.installation.${withheldBy} "cluster"`]),
  ...gates.map((gate) => `eq (include "kruise.gate" (list . "${gate}")) "true"`),
  ...(groupsFrom === undefined ? [] : [`.Values.installation.${groupsFrom}`]),
];

const inAnd = (conditions: readonly string[]): string =>
  conditions.length < 2 ? conditions.join('') : `and ${conditions.map((one) => (one.includes(' ') ? `(${one})` : one)).join(' ')}`;

interface OneResource {
  readonly group: string;
  readonly resource: string;
  readonly conditions: readonly string[];
  readonly groupsFrom: Right['groupsFrom'];
  readonly verbs: readonly string[];
}

/** Without the verbs that are held already where fewer conditions hold. */
function withoutHeld(one: OneResource, all: readonly OneResource[]): OneResource {
  const held = all
    .filter(({ group, resource }) => group === one.group && resource === one.resource)
    .filter(({ conditions }) => conditions.length < one.conditions.length && conditions.every((name) => one.conditions.includes(name)))
    .flatMap(({ verbs }) => verbs);
  return { ...one, verbs: one.verbs.filter((verb) => !held.includes(verb)) };
}

/** All verbs on each resource, then one rule for the resources of a group that have the same verbs under the same conditions. */
export function mergeRights(rights: readonly Right[]): readonly ConditionalRule[] {
  const single = rights.flatMap((one) => one.resources.map((resource) => ({ ...one, resource, conditions: conditionsOf(one) })));
  const byResource = Map.groupBy(single, ({ group, resource, conditions }) => [group, resource, ...conditions].join('|'));
  const merged = [...byResource.values()].flatMap(([first, ...others]): readonly OneResource[] =>
    first === undefined
      ? []
      : [{ groupsFrom: undefined, ...first, verbs: [...new Set([first, ...others].flatMap(({ verbs }) => verbs))].sort() }],
  );
  const needed = merged.map((one) => withoutHeld(one, merged)).filter(({ verbs }) => verbs.length > 0);
  const alike = Map.groupBy(needed, ({ group, conditions, verbs }) => [group, ...conditions, ...verbs].join('|'));
  return [...alike.values()].flatMap((list) => {
    const [first] = list;
    if (first === undefined) return [];
    const when = inAnd(first.conditions);
    const resources = list.map(({ resource }) => resource).sort();
    return {
      rule: rule(first.group, resources, first.verbs),
      ...(when === '' ? {} : { when }),
      ...(first.groupsFrom === undefined ? {} : { groupsFrom: `.Values.installation.${first.groupsFrom}` }),
    };
  });
}
