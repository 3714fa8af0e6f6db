/** Objects of other kinds that name the source, which only the user can change to the target. */
import { apiVersionOf, groupOf, memberAt, stringAt, type ResourceType } from '@kruise/objects';
import { mergePatchAt, type Untyped } from '../objects/untyped.ts';
import { patchCommand } from '../objects/patch-command.ts';

/** Kinds that name a workload, by `<plural>.<group>`. */
export const referringKinds: readonly string[] = [
  'horizontalpodautoscalers.autoscaling',
  'verticalpodautoscalers.autoscaling.k8s.io',
  'scaledobjects.keda.sh',
  'podunavailablebudgets.policy.kruise.io',
  'workloadspreads.apps.kruise.io',
  'persistentpodstates.apps.kruise.io',
  'rollouts.rollouts.kruise.io',
];

const paths: readonly (readonly string[])[] = [
  ['spec', 'scaleTargetRef'],
  ['spec', 'targetRef'],
  ['spec', 'workloadRef'],
  ['spec', 'objectRef', 'workloadRef'],
];

const immutable: readonly string[] = ['PodUnavailableBudget', 'WorkloadSpread', 'PersistentPodState'];

/** An object that names the source. */
export interface Referrer {
  readonly type: ResourceType;
  readonly object: Untyped;
}

/** What the user changes in it. */
export interface ReferenceChange {
  /** `HorizontalPodAutoscaler/web`. */
  readonly name: string;
  /** The path of the reference. */
  readonly field: string;
  /** A command, or a sentence where the reference is immutable. */
  readonly change: string;
}

/** The object that a reference names. */
export interface Named {
  readonly type: ResourceType;
  readonly name: string;
  readonly namespace: string;
}

/** A reference without a version, as KEDA allows, means a Deployment. */
function isTo(reference: unknown, { type, name }: Named): boolean {
  const [kind = 'Deployment', apiVersion = 'apps/v1'] = [stringAt(reference, 'kind'), stringAt(reference, 'apiVersion')];
  return stringAt(reference, 'name') === name && kind === type.kind && groupOf(apiVersion) === type.group;
}

/** Returns the changes, in the order of the objects. */
export const referenceChanges = (referrers: readonly Referrer[], source: Named, target: Named): readonly ReferenceChange[] =>
  referrers.flatMap(({ type, object }) =>
    paths
      .filter((path) => isTo(memberAt(object, ...path), source))
      .map((path) => {
        const reference = { apiVersion: apiVersionOf(target.type), kind: target.type.kind, name: target.name };
        return {
          name: `${type.kind}/${object.metadata.name}`,
          field: path.join('.'),
          change: immutable.includes(type.kind)
            ? `the reference is immutable: create the object again for ${target.type.kind} ${target.name}`
            : patchCommand({ type, name: object.metadata.name, namespace: source.namespace }, mergePatchAt(path, reference)),
        };
      }),
  );
