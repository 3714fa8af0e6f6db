/** What the controller of UnitedDeployments cannot work with. Each check returns the fault in words, undefined when there is none. */
import {
  checkDns1123Label,
  formatFieldError,
  isJsonObject,
  isUnset,
  labelMatcherOrNothing,
  memberAt,
  membersAt,
  type JsonObject,
  type LabelSelector,
} from '@kruise/objects';
import { selectorObstacle, templateObstacle } from '../../validation/cannot-work.ts';
import { unitedTemplateNames, type UnitedTemplateName } from './template-names.ts';
import { unitedSizeFault } from './validation-size.ts';

/** The template of the children; the rule before has found exactly one. */
const childOf = ({ template }: JsonObject): JsonObject =>
  membersAt(template, unitedTemplateNames.find((name) => isJsonObject(memberAt(template, name))) ?? '');

/** The spec with the Pod template of the children in the place where other workloads have theirs. */
const asWorkload = (spec: JsonObject): JsonObject => ({ ...spec, template: memberAt(childOf(spec), 'spec', 'template') });

/** Checks that the children are not too many, or too large. */
export function sizeObstacle(spec: JsonObject): string | undefined {
  const fault = unitedSizeFault(spec);
  return fault === undefined ? undefined : formatFieldError(fault);
}

/** Checks that the kind of the children is known. */
export const kindObstacle = ({ template }: JsonObject): string | undefined =>
  unitedTemplateNames.filter((name) => isJsonObject(memberAt(template, name))).length === 1
    ? undefined
    : 'spec.template: Invalid value: exactly one template must be there';

/** Checks that children can create Pods. */
export const podTemplateObstacle = (spec: JsonObject): string | undefined => templateObstacle(asWorkload(spec));

/** Checks that the selector fits the Pods that children create. */
export const podSelectorObstacle = (spec: JsonObject): string | undefined => selectorObstacle('UnitedDeployment')(asWorkload(spec));

function subsetFault(subset: unknown, at: number, before: ReadonlySet<unknown>): string | undefined {
  const path = `spec.topology.subsets[${at}]`;
  if (!isJsonObject(subset)) return `${path}: Invalid value: must be an object`;
  const { name, tolerations } = subset;
  if (typeof name !== 'string' || checkDns1123Label(name).length > 0) return `${path}.name: Invalid value: must be a DNS label`;
  if (before.has(name)) return `${path}.name: Duplicate value: ${JSON.stringify(name)}`;
  if (!isUnset(tolerations) && !Array.isArray(tolerations)) return `${path}.tolerations: Invalid value: must be a list`;
  const strange = ['nodeSelectorTerm', 'patch'].find((member) => !isUnset(subset[member]) && !isJsonObject(subset[member]));
  return strange === undefined ? undefined : `${path}.${strange}: Invalid value: must be an object`;
}

/** Checks that each subset has a name of its own, and members of the right types. */
export function subsetsObstacle({ topology }: JsonObject): string | undefined {
  const list = isJsonObject(topology) ? (topology['subsets'] ?? []) : (topology ?? []);
  if (!Array.isArray(list)) return 'spec.topology.subsets: Invalid value: must be a list';
  const names = new Set<unknown>();
  for (const [at, subset] of list.entries()) {
    const fault = subsetFault(subset, at, names);
    if (fault !== undefined) return fault;
    names.add(memberAt(subset, 'name'));
  }
  return undefined;
}

/** Checks the partitions of subsets. */
export function partitionsObstacle({ updateStrategy }: JsonObject): string | undefined {
  const partitions = memberAt(updateStrategy, 'manualUpdate', 'partitions') ?? {};
  return isJsonObject(partitions) && Object.values(partitions).every(Number.isInteger)
    ? undefined
    : 'spec.updateStrategy.manualUpdate.partitions: Invalid value: must map names of subsets to whole numbers';
}

/** Kinds whose Pods cannot be reserved, as events call them, with the article. */
const unreservable: readonly (readonly [UnitedTemplateName, string])[] = [
  ['statefulSetTemplate', 'a StatefulSet'],
  ['advancedStatefulSetTemplate', 'an AdvancedStatefulSet'],
];

/** Checks that Pods are only reserved for kinds that allow it. */
export function reservationObstacle({ template, topology }: JsonObject): string | undefined {
  const strategy = memberAt(topology, 'scheduleStrategy');
  const reserves = memberAt(strategy, 'type') === 'Adaptive' && memberAt(strategy, 'adaptive', 'reserveUnschedulablePods') === true;
  const found = reserves ? unreservable.find(([name]) => isJsonObject(memberAt(template, name))) : undefined;
  return found === undefined ? undefined : `spec.topology.scheduleStrategy: Forbidden: Pods of ${found[1]} cannot be reserved`;
}

/** Checks that children are found again: others would be created without end. */
export function childrenObstacle(spec: JsonObject): string | undefined {
  const labels = {
    ...membersAt(childOf(spec), 'metadata', 'labels'),
    ...membersAt(spec, 'selector', 'matchLabels'),
  } as Readonly<Record<string, string>>;
  return labelMatcherOrNothing(spec['selector'] as LabelSelector).matches(labels)
    ? undefined
    : 'spec.selector: Invalid value: does not match the labels of the template';
}
