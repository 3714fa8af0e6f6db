/** What the demo does with a CloneSet, and what it checks: it shows nothing that it has not verified. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneSets, type CloneSet } from '@kruise/api';
import { isFailure, type Client } from '@kruise/kube';
import { compareUtf8, containerStatusOf, namespaces, pods as podType, type Pod } from '@kruise/objects';
import type { Progress } from '@kruise/testing';
import type { View } from './view.ts';

const namespace = 'kruise-demo';
const key = { namespace, name: 'web' };
const firstImage = 'nginx:1.14.2';
const secondImage = 'nginx:1.15.1';
const replicas = 6;
const stepTimeoutMs = 180_000;

/** Something turned out other than the demo says. */
export class Unverified extends Error {
  override readonly name = 'Unverified';
}

export interface Stage {
  readonly client: Client;
  readonly progress: Progress;
  readonly view: View;
  readonly signal: AbortSignal;
}

interface World {
  readonly cloneSet: CloneSet;
  readonly pods: readonly Pod[];
}

const web: CloneSet = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'CloneSet',
  metadata: key,
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'nginx', image: firstImage }] },
    },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', maxUnavailable: 2 } },
  },
};

function verify(holds: boolean, what: string): void {
  if (!holds) throw new Unverified(what);
}

async function look({ client, signal }: Stage): Promise<World> {
  const [cloneSet, list] = await Promise.all([
    client.get(cloneSets, key, { signal }),
    client.list(podType, { namespace, labelSelector: 'app=web', signal }),
  ]);
  return { cloneSet, pods: [...list.items].sort((a, b) => compareUtf8(a.metadata.name, b.metadata.name)) };
}

/** Looks until `isReached`, showing every look. */
async function waitFor(stage: Stage, what: string, isReached: (world: World) => boolean): Promise<World> {
  const deadline = performance.now() + stepTimeoutMs;
  for (;;) {
    const world = await look(stage);
    stage.view.show(world.cloneSet, world.pods);
    if (isReached(world)) {
      stage.view.finish();
      return world;
    }
    if (performance.now() > deadline) {
      const why = (world.cloneSet.status?.conditions ?? []).map(({ type, message }) => `${type}: ${message ?? ''}`).join('; ');
      throw new Unverified(`${what}: not after ${stepTimeoutMs / 1000} s${why === '' ? '' : ` (${why})`}`);
    }
    await sleep(300, undefined, { signal: stage.signal });
  }
}

/** Every Pod wanted is there, of the update revision and available, and the status is about the present spec. */
const isRolledOut =
  (count: number, image: string) =>
  ({ cloneSet, pods }: World): boolean => {
    const { status } = cloneSet;
    const isSeen = status?.observedGeneration === cloneSet.metadata.generation;
    const counters = [status?.replicas, status?.updatedReplicas, status?.availableReplicas, status?.updatedAvailableReplicas];
    return (
      isSeen &&
      counters.every((counter) => counter === count) &&
      pods.length === count &&
      pods.every((pod) => pod.spec.containers[0]?.image === image)
    );
  };

const identities = (pods: readonly Pod[]): readonly string[] =>
  pods.map((pod) => `${pod.metadata.name} ${pod.metadata.uid} ${pod.status?.podIP} ${pod.spec.nodeName}`);
const restarts = (pods: readonly Pod[]): readonly number[] => pods.map((pod) => containerStatusOf(pod, 'nginx')?.restartCount ?? -1);

const setImage = ({ client, signal }: Stage, image: string): Promise<CloneSet> =>
  client.patch(
    cloneSets,
    key,
    { spec: { template: { spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'nginx', image }] } } } },
    { type: 'merge', signal },
  );
const setReplicas = ({ client, signal }: Stage, count: number): Promise<CloneSet> =>
  client.patch(cloneSets, key, { spec: { replicas: count } }, { type: 'merge', signal });

async function create(stage: Stage): Promise<World> {
  const { client, progress, signal } = stage;
  await client
    .create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, { signal })
    .catch((error: unknown) => {
      if (!isFailure(error, 'AlreadyExists')) throw error;
    });
  await client.delete(cloneSets, key, { signal, propagationPolicy: 'Foreground' }).catch((error: unknown) => {
    if (!isFailure(error, 'NotFound')) throw error;
  });
  while ((await client.list(podType, { namespace, signal })).items.length > 0) await sleep(300, undefined, { signal });
  progress.note(`a CloneSet of ${replicas} Pods of ${firstImage} is created`);
  await client.create(cloneSets, web, { signal });
  return waitFor(stage, `${replicas} available Pods`, isRolledOut(replicas, firstImage));
}

async function scale(stage: Stage): Promise<World> {
  stage.progress.note('it is scaled to 8 Pods');
  await setReplicas(stage, 8);
  const wide = await waitFor(stage, '8 available Pods', isRolledOut(8, firstImage));
  stage.progress.note(`and back to ${replicas}: Pods that share a node with others go first`);
  await setReplicas(stage, replicas);
  const after = await waitFor(stage, `${replicas} Pods again`, isRolledOut(replicas, firstImage));
  const stayed = new Set(identities(wide.pods));
  verify(
    identities(after.pods).every((identity) => stayed.has(identity)),
    'scaling in leaves the other Pods alone',
  );
  return after;
}

async function updateInPlace(stage: Stage, before: World, image: string, restarted: number): Promise<World> {
  await setImage(stage, image);
  const after = await waitFor(stage, `${replicas} Pods of ${image}`, isRolledOut(replicas, image));
  verify(identities(after.pods).join() === identities(before.pods).join(), 'every Pod keeps its name, UID, IP and node');
  verify(
    restarts(after.pods).every((count) => count === restarted),
    `every container was restarted ${restarted === 1 ? 'once' : `${restarted} times`}, found ${restarts(after.pods).join(', ')}`,
  );
  return after;
}

/** Runs the whole story. @returns what was verified, one line each; throws `Unverified` at the first thing that is not so */
export async function tellStory(stage: Stage): Promise<readonly string[]> {
  const created = await create(stage);
  const firstRevision = created.cloneSet.status?.updateRevision;
  const scaled = await scale(stage);
  stage.progress.note(`the image becomes ${secondImage}: in place, at most 2 Pods unavailable`);
  const updated = await updateInPlace(stage, scaled, secondImage, 1);
  stage.progress.note(`and ${firstImage} again: a rollback`);
  const rolledBack = await updateInPlace(stage, updated, firstImage, 2);
  verify(rolledBack.cloneSet.status?.updateRevision === firstRevision, 'the rollback uses the first revision again');
  return [
    `${replicas} Pods created, scaled to 8 and back; the others were left alone`,
    `updated from ${firstImage} to ${secondImage} in place: same names, UIDs, IPs and nodes, one restart a container`,
    'rolled back in place: the first revision is in use again, one more restart a container',
  ];
}

/** Removes what the story made. */
export const cleanUp = ({ client, signal }: Stage): Promise<unknown> =>
  client.delete(namespaces, { namespace: '', name: namespace }, { signal }).catch((error: unknown) => {
    if (!isFailure(error, 'NotFound')) throw error;
  });
