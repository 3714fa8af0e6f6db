/** A Pod of a DaemonSet for one node, as it is created. Pure. @see spec/daemonset.md 3, 5.5 */
import { annotations, daemonSets, labels, podConditions, type DaemonSet } from '@kruise/api';
import { newControllerRef, type OwnerReference, type Pod, type PodSpec } from '@kruise/objects';
import { boundByScheduler, daemonSetRevisions, daemonTolerations, revisionLabels } from '@kruise/pods';
import { freeNames } from '@kruise/workloads';
import { isInPlace } from '../snapshot/strategy.ts';

/** For Pods that are bound at creation, so that no scheduler tries to place them. */
const ownScheduler = 'kubernetes.io/daemonset-controller';

/** Of any name, a prefix included. */
const longestName = 253;

export const ownerReferenceTo = (set: DaemonSet): OwnerReference => newControllerRef(set, daemonSets);

/** The generation of its template that a migrated DaemonSet carries; undefined unless it is an int64. */
export function generationOf({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[annotations.deprecatedDaemonSetTemplateGeneration];
  if (text === undefined || !/^[+-]?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? String(value) : undefined;
}

export interface PodMakerOptions {
  /** Of the update revision. */
  readonly hash: string;
  /** Else the Pod is bound as it is created. */
  readonly placedByScheduler: boolean;
  /** Names of Pods in the namespace. */
  readonly takenNames: { readonly has: (name: string) => boolean };
  /** Distinguishes successive Pods of a node: the Pods that it has, or else the Pod that was deleted from it last. */
  readonly predecessorsOn: (node: string) => string;
}

function withGate(spec: PodSpec, set: DaemonSet): PodSpec {
  const readinessGates = spec.readinessGates ?? [];
  const gate = { conditionType: podConditions.inPlaceUpdateReady };
  const isThere = readinessGates.some(({ conditionType }) => conditionType === gate.conditionType);
  return !isInPlace(set) || isThere ? spec : { ...spec, readinessGates: [...readinessGates, gate] };
}

/**
 * Makes the Pods of a pass, each with a unique name that looks generated. A node gets the same name until a Pod is created on it or deleted from
 * it. So a Pod that this process does not see yet, created by an earlier process or by another leader, is found by its name and not created
 * twice. A successor has another name, so that a client that waits for the old Pod sees its deletion.
 */
export function podMaker(set: DaemonSet, options: PodMakerOptions): (node: string) => Pod {
  const { hash, placedByScheduler, takenNames, predecessorsOn } = options;
  const { name, namespace = '', uid = '' } = set.metadata;
  const { metadata, spec = { containers: [] } } = set.spec.template;
  const generateName = name.length < longestName ? `${name}-` : name;
  const generation = generationOf(set);
  const freeName = freeNames(generateName, takenNames);
  const common = {
    generateName,
    namespace,
    labels: {
      ...metadata?.labels,
      ...(generation === undefined ? {} : { [labels.podTemplateGeneration]: generation }),
      ...revisionLabels(daemonSetRevisions, hash),
    },
    ...(metadata?.annotations === undefined ? {} : { annotations: metadata.annotations }),
    ...(metadata?.finalizers === undefined ? {} : { finalizers: metadata.finalizers }),
    ownerReferences: [ownerReferenceTo(set)],
  };
  const shared: PodSpec = { ...withGate(spec, set), tolerations: daemonTolerations(spec) };
  return (node) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: freeName(`${uid}/${node}/${predecessorsOn(node)}`), ...common },
    spec: placedByScheduler ? boundByScheduler(shared, node) : { ...shared, nodeName: node, schedulerName: ownScheduler },
  });
}
