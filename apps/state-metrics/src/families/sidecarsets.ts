/** @see spec/kruise-state-metrics.md 4.3 and 6 */
import { sidecarSetDeclaration } from '@kruise/api';
import { listAt, textAt, type KubeObject } from '@kruise/objects';
import {
  annotationLabels,
  counter,
  created,
  generation,
  labelLabels,
  observedGeneration,
  partitionLabel,
  share,
  textLabel,
} from './build.ts';
import type { Family, Path } from './family.ts';
import { resourceKind } from './resource-kind.ts';

const strategy = (member: string): Path => ['spec', 'updateStrategy', member];

/** @param name the original misspells it; both names are exported */
const namespaceOfPods = (name: string): Family => ({
  name,
  help: 'Namespace of the Pods, as the label namespace; empty for all namespaces.',
  samples: () => [{ value: 0 }],
  namespaceOf: (object: KubeObject) => textAt(object, 'spec', 'namespace'),
});

/** One sample for each sidecar container. */
const ofContainers = (name: string, help: string, { label, path }: { readonly label: string; readonly path: Path }): Family => ({
  name: `spec_containers_${name}`,
  help,
  samples: (object) =>
    listAt(object, 'spec', 'containers').map((container) => ({
      value: 0,
      labels: [
        ['container', textAt(container, 'name')],
        [label, textAt(container, ...path)],
      ],
    })),
});

export const sidecarSetKind = resourceKind({
  declaration: sidecarSetDeclaration,
  prefers: 'v1alpha1',
  byDefault: true,
  families: [
    created,
    counter('status_replicas_matched', 'Number of Pods that match.', ['status', 'matchedPods']),
    counter('status_replicas_updated', 'Number of matched Pods at the newest version.', ['status', 'updatedPods']),
    counter('status_replicas_ready', 'Number of matched Pods that are ready.', ['status', 'readyPods']),
    observedGeneration,
    counter('status_replicas_updated_ready', 'Number of matched Pods at the newest version that are ready.', [
      'status',
      'updatedReadyPods',
    ]),
    namespaceOfPods('spec_namespcace'),
    namespaceOfPods('spec_namespace'),
    share('spec_strategy_rollingupdate_max_unavailable', 'Number of matched Pods that may be unavailable during an update.', {
      paths: [strategy('maxUnavailable')],
      total: ['status', 'matchedPods'],
      absentTotal: 0,
      rounding: 'down',
    }),
    partitionLabel([strategy('partition')]),
    textLabel('spec_strategy_type', 'Type of the update strategy.', { label: 'strategy_type', path: strategy('type') }),
    generation('spec_metadata_generation'),
    annotationLabels,
    labelLabels,
    ofContainers('injectpolicy', 'Where each container is put among those of the Pod.', {
      label: 'injectpolicy',
      path: ['podInjectPolicy'],
    }),
    ofContainers('strategy_type', 'How each container is upgraded.', { label: 'strategy_type', path: ['upgradeStrategy', 'upgradeType'] }),
    ofContainers('strategy_hotupgradeemptyimage', 'Image of the idle container of a hot upgrade.', {
      label: 'hotupgradeemptyimage',
      path: ['upgradeStrategy', 'hotUpgradeEmptyImage'],
    }),
    ofContainers('volumepolicy', 'Whether each container gets the volume mounts of the application.', {
      label: 'volumepolicy',
      path: ['shareVolumePolicy', 'type'],
    }),
  ],
});
