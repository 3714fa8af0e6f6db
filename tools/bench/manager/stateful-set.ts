/** The StatefulSets of the benchmark, with the template of its CloneSet. Pure. */
import type { StatefulSet } from '@kruise/api';
import { cloneSet, namespace } from './clone-set.ts';

export interface StatefulSetShape {
  readonly name: string;
  readonly replicas: number;
  readonly podManagementPolicy: 'Parallel' | 'OrderedReady';
}

export function statefulSet({ name, replicas, podManagementPolicy }: StatefulSetShape): StatefulSet {
  const { template, updateStrategy } = cloneSet(replicas).spec;
  // Ordered ones are updated one by one.
  const strategy = podManagementPolicy === 'Parallel' ? { updateStrategy } : {};
  const labels = { app: name };
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'StatefulSet',
    metadata: { name, namespace, labels },
    spec: {
      replicas,
      serviceName: name,
      podManagementPolicy,
      selector: { matchLabels: labels },
      ...strategy,
      template: {
        metadata: { ...template.metadata, labels },
        spec: { ...template.spec, readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] },
      },
    },
  } as unknown as StatefulSet;
}
