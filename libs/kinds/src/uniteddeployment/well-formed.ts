/** Whether the rules can work with a UnitedDeployment that admission may not have checked. */
import { unitedSizeFault, type UnitedDeployment } from '@kruise/api';
import { checkDns1123Label, formatFieldError, isJsonObject, memberAt } from '@kruise/objects';
import { examineWorkload, replicasRule, templateRule, type Examined, type SpecRule } from '@kruise/workloads';
import { childKinds, type ChildKind } from './child-kinds.ts';

export type WellFormedUnited = Extract<Examined, { kind: 'WellFormed' }> & { readonly childKind: ChildKind };
export type ExaminedUnited = WellFormedUnited | Extract<Examined, { kind: 'Malformed' }>;

const malformed = (why: string): ExaminedUnited => ({ kind: 'Malformed', why });

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

function subsetFault(subset: unknown, at: number, before: ReadonlySet<unknown>): string | undefined {
  const path = `spec.topology.subsets[${at}]`;
  if (!isJsonObject(subset)) return `${path}: Invalid value: must be an object`;
  const { name, tolerations } = subset;
  if (typeof name !== 'string' || checkDns1123Label(name).length > 0) return `${path}.name: Invalid value: must be a DNS label`;
  if (before.has(name)) return `${path}.name: Duplicate value: ${JSON.stringify(name)}`;
  if (!isAbsent(tolerations) && !Array.isArray(tolerations)) return `${path}.tolerations: Invalid value: must be a list`;
  const strange = ['nodeSelectorTerm', 'patch'].find((member) => !isAbsent(subset[member]) && !isJsonObject(subset[member]));
  return strange === undefined ? undefined : `${path}.${strange}: Invalid value: must be an object`;
}

const subsetsRule: SpecRule = ({ topology }) => {
  const list = isJsonObject(topology) ? (topology['subsets'] ?? []) : (topology ?? []);
  if (!Array.isArray(list)) return 'spec.topology.subsets: Invalid value: must be a list';
  const names = new Set<unknown>();
  for (const [at, subset] of list.entries()) {
    const fault = subsetFault(subset, at, names);
    if (fault !== undefined) return fault;
    names.add(memberAt(subset, 'name'));
  }
  return undefined;
};

const partitionsRule: SpecRule = ({ updateStrategy }) => {
  const partitions = memberAt(updateStrategy, 'manualUpdate', 'partitions') ?? {};
  return isJsonObject(partitions) && Object.values(partitions).every(Number.isInteger)
    ? undefined
    : 'spec.updateStrategy.manualUpdate.partitions: Invalid value: must map names of subsets to whole numbers';
};

const rules: readonly SpecRule[] = [replicasRule, templateRule, subsetsRule, partitionsRule];

/** Children with other labels would not be found again, and would be created without end. */
const findsChildren = (object: UnitedDeployment, kind: ChildKind, examined: Extract<Examined, { kind: 'WellFormed' }>): boolean => {
  const labels = memberAt(object.spec.template, kind.template, 'metadata', 'labels');
  const own = isJsonObject(labels) ? (labels as Readonly<Record<string, string>>) : {};
  return examined.selector.matches({ ...own, ...object.spec.selector.matchLabels });
};

export function examine(object: UnitedDeployment): ExaminedUnited {
  const spec: unknown = object.spec;
  if (!isJsonObject(spec)) return malformed('spec: Required value: must be an object');
  const size = unitedSizeFault(spec);
  if (size !== undefined) return malformed(formatFieldError(size));
  const kinds = childKinds.filter((kind) => isJsonObject(memberAt(spec, 'template', kind.template)));
  const [childKind] = kinds;
  if (childKind === undefined || kinds.length > 1) return malformed('spec.template: Invalid value: exactly one template must be there');
  const template = memberAt(spec, 'template', childKind.template, 'spec', 'template');
  // What is judged of the selector is that it fits the Pods that children make.
  const examined = examineWorkload({ spec: { ...object.spec, template } as never }, 'UnitedDeployment', rules);
  if (examined.kind === 'Malformed') return examined;
  const adaptive = memberAt(spec, 'topology', 'scheduleStrategy');
  const reserves = memberAt(adaptive, 'type') === 'Adaptive' && memberAt(adaptive, 'adaptive', 'reserveUnschedulablePods') === true;
  if (reserves && childKind.unavailable === undefined)
    return malformed(`spec.topology.scheduleStrategy: Forbidden: Pods of a ${childKind.name} cannot be reserved`);
  return findsChildren(object, childKind, examined)
    ? { ...examined, childKind }
    : malformed('spec.selector: Invalid value: does not match the labels of the template');
}
