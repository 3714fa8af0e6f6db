/** A sidecar in many Pods: injected while a CloneSet creates them, then its image replaced in place. */
import { cloneSets, sidecarSets, type SidecarSet } from '@kruise/api';
import { rolloutMeasures, rowsOf } from '../manager/measures.ts';
import { onStage } from '../manager/stage.ts';
import type { Measure } from '../scenario.ts';
import { cloneSet, image, name } from './clone-set.ts';

const key = { namespace: '', name: 'bench-sidecar' };

const sidecarSet: SidecarSet = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: key.name },
  spec: {
    selector: { matchLabels: { app: name } },
    containers: [{ name: 'log', image: image(1), env: [{ name: 'LEVEL', value: 'info' }] }],
    updateStrategy: { maxUnavailable: '20%' },
  },
};

const newImage = [{ op: 'replace', path: '/spec/containers/0/image', value: image(2) }];

export const measure: Measure = (run) =>
  onStage(run, { pods: run.sizes.pods }, async ({ client, phases }) => {
    const { pods } = run.sizes;
    /** Every Pod has the current sidecar, and is ready. */
    const isOver = async (): Promise<boolean> => {
      const { metadata, status } = await client.get(sidecarSets, key);
      return status?.observedGeneration === metadata.generation && status?.updatedReadyPods === pods && status.matchedPods === pods;
    };
    const ends = { isOver, timeoutMs: 60_000 + pods * 300 };
    await client.create(sidecarSets, sidecarSet);
    const details = await phases([
      { name: `create ${pods} Pods with a sidecar`, begin: () => client.create(cloneSets, cloneSet(pods)), ...ends },
      { name: 'update the sidecar, 20 % at a time', begin: () => client.patch(sidecarSets, key, newImage, { type: 'json' }), ...ends },
    ]);
    return { rows: rowsOf(details, rolloutMeasures(pods)), details };
  });
