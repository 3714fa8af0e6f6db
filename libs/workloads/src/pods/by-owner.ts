/** Objects by those that own them. @see spec/manager.md 5.7 */
import { controllerOf, type KubeObject, type Index } from '@kruise/objects';

/** By the uid of every owner. */
export const byOwner: Index<KubeObject> = {
  name: 'ownerRefUID',
  valuesOf: ({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid),
};

/** By the uid of the controller, '' for orphans. */
export const byController: Index<KubeObject> = { name: 'controllerUID', valuesOf: (object) => [controllerOf(object)?.uid ?? ''] };
