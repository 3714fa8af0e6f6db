/** UnitedDeployments for tests: valid defaults, and a test names only what it covers. */
import type { UnitedDeployment, UnitedDeploymentSpec, UnitedDeploymentSubset } from '@kruise/api';
import { labelMatcherOrNothing } from '@kruise/objects';
import { childKinds, type ChildKind } from './snapshot/child-kinds.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

export type Topology = NonNullable<UnitedDeploymentSpec['topology']>;

export interface UnitedShape {
  readonly kind?: ChildKind['name'];
  readonly replicas?: number;
  readonly subsets?: readonly UnitedDeploymentSubset[];
  readonly schedule?: Topology['scheduleStrategy'];
  readonly partitions?: Readonly<Record<string, number>>;
  readonly image?: string;
  readonly limit?: number;
  /** Members of the child's spec beside its Pod template. */
  readonly child?: object;
  readonly status?: UnitedDeployment['status'];
}

const members = {
  StatefulSet: 'statefulSetTemplate',
  AdvancedStatefulSet: 'advancedStatefulSetTemplate',
  CloneSet: 'cloneSetTemplate',
  Deployment: 'deploymentTemplate',
} as const;

const labels = { app: 'web' };

export const templateOf = (
  kind: ChildKind['name'],
  image = 'app:1',
  child: object = {},
): NonNullable<UnitedDeploymentSpec['template']> => ({
  [members[kind]]: {
    metadata: { labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } },
      ...child,
    },
  },
});

/** Subsets of these names that say nothing else. */
export const named = (...names: readonly string[]): readonly UnitedDeploymentSubset[] => names.map((name) => ({ name }));

/** Three replicas over a and b, of CloneSets. */
export function aUnited(shape: UnitedShape = {}): UnitedDeployment {
  const { kind = 'CloneSet', replicas = 3, subsets = named('a', 'b'), schedule, partitions, image, limit = 10, child, status } = shape;
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'UnitedDeployment',
    metadata: { namespace: 'default', name: 'web', uid: 'united-uid', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: templateOf(kind, image, child),
      topology: { subsets, ...(schedule === undefined ? {} : { scheduleStrategy: schedule }) },
      updateStrategy: { type: 'Manual', manualUpdate: partitions === undefined ? {} : { partitions } },
      revisionHistoryLimit: limit,
    },
    ...(status === undefined ? {} : { status }),
  };
}

export const kindOf = (name: ChildKind['name']): ChildKind => childKinds.find((kind) => kind.name === name) as ChildKind;

/** What a pass sees if only the UnitedDeployment exists, apart from `over`. */
export function aSnapshot(shape: UnitedShape = {}, over: Partial<Snapshot> = {}): Snapshot {
  const united = aUnited(shape);
  return {
    united,
    selector: labelMatcherOrNothing(united.spec.selector),
    kind: kindOf(shape.kind ?? 'CloneSet'),
    children: [],
    duplicates: [],
    adopted: [],
    released: [],
    strays: [],
    revisions: [],
    heldRevisions: { get: () => undefined },
    takenNames: { has: () => false },
    ...over,
  };
}

/** `15` and `20` seconds, as the acceptance scenarios have it. */
export const adaptive = (over: object = {}): NonNullable<Topology['scheduleStrategy']> => ({
  type: 'Adaptive',
  adaptive: { rescheduleCriticalSeconds: 15, unschedulableDuration: 20, ...over },
});
