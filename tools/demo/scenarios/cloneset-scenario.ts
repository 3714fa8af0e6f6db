/** A CloneSet is created, scaled out and in, updated in place and rolled back. */
import { cloneSets, type CloneSet } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { applicationContainer, cloneSetKey, sidecarContainer } from '../names.ts';
import { haveSameContainers, haveSameIdentities, identities, imageOf, listPods, restarts } from '../pods.ts';
import { verify, waitFor, type Scene, type Stage } from './stage.ts';
import * as columns from '../table.ts';

const firstImage = 'nginx:1.14.2';
const secondImage = 'nginx:1.15.1';
const replicas = 6;
const moreReplicas = 8;
const app = cloneSetKey.name;

/** A CloneSet and its Pods, by name. */
interface SeenCloneSet {
  readonly cloneSet: CloneSet;
  readonly pods: readonly Pod[];
}

const web: CloneSet = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'CloneSet',
  metadata: cloneSetKey,
  spec: {
    replicas,
    selector: { matchLabels: { app } },
    template: {
      metadata: { labels: { app } },
      spec: { terminationGracePeriodSeconds: 1, containers: [{ name: applicationContainer, image: firstImage }] },
    },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', maxUnavailable: 2 } },
  },
};

const tableColumns = [
  columns.podName,
  columns.node,
  columns.address,
  columns.imageOf(applicationContainer, 'APPLICATION'),
  columns.imageOf(sidecarContainer, 'SIDECAR'),
  columns.revision,
  columns.state,
  columns.ready,
];

const formatCloneSet = ({ spec, status }: CloneSet): string =>
  `CloneSet ${app}: ${spec.replicas ?? 1} wanted, ${status?.replicas ?? 0} exist, ${status?.availableReplicas ?? 0} available, ${status?.updatedReplicas ?? 0} updated`;

/** The CloneSet's Pods as a table; the summary is of the CloneSet. */
export const podTable = (pods: readonly Pod[]): readonly string[] => columns.formatTable(tableColumns, pods);

const scene: Scene<SeenCloneSet> = {
  observe: async (stage) => {
    const [cloneSet, pods] = await Promise.all([stage.client.get(cloneSets, cloneSetKey, { signal: stage.signal }), listPods(stage, app)]);
    return { cloneSet, pods };
  },
  picture: ({ cloneSet, pods }) => ({ summary: formatCloneSet(cloneSet), table: podTable(pods) }),
  conditions: ({ cloneSet }) => cloneSet.status?.conditions ?? [],
};

/** The status is of the current spec, and every Pod that is wanted exists, is updated and is available. */
const isRolledOut =
  (count: number, image: string) =>
  ({ cloneSet: { metadata, status }, pods }: SeenCloneSet): boolean => {
    const counters = [status?.replicas, status?.updatedReplicas, status?.availableReplicas, status?.updatedAvailableReplicas];
    return (
      status?.observedGeneration === metadata.generation &&
      counters.every((counter) => counter === count) &&
      pods.length === count &&
      pods.every((pod) => imageOf(pod, applicationContainer) === image)
    );
  };

const change = ({ client, signal }: Stage, spec: object): Promise<CloneSet> =>
  client.patch(cloneSets, cloneSetKey, { spec }, { type: 'merge', signal });

const setImage = (stage: Stage, image: string): Promise<CloneSet> =>
  change(stage, { template: { spec: { containers: [{ name: applicationContainer, image }] } } });

async function scale(stage: Stage): Promise<SeenCloneSet> {
  stage.progress.note(`Scaling it out to ${moreReplicas} Pods`);
  await change(stage, { replicas: moreReplicas });
  const wide = await waitFor(stage, scene, `${moreReplicas} available Pods`, isRolledOut(moreReplicas, firstImage));
  stage.progress.note(`Scaling it in to ${replicas} Pods: those that share a node with others are deleted first`);
  await change(stage, { replicas });
  const after = await waitFor(stage, scene, `${replicas} Pods again`, isRolledOut(replicas, firstImage));
  const existed = new Set(identities(wide.pods));
  verify(
    identities(after.pods).every((identity) => existed.has(identity)),
    'scaling in leaves the other Pods alone',
  );
  return after;
}

async function updateInPlace(stage: Stage, before: SeenCloneSet, image: string, expectedRestarts: number): Promise<SeenCloneSet> {
  await setImage(stage, image);
  const after = await waitFor(stage, scene, `${replicas} Pods with ${image}`, isRolledOut(replicas, image));
  verify(haveSameIdentities(before.pods, after.pods), 'every Pod keeps its name, UID, IP and node');
  const counts = restarts(after.pods, applicationContainer);
  verify(
    counts.every((count) => count === expectedRestarts),
    `restarts of each application container are ${expectedRestarts}, found ${counts.join(', ')}`,
  );
  verify(haveSameContainers(before.pods, after.pods, sidecarContainer), 'no sidecar container is restarted');
  return after;
}

/** @returns what was verified, one line each, and the CloneSet's Pods at the end. @throws {Unverified} at the first difference */
export async function playCloneSet(stage: Stage): Promise<{ readonly verified: readonly string[]; readonly pods: readonly Pod[] }> {
  stage.progress.note(`Creating the CloneSet ${app}: ${replicas} Pods of ${firstImage}`);
  await stage.client.create(cloneSets, web, { signal: stage.signal });
  const created = await waitFor(stage, scene, `${replicas} available Pods`, isRolledOut(replicas, firstImage));
  const scaled = await scale(stage);
  stage.progress.note(`Updating the image to ${secondImage}: in place, at most 2 Pods unavailable`);
  const updated = await updateInPlace(stage, scaled, secondImage, 1);
  stage.progress.note(`Rolling back to ${firstImage}`);
  const rolledBack = await updateInPlace(stage, updated, firstImage, 2);
  const { updateRevision } = rolledBack.cloneSet.status ?? {};
  verify(updateRevision === created.cloneSet.status?.updateRevision, 'the rollback uses the first revision again');
  return {
    pods: rolledBack.pods,
    verified: [
      `CloneSet: ${replicas} Pods created, scaled out to ${moreReplicas} and back in; the other Pods were left alone`,
      `CloneSet: updated from ${firstImage} to ${secondImage} in place; each Pod kept its name, UID, IP and node, its application container was restarted once, its sidecar not at all`,
      'CloneSet: rolled back in place; the first revision is in use again',
    ],
  };
}
