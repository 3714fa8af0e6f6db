/** A SidecarSet injects a container into the CloneSet's Pods, and later upgrades it in the running Pods. */
import { sidecarSets, type SidecarSet } from '@kruise/api';
import { isFailure } from '@kruise/kube';
import { pods as podType, type Pod } from '@kruise/objects';
import { podTable } from './cloneset-scenario.ts';
import { applicationContainer, cloneSetKey, demoLabels, namespace, sidecarContainer, sidecarSetKey } from '../names.ts';
import { haveSameContainers, haveSameIdentities, imageOf, listPods, restarts } from '../pods.ts';
import { untilHolds, verify, waitFor, type Scene, type Stage } from './stage.ts';

const firstImage = 'busybox:1.33';
const secondImage = 'busybox:1.34';
const { name } = sidecarSetKey;
const app = cloneSetKey.name;
const injectedList = 'kruise.io/sidecarset-injected-list';

const logs: SidecarSet = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name, labels: demoLabels },
  spec: {
    selector: { matchLabels: { app } },
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    containers: [
      // Ends immediately when it is asked to, so that the upgrade takes no longer than it must.
      { name: sidecarContainer, image: firstImage, command: ['sh', '-c', "trap 'exit 0' TERM; sleep 100000 & wait"] },
    ],
    updateStrategy: { type: 'RollingUpdate', maxUnavailable: 2 },
  },
};

interface SeenSidecarSet {
  readonly sidecarSet: SidecarSet;
  readonly pods: readonly Pod[];
}

const scene: Scene<SeenSidecarSet> = {
  observe: async (stage) => {
    const [sidecarSet, pods] = await Promise.all([
      stage.client.get(sidecarSets, sidecarSetKey, { signal: stage.signal }),
      listPods(stage, app),
    ]);
    return { sidecarSet, pods };
  },
  picture: ({ sidecarSet: { status }, pods }) => ({
    summary: `SidecarSet ${name}: ${status?.matchedPods ?? 0} Pods matched, ${status?.updatedPods ?? 0} updated, ${status?.readyPods ?? 0} ready`,
    table: podTable(pods),
  }),
  conditions: () => [],
};

/** A dry run of a Pod as the CloneSet creates it. */
const sample: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace, name: 'dry-run', labels: { app } },
  spec: { containers: [{ name: applicationContainer, image: 'nginx:1.14.2' }] },
};

async function isInjecting({ client, signal }: Stage): Promise<boolean> {
  try {
    const { metadata } = await client.create(podType, sample, { dryRun: true, signal });
    return metadata.annotations?.[injectedList]?.split(',').includes(name) === true;
  } catch (error) {
    // A new namespace has no service account for a moment; then Pods are forbidden.
    if (isFailure(error, 'Forbidden')) return false;
    throw error;
  }
}

/** @returns once new Pods of the CloneSet get the sidecar. Pods that exist already are never injected. */
export async function createSidecarSet(stage: Stage): Promise<void> {
  const { client, progress, signal } = stage;
  progress.note(`Creating the SidecarSet ${name}: new Pods of ${app} get a container ${sidecarContainer} of ${firstImage}`);
  await client.create(sidecarSets, logs, { signal });
  await untilHolds(stage, 'new Pods get the sidecar', () => isInjecting(stage));
}

const isUpgraded = ({ sidecarSet: { metadata, status }, pods }: SeenSidecarSet): boolean => {
  const counters = [status?.matchedPods, status?.updatedPods, status?.readyPods, status?.updatedReadyPods];
  return (
    status?.observedGeneration === metadata.generation &&
    counters.every((counter) => counter === pods.length) &&
    pods.every((pod) => imageOf(pod, sidecarContainer) === secondImage)
  );
};

/** @param before the Pods that run. @returns what was verified, one line each. @throws {Unverified} at the first difference */
export async function playSidecarSet(stage: Stage, before: readonly Pod[]): Promise<readonly string[]> {
  const { client, progress, signal } = stage;
  progress.note(`Upgrading the sidecar to ${secondImage} in the running Pods, at most 2 at a time`);
  const containers = logs.spec.containers?.map((container) => ({ ...container, image: secondImage }));
  await client.patch(sidecarSets, sidecarSetKey, { spec: { containers } }, { type: 'merge', signal });
  const { pods: after } = await waitFor(stage, scene, `sidecars of ${secondImage} in ${before.length} Pods`, isUpgraded);
  verify(haveSameIdentities(before, after), 'every Pod keeps its name, UID, IP and node');
  verify(haveSameContainers(before, after, applicationContainer), 'no application container is restarted');
  const counts = restarts(after, sidecarContainer);
  verify(
    counts.every((count) => count === 1),
    `each sidecar is restarted once, found ${counts.join(', ')}`,
  );
  return [
    `SidecarSet: the sidecar was injected into all ${after.length} Pods and upgraded from ${firstImage} to ${secondImage} in place; each Pod kept its name, UID, IP and node, and no application container was restarted`,
  ];
}
