/** How quickly an ordered StatefulSet continues: the time from one Pod's readiness to the creation of the next, as a watcher sees both. */
import { statefulSets } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { isPodReady, pods } from '@kruise/objects';
import { namespace } from './clone-set.ts';
import { statefulSet } from './stateful-set.ts';

const name = 'queue';

const ordinalOf = (podName: string): number => Number(podName.slice(name.length + 1));

/** Creates `replicas` Pods one by one. @returns milliseconds between a Pod's readiness and the next one's appearance, for each but the last */
export async function measureOrderedStart(client: Client, replicas: number): Promise<readonly number[]> {
  const appeared = new Map<number, number>();
  const ready = new Map<number, number>();
  const signal = AbortSignal.timeout(60_000 + replicas * 1_000);
  const events = client.watch(pods, { namespace, labelSelector: `app=${name}`, signal });
  await client.create(statefulSets, statefulSet({ name, replicas, podManagementPolicy: 'OrderedReady' }));
  for await (const event of events) {
    if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
    const now = performance.now();
    const ordinal = ordinalOf(event.object.metadata.name);
    if (!appeared.has(ordinal)) appeared.set(ordinal, now);
    if (isPodReady(event.object) && !ready.has(ordinal)) ready.set(ordinal, now);
    if (ready.size === replicas) break;
  }
  if (ready.size < replicas) throw new Error(`only ${ready.size} of ${replicas} ordered Pods became ready`);
  await client.delete(statefulSets, { namespace, name });
  return Array.from({ length: replicas - 1 }, (_, i) => (appeared.get(i + 1) ?? NaN) - (ready.get(i) ?? NaN));
}
