/** Members of the status that several kinds of workloads have. */
import { int32, int64, optional, string } from './builder.ts';

export const availableReplicas = int32('Number of Pods that have been ready for minReadySeconds and are not held by a lifecycle hook.');
export const collisionCount = optional(
  int32('Number of times the name generated for a new revision was already in use; part of the hash in revision names.'),
);
export const currentRevision = optional(string('Name of the last revision that was fully rolled out.'));
/** `status.labelSelector`, to which the `scale` subresource refers. */
export const scaleSelector = optional(string('spec.selector in string form, for autoscalers.'));
export const observedGeneration = optional(int64('The metadata.generation that this status reflects.'));
export const readyReplicas = int32('Number of Pods that are ready.');
export const updateRevision = optional(string('Name of the revision of the current template.'));
export const updatedReplicas = int32('Number of Pods at the update revision.');
