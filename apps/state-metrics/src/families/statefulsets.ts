/** @see spec/kruise-state-metrics.md 4.2 */
import { parseReservedOrdinals, statefulSetDeclaration } from '@kruise/api';
import { exporterLimits, type KubeObject } from '@kruise/objects';
import {
  annotationLabels,
  conditions,
  counter,
  created,
  generation,
  labelLabels,
  observedGeneration,
  optionalNumber,
  partitionLabel,
  paused,
  share,
  textLabel,
} from './build.ts';
import type { Family, Path, Sample } from './family.ts';
import { valueAt } from './read.ts';
import { resourceKind } from './resource-kind.ts';

const replicas: Path = ['spec', 'replicas'];
const rollingUpdate = (member: string): Path => ['spec', 'updateStrategy', 'rollingUpdate', member];

/** One sample for each reserved ordinal, ranges written out, up to the limit. */
function reservedSamples(object: KubeObject): readonly Sample[] {
  const samples: Sample[] = [];
  for (const { first, last } of parseReservedOrdinals(valueAt(object, ['spec', 'reserveOrdinals'])).ranges)
    for (let ordinal = first; ordinal <= last; ordinal++) {
      if (samples.length >= exporterLimits.reservedOrdinals.value) return samples;
      samples.push({ value: ordinal, labels: [['ordinal', String(ordinal)]] });
    }
  return samples;
}

const reservedOrdinals: Family = {
  name: 'spec_reserveordinals',
  help: 'Ordinals that no Pod gets; the value is the ordinal.',
  samples: reservedSamples,
};

export const statefulSetKind = resourceKind({
  declaration: statefulSetDeclaration,
  prefers: 'v1beta1',
  byDefault: true,
  families: [
    created,
    counter('status_replicas', 'Number of Pods.', ['status', 'replicas']),
    counter('status_replicas_available', 'Number of Pods that are available.', ['status', 'availableReplicas']),
    counter('status_replicas_current', 'Number of Pods at the current revision.', ['status', 'currentReplicas']),
    counter('status_replicas_ready', 'Number of Pods that are ready.', ['status', 'readyReplicas']),
    counter('status_replicas_updated', 'Number of Pods at the update revision.', ['status', 'updatedReplicas']),
    observedGeneration,
    conditions,
    optionalNumber('replicas', 'Desired number of Pods.', replicas),
    generation(),
    optionalNumber('spec_replicas', 'Desired number of Pods.', replicas),
    share('spec_strategy_rollingupdate_max_unavailable', 'Number of Pods that may be unavailable during an update.', {
      paths: [rollingUpdate('maxUnavailable')],
      total: replicas,
      rounding: 'down',
    }),
    reservedOrdinals,
    annotationLabels,
    labelLabels,
    textLabel('status_current_revision', 'Name of the last revision that was fully rolled out.', {
      label: 'revision',
      path: ['status', 'currentRevision'],
      value: 1,
    }),
    textLabel('status_update_revision', 'Name of the revision of the current template.', {
      label: 'revision',
      path: ['status', 'updateRevision'],
      value: 1,
    }),
    textLabel('spec_strategy_type', 'Type of the update strategy.', { label: 'strategy_type', path: ['spec', 'updateStrategy', 'type'] }),
    partitionLabel([rollingUpdate('partition')]),
    paused([rollingUpdate('paused')]),
  ],
});
