/** UnitedDeployments with their children and Pods in a namespace of their own, as a user of the API sees them. */
import {
  cloneSets,
  statefulSets,
  unitedDeploymentLabels as labels,
  unitedDeployments,
  type UnitedDeployment,
  type UnitedDeploymentSpec,
  type UnitedDeploymentSubset,
} from '@kruise/api';
import { isPodReady, pods, type KubeObject, type Pod, type ResourceType } from '@kruise/objects';
import { builtInStatefulSets, deployments, type BuiltInWorkload } from '@kruise/workloads';
import { openNamespace, WorkloadWorld } from './workload-world.testing.ts';

const kinds = {
  StatefulSet: { member: 'statefulSetTemplate', type: builtInStatefulSets },
  AdvancedStatefulSet: { member: 'advancedStatefulSetTemplate', type: statefulSets as ResourceType as ResourceType<BuiltInWorkload> },
  CloneSet: { member: 'cloneSetTemplate', type: cloneSets as ResourceType as ResourceType<BuiltInWorkload> },
  Deployment: { member: 'deploymentTemplate', type: deployments },
} as const;

export type ChildKindName = keyof typeof kinds;
export const childKindNames = Object.keys(kinds) as readonly ChildKindName[];

export interface UnitedShape {
  readonly name: string;
  readonly kind?: ChildKindName;
  readonly replicas: number;
  readonly image: string;
  readonly subsets: readonly UnitedDeploymentSubset[];
  readonly adaptive?: object;
  /** Further members of the spec. */
  readonly spec?: Partial<UnitedDeploymentSpec>;
  readonly labels?: Readonly<Record<string, string>>;
  /** Further members of the Pods' spec. */
  readonly podSpec?: object;
}

/** Pods stop at once. */
function templateOf({
  name,
  kind = 'CloneSet',
  image,
  podSpec = {},
}: Pick<UnitedShape, 'name' | 'kind' | 'image' | 'podSpec'>): UnitedDeploymentSpec['template'] {
  const own = { app: name };
  const template = {
    metadata: { labels: own },
    spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image }], ...podSpec },
  };
  const numbered = kind === 'StatefulSet' || kind === 'AdvancedStatefulSet' ? { serviceName: name, podManagementPolicy: 'Parallel' } : {};
  const spec = { selector: { matchLabels: own }, template, ...numbered };
  return { [kinds[kind].member]: { metadata: { labels: own }, spec } };
}

export function unitedOf(namespace: string, shape: UnitedShape): UnitedDeployment {
  const { name, replicas, subsets, adaptive, spec = {}, labels: own = {} } = shape;
  return {
    metadata: { namespace, name, labels: own },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: templateOf(shape),
      topology: { subsets, ...(adaptive === undefined ? {} : { scheduleStrategy: { type: 'Adaptive', adaptive } }) },
      ...spec,
    },
  } as UnitedDeployment;
}

/** A node that has this label. */
export const onNodesWith = (key: string, value: string) => ({
  nodeSelectorTerm: { matchExpressions: [{ key, operator: 'In' as const, values: [value] }] },
});

export class UnitedWorld extends WorkloadWorld<UnitedDeployment> {
  /** Makes the namespace. */
  static async create(kubeconfigPath: string, namespace: string): Promise<UnitedWorld> {
    return new UnitedWorld(unitedDeployments, await openNamespace(kubeconfigPath, namespace), namespace);
  }

  apply(shape: UnitedShape): Promise<UnitedDeployment> {
    return this.create(unitedOf(this.namespace, shape));
  }

  /** Of every child, whatever else they have. */
  async setTemplate(name: string, shape: Omit<UnitedShape, 'name' | 'replicas' | 'subsets'>): Promise<void> {
    const { spec } = await this.get(name);
    const none = Object.fromEntries(Object.keys(spec.template ?? {}).map((member) => [member, null]));
    await this.patch(name, { spec: { template: { ...none, ...templateOf({ name, ...shape }) } } });
  }

  /** Those of one kind, by name of the subset. */
  async children(name: string, kind: ChildKindName = 'CloneSet'): Promise<readonly BuiltInWorkload[]> {
    const { items } = await this.client.list(kinds[kind].type, {
      namespace: this.namespace,
      labelSelector: `app=${name},${labels.subsetName}`,
    });
    return items.toSorted((a, b) => (subsetOf(a) < subsetOf(b) ? -1 : 1));
  }

  async child(name: string, subset: string, kind: ChildKindName = 'CloneSet'): Promise<BuiltInWorkload> {
    const found = (await this.children(name, kind)).find((one) => subsetOf(one) === subset);
    if (found === undefined) throw new Error(`${name} has no ${kind} for subset ${subset}`);
    return found;
  }

  /** `spec.replicas` of the children, as `a 1, b 2`. */
  async spread(name: string, kind: ChildKindName = 'CloneSet'): Promise<string> {
    return (await this.children(name, kind)).map((child) => `${subsetOf(child)} ${child.spec?.replicas ?? 1}`).join(', ');
  }

  async untilSpread(name: string, wanted: string, kind: ChildKindName = 'CloneSet'): Promise<void> {
    let seen = '';
    await this.eventually(async () => (seen = await this.spread(name, kind)) === wanted, `the children of ${name} want ${wanted}`).catch(
      (error: unknown) => {
        throw new Error(`they want ${seen}`, { cause: error });
      },
    );
  }

  /** Pods of a subset that are not terminating. */
  async podsOf(name: string, subset?: string): Promise<readonly Pod[]> {
    const labelSelector = `app=${name}${subset === undefined ? '' : `,${labels.subsetName}=${subset}`}`;
    const { items } = await this.client.list(pods, { namespace: this.namespace, labelSelector });
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  /** Until the status says that all Pods are ready at the revision of the present template. */
  untilRolledOut(name: string): Promise<UnitedDeployment> {
    return this.until(
      name,
      ({ metadata, spec, status }) =>
        status?.observedGeneration === metadata.generation &&
        status?.currentRevision === status?.updatedRevision &&
        status?.replicas === spec.replicas &&
        (status?.updatedReadyReplicas ?? 0) === spec.replicas,
    );
  }

  /** Until so many Pods of the subset are ready. */
  untilReady(name: string, subset: string, count: number): Promise<void> {
    return this.eventually(
      async () => (await this.podsOf(name, subset)).filter(isPodReady).length === count,
      `${count} Pods of ${subset} are ready`,
    );
  }

  override async revisions(name: string): Promise<readonly { readonly name: string; readonly revision: number }[]> {
    return (await super.revisions(name)).filter(
      (revision) => revision.name.startsWith(`${name}-`) && !revision.name.slice(name.length + 1).includes('-'),
    );
  }
}

const subsetOf = ({ metadata }: KubeObject): string => metadata.labels?.[labels.subsetName] ?? '';

/** Each subset of the status as `a 1`, with its condition Schedulable. */
export const statusOf = ({ status }: UnitedDeployment): string =>
  (status?.subsetStatuses ?? [])
    .map(({ name = '', replicas = 0, conditions = [] }) => [name, replicas, ...conditions.map((condition) => condition.status)].join(' '))
    .join(', ');
