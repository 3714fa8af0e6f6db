/** What controllers of all kinds share: memories by owner, which forget one that is deleted, and the name of an object in logs. */
import { onEvent, type StoreListener, type Watch } from '@kruise/kube';
import type { KubeObject, ObjectKey, ResourceType } from '@kruise/objects';

/** An informer of objects that are `T` among others. */
export interface ObjectSource<T extends KubeObject> {
  readonly store: {
    get(key: ObjectKey): T | undefined;
    subscribe(listener: StoreListener<T>): () => void;
  };
  readonly reflector: { waitForSync(signal: AbortSignal): Promise<void> };
}

/** What is kept beside the stores for each owner. */
export interface Memory {
  /** Called once the owner is deleted. @param uid of the owner */
  forget(uid: string): void;
}

/** Has the memories forget every object of the informer that is deleted. */
export const forgetting = <T extends KubeObject>(objects: ObjectSource<T>, memories: readonly Memory[]): Watch =>
  onEvent(objects, ({ kind, object }) => {
    if (kind === 'Deleted') for (const memory of memories) memory.forget(object.metadata.uid ?? '');
  });

/** `cloneSet` for CloneSet: the log field that names an object of the kind. */
export const fieldOf = ({ kind }: Pick<ResourceType, 'kind'>): string => `${kind.charAt(0).toLowerCase()}${kind.slice(1)}`;
