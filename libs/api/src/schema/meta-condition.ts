/** Conditions as `metav1.Condition`, with its rules: the form of the v1beta1 kinds that use it. */
import { choice, int64, list, object, optional, string, time, type Infer } from './builder.ts';

const reasonPattern = '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$';
const typePattern = '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';
const statuses = ['True', 'False', 'Unknown'] as const;

/** Declares a list of `metav1.Condition`, one for each type. */
export const metaConditions = (description: string) =>
  list(
    description,
    object('One condition.', {
      lastTransitionTime: time('When the condition last changed from one status to another.'),
      message: string('Human-readable details; may be empty.', { maxLength: 32768 }),
      observedGeneration: optional(
        int64('Generation of the object that the condition was computed from. Absent: not reported.', { minimum: 0 }),
      ),
      reason: string('Machine-readable reason, in CamelCase.', { minLength: 1, maxLength: 1024, pattern: reasonPattern }),
      status: choice('True, False or Unknown.', statuses, { enum: statuses }),
      type: string('Type of the condition, in CamelCase; unique in the list.', { maxLength: 316, pattern: typePattern }),
    }),
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
  );
/** A `metav1.Condition`; `reason` is never empty. */
export type MetaCondition = Infer<ReturnType<typeof metaConditions>>[number];
