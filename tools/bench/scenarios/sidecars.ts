/** A sidecar in many Pods: injected while a CloneSet creates them, then its image replaced in place. */
import { cloneSets, sidecarSets, type SidecarSet } from '@kruise/api';
import { rolloutMeasures, rowsOf } from '../manager/measures.ts';
import { phaseOf } from '../manager/object-phases.ts';
import { onStage } from '../manager/stage.ts';
import { manifest } from '../objects/manifest.ts';
import { cloneSet, image, replace } from '../objects/workloads.ts';

const set = manifest<SidecarSet>('log-sidecar-set.yaml')();

export const measure = onStage(
  ({ pods }) => ({ pods }),
  async ({ client, phases, sizes: { pods } }) => {
    /** Every Pod has the current sidecar, and is ready. */
    const isDone = (status: NonNullable<SidecarSet['status']>): boolean => status.updatedReadyPods === pods && status.matchedPods === pods;
    await client.create(sidecarSets, set);
    const changes = [
      { name: `create ${pods} Pods with a sidecar`, begin: () => client.create(cloneSets, cloneSet(pods)), isDone },
      { name: 'update the sidecar, 20 % at a time', patch: [replace('/spec/containers/0/image', image(2))], isDone },
    ];
    return rowsOf(await phases(changes.map((change) => phaseOf(sidecarSets, set, pods, change))), rolloutMeasures(pods));
  },
);
