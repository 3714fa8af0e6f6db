/** What controllers of all kinds share: memories by owner, which forget one that is deleted, and the name of an object in logs. */
import { onEvent, type Informer, type Watch } from '@kruise/kube';
import type { KubeObject, ResourceType } from '@kruise/objects';

/** What is kept beside the stores for each owner. */
export interface Memory {
  /** Called once the owner is deleted. @param uid of the owner */
  forget(uid: string): void;
}

/** Has the memories forget every object of the informer that is deleted. */
export const forgetting = <T extends KubeObject>(objects: Informer<T>, memories: readonly Memory[]): Watch =>
  onEvent(objects, ({ kind, object }) => {
    if (kind === 'Deleted') for (const memory of memories) memory.forget(object.metadata.uid ?? '');
  });

/** `cloneSet` for CloneSet: the log field that names an object of the kind. */
export const fieldOf = ({ kind }: Pick<ResourceType, 'kind'>): string => `${kind.charAt(0).toLowerCase()}${kind.slice(1)}`;
