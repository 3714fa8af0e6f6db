/** Whether a Pod belongs to a workload of these kinds. */
import { groups } from '@kruise/api';
import { controllerOf, groupOf, type Pod } from '@kruise/objects';

/** Returns whether a workload of Kruise, of any kind and version, controls the Pod. */
export function isOfOurKinds(pod: Pod): boolean {
  const controller = controllerOf(pod);
  return controller !== undefined && groupOf(controller.apiVersion) === groups.apps;
}
