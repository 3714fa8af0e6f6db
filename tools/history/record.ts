/** Writes down what happens to StatefulSets, their Pods and their claims, for rules that must hold at every moment. */
import { appendFileSync } from 'node:fs';
import { statefulSets } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { persistentVolumeClaims, pods, type KubeObject, type ObjectMeta, type ResourceType } from '@kruise/objects';
import type { Change, RecordedKind } from './change.ts';

/** Pause before a watch that has failed is started again, in ms. */
const pause = 500;

/** Without what no rule reads and what makes up most of an object. */
const slim = (object: KubeObject): KubeObject => {
  const { name, namespace, uid, generation, deletionTimestamp, ownerReferences } = object.metadata;
  const metadata = JSON.parse(JSON.stringify({ name, namespace, uid, generation, deletionTimestamp, ownerReferences })) as ObjectMeta;
  return { ...object, metadata };
};

/**
 * Records until `signal` aborts. A watch that ends is taken up where it stopped; where the API server has forgotten that position, a new list
 * says so in the record.
 *
 * @param file gets lines appended
 */
export async function recordHistory(client: Client, file: string, signal: AbortSignal): Promise<void> {
  const types: Readonly<Record<RecordedKind, ResourceType>> = {
    StatefulSet: statefulSets,
    Pod: pods,
    PersistentVolumeClaim: persistentVolumeClaims,
  };
  const write = (change: Change): void => appendFileSync(file, `${JSON.stringify(change)}\n`);

  async function follow(kind: RecordedKind, type: ResourceType): Promise<never> {
    const { items, metadata } = await client.list(type, { signal });
    const objects = items.map((item) => slim(item));
    write({ kind, event: 'LISTED', version: Number(metadata.resourceVersion), at: Date.now(), objects });
    let { resourceVersion } = metadata;
    for (;;) {
      for await (const event of client.watch(type, { resourceVersion, signal })) {
        resourceVersion = event.type === 'BOOKMARK' ? event.resourceVersion : (event.object.metadata.resourceVersion ?? resourceVersion);
        if (event.type === 'BOOKMARK') continue;
        write({ kind, event: event.type, version: Number(resourceVersion), at: Date.now(), objects: [slim(event.object)] });
      }
    }
  }

  const forever = async (kind: RecordedKind, type: ResourceType): Promise<void> => {
    while (!signal.aborted) {
      try {
        await follow(kind, type);
      } catch {
        if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  };
  await Promise.all(Object.entries(types).map(([kind, type]) => forever(kind as RecordedKind, type)));
}
