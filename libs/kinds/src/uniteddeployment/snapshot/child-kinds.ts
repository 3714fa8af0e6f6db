/** The four kinds that children may be of: where each has what a UnitedDeployment reads and writes. Pure. @see spec/uniteddeployment.md 5.5, 5.6 */
import { cloneSets, normalizeCloneSetTemplate, statefulSets, type UnitedDeployment, type UnitedDeploymentSpec } from '@kruise/api';
import { scaleIntOrPercentOr, type IntOrPercent, type ResourceType } from '@kruise/objects';
import { builtInStatefulSets, deployments, type BuiltInWorkload, type WorkloadStrategy } from '@kruise/workloads';

/** A child of any kind, as far as it is looked at. */
export type ChildObject = BuiltInWorkload;
export type ChildSpec = NonNullable<ChildObject['spec']>;
type TemplateName = keyof NonNullable<UnitedDeploymentSpec['template']>;

export interface ChildKind {
  /** In events. */
  readonly name: 'StatefulSet' | 'AdvancedStatefulSet' | 'CloneSet' | 'Deployment';
  readonly type: ResourceType<ChildObject>;
  /** Whether caches hold such children whole, as their own controllers run in this process. */
  readonly isHeldWhole: boolean;
  /** Member of `spec.template`. */
  readonly template: TemplateName;
  /** How many Pods the child keeps at its old revision; undefined if the kind has no partition. */
  readonly partitionOf: (spec: ChildSpec) => number | undefined;
  /** The spec with that many Pods kept at the old revision, if the kind has a partition. */
  readonly withPartition: (spec: ChildSpec, partition: number) => ChildSpec;
  /** How many Pods may be unavailable in an update; absent for kinds whose Pods are not reserved. */
  readonly unavailable?: {
    readonly with: (spec: ChildSpec, value: number) => ChildSpec;
    /** What it comes to in a child of so many Pods; undefined for one that replaces all at once. */
    readonly allows: (spec: ChildSpec, replicas: number) => number | undefined;
  };
}

const strategyOf = ({ updateStrategy }: ChildSpec): WorkloadStrategy => updateStrategy ?? {};
const rolls = (spec: ChildSpec): boolean => ['', 'RollingUpdate'].includes(strategyOf(spec).type ?? '');
const withUpdateStrategy = (spec: ChildSpec, strategy: WorkloadStrategy): ChildSpec => ({ ...spec, updateStrategy: strategy });

const withRolling = (spec: ChildSpec, over: NonNullable<WorkloadStrategy['rollingUpdate']>): ChildSpec => {
  const strategy = strategyOf(spec);
  return withUpdateStrategy(spec, { ...strategy, rollingUpdate: { ...strategy.rollingUpdate, ...over } });
};

const ordinalPartition = (spec: ChildSpec): number | undefined => {
  if (!rolls(spec)) return undefined;
  const partition = strategyOf(spec).rollingUpdate?.partition;
  return typeof partition === 'number' ? partition : 0;
};

const statefulSet: ChildKind = {
  name: 'StatefulSet',
  type: builtInStatefulSets,
  isHeldWhole: false,
  template: 'statefulSetTemplate',
  partitionOf: ordinalPartition,
  withPartition: (spec, partition) =>
    rolls(spec) ? withRolling(withUpdateStrategy(spec, { ...strategyOf(spec), type: 'RollingUpdate' }), { partition }) : spec,
};

const advancedStatefulSet: ChildKind = {
  name: 'AdvancedStatefulSet',
  type: statefulSets,
  isHeldWhole: true,
  template: 'advancedStatefulSetTemplate',
  partitionOf: ordinalPartition,
  withPartition: (spec, partition) => (rolls(spec) ? withRolling(spec, { partition }) : spec),
};

const cloneSet: ChildKind = {
  name: 'CloneSet',
  type: cloneSets,
  isHeldWhole: true,
  template: 'cloneSetTemplate',
  partitionOf: (spec) => scaleIntOrPercentOr(0, strategyOf(spec).rollingUpdate?.partition, spec.replicas ?? 1, 'up'),
  withPartition: (spec, partition) => withRolling(spec, { partition }),
  unavailable: {
    with: (spec, maxUnavailable) => withRolling(spec, { maxUnavailable }),
    allows: (spec, replicas) => {
      const rolling: { readonly maxUnavailable?: IntOrPercent; readonly maxSurge?: IntOrPercent } = strategyOf(spec).rollingUpdate ?? {};
      const surge = scaleIntOrPercentOr(0, rolling.maxSurge, replicas, 'up');
      return scaleIntOrPercentOr(0, rolling.maxUnavailable ?? '20%', replicas, surge > 0 ? 'down' : 'up');
    },
  },
};

const deployment: ChildKind = {
  name: 'Deployment',
  type: deployments,
  isHeldWhole: false,
  template: 'deploymentTemplate',
  partitionOf: () => undefined,
  withPartition: (spec) => spec,
  unavailable: {
    with: (spec, maxUnavailable) => ({
      ...spec,
      strategy: { ...spec.strategy, rollingUpdate: { ...spec.strategy?.rollingUpdate, maxUnavailable } },
    }),
    allows: ({ strategy }, replicas) =>
      strategy?.type === 'Recreate'
        ? undefined
        : scaleIntOrPercentOr(0, strategy?.rollingUpdate?.maxUnavailable ?? '25%', replicas, 'down'),
  },
};

/** All of them, in the order in which templates are looked for. */
export const childKinds: readonly ChildKind[] = [statefulSet, advancedStatefulSet, cloneSet, deployment];

/** The template of the children. */
export interface ChildTemplate {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>>; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: ChildSpec;
}

/** One of CloneSets may hold members of v1alpha1 in an object that the original has stored as v1beta1; children have the form of v1beta1. */
export function childTemplateOf({ spec: { template } }: UnitedDeployment, kind: ChildKind): ChildTemplate {
  const found: ChildTemplate = template?.[kind.template] ?? { spec: {} };
  return kind === cloneSet ? (normalizeCloneSetTemplate({ ...found }) as unknown as ChildTemplate) : found;
}
