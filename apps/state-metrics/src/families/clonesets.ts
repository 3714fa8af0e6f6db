/** @see spec/kruise-state-metrics.md 4.1 */
import { cloneSetDeclaration } from '@kruise/api';
import { textAt, type KubeObject } from '@kruise/objects';
import {
  annotationLabels,
  computed,
  conditions,
  counter,
  created,
  firstPath,
  generation,
  labelLabels,
  observedGeneration,
  optionalNumber,
  partitionLabel,
  paused,
  share,
} from './build.ts';
import type { Family, Path } from './family.ts';
import { gaugeAt } from './read.ts';
import { resourceKind } from './resource-kind.ts';

/** v1alpha1 has the settings of a rollout beside the type, v1beta1 one level below. */
const strategy = (member: string): readonly Path[] => [
  ['spec', 'updateStrategy', member],
  ['spec', 'updateStrategy', 'rollingUpdate', member],
];
const replicas: Path = ['spec', 'replicas'];

const types = ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'] as const;

/** The type in the form of v1alpha1. */
function typeOf(object: KubeObject): string {
  const policyPath = firstPath(object, [['spec', 'updateStrategy', 'rollingUpdate', 'podUpdatePolicy']]);
  return textAt(object, ...(policyPath ?? ['spec', 'updateStrategy', 'type']));
}

const strategyType: Family = {
  name: 'spec_strategy_type',
  help: 'How Pods are updated: 1 for the current type.',
  samples: (object) => types.map((type) => ({ value: typeOf(object) === type ? 1 : 0, labels: [['strategy_type', type]] as const })),
  configured: { kind: 'States', label: 'strategy_type', path: ['spec', 'updateStrategy', 'type'], states: types },
};

export const cloneSetKind = resourceKind({
  declaration: cloneSetDeclaration,
  prefers: 'v1alpha1',
  byDefault: true,
  families: [
    created,
    counter('status_replicas', 'Number of Pods.', ['status', 'replicas']),
    counter('status_replicas_available', 'Number of Pods that are available.', ['status', 'availableReplicas']),
    computed('status_replicas_unavailable', 'Desired number of Pods less those that are available; may be negative.', (object) => {
      const desired = gaugeAt(object, replicas);
      return desired === undefined ? undefined : desired - (gaugeAt(object, ['status', 'availableReplicas']) ?? 0);
    }),
    counter('status_replicas_updated', 'Number of Pods at the update revision.', ['status', 'updatedReplicas']),
    observedGeneration,
    conditions,
    optionalNumber('spec_replicas', 'Desired number of Pods.', replicas),
    share('spec_strategy_rollingupdate_max_unavailable', 'Number of Pods that may be unavailable during an update.', {
      paths: strategy('maxUnavailable'),
      total: replicas,
      rounding: 'down',
      absent: 0,
    }),
    share('spec_strategy_rollingupdate_max_surge', 'Number of Pods above the desired number that an update may create.', {
      paths: strategy('maxSurge'),
      total: replicas,
      rounding: 'up',
      absent: 0,
    }),
    generation(),
    annotationLabels,
    labelLabels,
    counter('status_replicas_ready', 'Number of Pods that are ready.', ['status', 'readyReplicas']),
    counter('status_replicas_updated_ready', 'Number of Pods at the update revision that are ready.', ['status', 'updatedReadyReplicas']),
    partitionLabel(strategy('partition')),
    strategyType,
    paused(strategy('paused')),
  ],
});
