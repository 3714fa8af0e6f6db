/** @see spec/kruise-state-metrics.md 4.4 */
import { daemonSetDeclaration } from '@kruise/api';
import {
  annotationLabels,
  conditions,
  counter,
  created,
  generation,
  labelLabels,
  observedGeneration,
  partitionLabel,
  paused,
  share,
  textLabel,
} from './build.ts';
import type { Path } from './family.ts';
import { resourceKind } from './resource-kind.ts';

const rollingUpdate = (member: string): Path => ['spec', 'updateStrategy', 'rollingUpdate', member];
const status = (member: string): Path => ['status', member];

export const daemonSetKind = resourceKind({
  declaration: daemonSetDeclaration,
  prefers: 'v1alpha1',
  byDefault: true,
  families: [
    created,
    conditions,
    share('spec_strategy_rollingupdate_max_surge', 'Number of nodes on which a new Pod may run beside the old one during an update.', {
      paths: [rollingUpdate('maxSurge')],
      total: status('desiredNumberScheduled'),
      absentTotal: 0,
      rounding: 'up',
      absent: 0,
    }),
    partitionLabel([rollingUpdate('partition')]),
    textLabel('spec_strategy_type', 'Type of the update strategy.', { label: 'strategy_type', path: ['spec', 'updateStrategy', 'type'] }),
    counter('status_current_number_scheduled', 'Number of nodes that run the Pod and should run it.', status('currentNumberScheduled')),
    counter('status_desired_number_scheduled', 'Number of nodes that should run the Pod.', status('desiredNumberScheduled')),
    counter('status_number_available', 'Number of nodes on which the Pod is available.', status('numberAvailable')),
    counter('status_number_misscheduled', 'Number of nodes that run the Pod but should not run it.', status('numberMisscheduled')),
    counter('status_number_ready', 'Number of nodes on which the Pod is ready.', status('numberReady')),
    counter(
      'status_number_unavailable',
      'Number of nodes that should run the Pod but on which it is not available.',
      status('numberUnavailable'),
    ),
    observedGeneration,
    counter('status_updated_number_scheduled', 'Number of nodes whose Pod is at the update revision.', status('updatedNumberScheduled')),
    generation(),
    annotationLabels,
    labelLabels,
    paused([rollingUpdate('paused')]),
  ],
});
