/** The object of the other kind that a workload becomes: everything that both kinds have. */
import { apiVersionOf, isJsonObject, memberAt, type JsonObject, type ResourceType } from '@kruise/objects';
import { cloneSetFromDeployment } from '../migrate/plan-migration.ts';
import { keptAnnotations } from '../objects/kept-annotations.ts';
import { withMember, type Untyped } from '../objects/untyped.ts';
import type { Observed } from './observed/observed.ts';

const present = (members: JsonObject): JsonObject => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** The member of the spec with a name. */
type Of = (name: string) => unknown;

const specOf = (source: Untyped): Of => {
  const spec = memberAt(source, 'spec');
  return (name) => (isJsonObject(spec) ? spec[name] : undefined);
};

/** Returns a member of the update strategy; in v1alpha1 a CloneSet has them beside the type. */
const rolling = (source: Untyped, name: string): unknown =>
  memberAt(source, 'spec', 'updateStrategy', 'rollingUpdate', name) ?? memberAt(source, 'spec', 'updateStrategy', name);

const isOnDelete = (source: Untyped): boolean => memberAt(source, 'spec', 'updateStrategy', 'type') === 'OnDelete';

function deploymentSpec(source: Untyped, of: Of): JsonObject {
  return present({
    replicas: of('replicas') ?? 1,
    selector: of('selector'),
    template: of('template'),
    minReadySeconds: of('minReadySeconds'),
    revisionHistoryLimit: of('revisionHistoryLimit'),
    progressDeadlineSeconds: of('progressDeadlineSeconds'),
    paused: rolling(source, 'paused') === true ? true : undefined,
    strategy: {
      type: 'RollingUpdate',
      rollingUpdate: present({ maxUnavailable: rolling(source, 'maxUnavailable'), maxSurge: rolling(source, 'maxSurge') }),
    },
  });
}

/** The claim templates without what the API server adds to them. */
const claimTemplates = (templates: unknown): unknown =>
  Array.isArray(templates)
    ? templates.map((template: unknown) => (isJsonObject(template) ? present({ ...template, status: undefined }) : template))
    : undefined;

const sharedStatefulSetSpec = (of: Of): JsonObject => ({
  replicas: of('replicas') ?? 1,
  selector: of('selector'),
  template: of('template'),
  serviceName: of('serviceName'),
  podManagementPolicy: of('podManagementPolicy'),
  revisionHistoryLimit: of('revisionHistoryLimit'),
  persistentVolumeClaimRetentionPolicy: of('persistentVolumeClaimRetentionPolicy'),
  volumeClaimTemplates: claimTemplates(of('volumeClaimTemplates')),
  ordinals: of('ordinals'),
});

const strategyOf = (source: Untyped, members: JsonObject): JsonObject =>
  isOnDelete(source) ? { type: 'OnDelete' } : { type: 'RollingUpdate', rollingUpdate: present(members) };

/** In the Advanced StatefulSet, `minReadySeconds` belongs to the update strategy. */
function advancedStatefulSetSpec(source: Untyped, of: Of): JsonObject {
  const minReadySeconds = of('minReadySeconds') === 0 ? undefined : of('minReadySeconds');
  const updateStrategy = strategyOf(source, {
    partition: rolling(source, 'partition'),
    maxUnavailable: rolling(source, 'maxUnavailable'),
    minReadySeconds,
  });
  return present({ ...sharedStatefulSetSpec(of), updateStrategy });
}

function statefulSetSpec(source: Untyped, of: Of): JsonObject {
  const updateStrategy = strategyOf(source, { partition: rolling(source, 'partition') });
  const minReadySeconds = rolling(source, 'minReadySeconds');
  return present({ ...sharedStatefulSetSpec(of), serviceName: of('serviceName') ?? '', updateStrategy, minReadySeconds });
}

function daemonSetSpec(source: Untyped, of: Of): JsonObject {
  return present({
    selector: of('selector'),
    template: of('template'),
    minReadySeconds: of('minReadySeconds'),
    revisionHistoryLimit: of('revisionHistoryLimit'),
    updateStrategy: strategyOf(source, { maxUnavailable: rolling(source, 'maxUnavailable'), maxSurge: rolling(source, 'maxSurge') }),
  });
}

/** A Deployment that recreates has no Pods of two revisions at a time; a CloneSet comes closest when all Pods may be unavailable. */
function cloneSetOf(source: Untyped, apiVersion: string, name: string): Untyped {
  const cloneSet = cloneSetFromDeployment(source, { apiVersion, name, copy: true });
  if (memberAt(source, 'spec', 'strategy', 'type') !== 'Recreate') return cloneSet;
  const path = apiVersion.endsWith('/v1alpha1') ? ['updateStrategy'] : ['updateStrategy', 'rollingUpdate'];
  return withMember(cloneSet, ['spec', ...path, 'maxUnavailable'], '100%') as Untyped;
}

/**
 * Returns the target as it is when the move has ended.
 *
 * @param type of the target, in the version to create
 */
export function finalTarget({ direction, source, targetName: name, targetType }: TargetSource): Untyped {
  const apiVersion = apiVersionOf(targetType);
  const of = specOf(source);
  const { namespace, labels } = source.metadata;
  const withSpec = (spec: JsonObject): Untyped =>
    ({
      apiVersion,
      kind: targetType.kind,
      metadata: present({ name, namespace, labels, annotations: keptAnnotations(source) }),
      spec,
    }) as unknown as Untyped;
  switch (direction.to) {
    case 'CloneSet':
      return cloneSetOf(source, apiVersion, name);
    case 'Deployment':
      return withSpec(deploymentSpec(source, of));
    case 'AdvancedStatefulSet':
      return withSpec(advancedStatefulSetSpec(source, of));
    case 'StatefulSet':
      return withSpec(statefulSetSpec(source, of));
    case 'AdvancedDaemonSet':
    case 'DaemonSet':
      return withSpec(daemonSetSpec(source, of));
  }
}

/** What decides what the target becomes. */
export type TargetSource = Pick<Observed, 'direction' | 'source' | 'targetName'> & { readonly targetType: ResourceType };
