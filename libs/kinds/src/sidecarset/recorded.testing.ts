/** The recorded SidecarSet with its Pods and revisions. */
import type { SidecarSet } from '@kruise/api';
import type { ControllerRevision, Pod } from '@kruise/objects';
import { recordedObjects, type RecordedStage } from '@kruise/testing';
import { noneRefused } from '@kruise/workloads';
import type { Snapshot } from './snapshot.ts';

/**
 * First both Pods run what they were injected with. 3 s after the image changed the first Pod is written, its old container takes its 30 s to
 * end. At last the first Pod is done and the second is written.
 */
export function recordedAt(stage: RecordedStage): Snapshot {
  const [sidecarSet] = recordedObjects<SidecarSet>(stage, 'sidecarsets.v1beta1');
  const pods = recordedObjects<Pod>(stage, 'pods').filter(
    ({ metadata }) => metadata.annotations?.['kruise.io/sidecarset-hash'] !== undefined,
  );
  const revisions = recordedObjects<ControllerRevision>(stage, 'controllerrevisions-system');
  return {
    sidecarSet: sidecarSet!,
    pods,
    namespaceLabels: new Map([['recorded', { 'kubernetes.io/metadata.name': 'recorded' }]]),
    revisions: revisions.toSorted((a, b) => a.revision - b.revision),
    refused: noneRefused,
    resting: new Set(),
    revisionNamespace: 'kruise-system',
  };
}
